import { spawn } from "node:child_process";
import { mkdirSync, statSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";

import { quote } from "../../../../provider/contract/paths";
import { sendSignal } from "../../../unit/support/processes";
import { type Ended, Running } from "../flux";
import { Cgroup, type Limits } from "./cgroup";
import { type Holder, LINKED } from "./holder";
import { catches, childrenOf, inNamespace, namespaceOf, type Process, wordsOf } from "./processes";
import { soon } from "../../../e2e/support/until";

export interface User {
    readonly uid: number;
    readonly gid: number;
    readonly groups: readonly number[];
}

export interface ContainerMount {
    readonly from: string;
    readonly to: string;
    readonly readOnly: boolean;
    /** The volume is a small disk of its own in the container, with so many bytes (`4m`). It ends with the container. */
    readonly size?: string;
}

/** Command, environment, user and files of a container. */
export interface ContainerPlan {
    readonly command: readonly string[];
    /** Directory in which the command starts. @default `/` */
    readonly dir?: string;
    readonly env: Readonly<Record<string, string>>;
    readonly user: User;
    readonly mounts: readonly ContainerMount[];
    readonly readOnlyRoot: boolean;
    /** Folders that form the root, the uppermost first. Changes are lost with the container. */
    readonly layers: readonly string[];
}

const KILLED = 137;
const SIGNALS = { KILL: "SIGKILL", TERM: "SIGTERM" } as const;

/**
 * A container: processes with their own root, process namespace and mounts, and with the network and host name of a
 * pod.
 */
export class Container {
    readonly began = Date.now();
    private killed = false;
    private group: Cgroup | undefined;

    private constructor(
        private readonly plan: ContainerPlan,
        private readonly running: Running,
        /** Pid of the first process on the machine. */
        private readonly pid: number,
        /** The container's process namespace, undefined if the first process ended at once. */
        private readonly namespace: string | undefined,
    ) {}

    /** Starts a container. `folder` belongs to it alone. */
    static async start(plan: ContainerPlan, pod: Holder, folder: string): Promise<Container> {
        mkdirSync(folder, { recursive: true });
        const [command, ...words] = [
            "nsenter",
            "--target",
            String(pod.pid),
            "--net",
            "--uts",
            "--",
            ...LINKED,
            "unshare",
            "--mount",
            "--pid",
            "--fork",
            "--kill-child",
            "sh",
            "-euc",
            setUp(plan, folder),
        ];
        const child = spawn(command, words, { stdio: ["ignore", "pipe", "pipe"] });
        const running = new Running(child);
        const first = await soon(`${plan.command.join(" ")} starts`, () =>
            running.alive ? firstProcess(child.pid ?? 0, plan.command) : 0,
        );
        return new Container(plan, running, first, namespaceOf(first));
    }

    /** The end of the container. util-linux before 2.39 does not report that a signal was the cause. */
    get ended(): Promise<Ended> {
        return this.running.ended.then((end) => (this.killed ? { ...end, code: KILLED } : end));
    }

    get output(): string {
        return this.running.stdout + this.running.stderr;
    }

    get alive(): boolean {
        return this.running.alive;
    }

    /** All processes of the container. None outlives the first one, because the kernel ends them. */
    get processes(): Process[] {
        return this.namespace === undefined ? [] : inNamespace(this.namespace);
    }

    /**
     * Waits until the first process catches SIGTERM or has ended. Before that, the kernel drops SIGTERM in any
     * container.
     */
    async listens(): Promise<void> {
        await soon(
            "the first process catches SIGTERM",
            () => !this.alive || catches(this.pid, constants.signals.SIGTERM) || undefined,
        );
    }

    says(pattern: RegExp): Promise<void> {
        return this.running.says(pattern);
    }

    /** Sends a signal to the first process, as a runtime does. After KILL the kernel ends all other processes. */
    kill(signal: keyof typeof SIGNALS): void {
        this.killed ||= this.alive && signal === "KILL";
        // The pid 0 would mean this process's own group.
        if (this.alive && this.pid > 0) {
            sendSignal(this.pid, SIGNALS[signal]);
        }
    }

    /** Limits the processes of the container, also those that start later. */
    limit(limits: Limits): void {
        if (this.group === undefined) {
            const group = (this.group = new Cgroup());
            group.add(this.processes.map(({ pid }) => pid));
            void this.ended.then(() => group.remove());
        }
        this.group.limit(limits);
    }

    /** Starts another process in the container, with its environment, as `kubectl exec`, hooks and probes do. */
    exec(command: readonly string[]): Running {
        const { env, user } = this.plan;
        const identity = user.uid === 0 ? [] : ["--setuid", String(user.uid), "--setgid", String(user.gid)];
        const words = [
            "--target",
            String(this.pid),
            "--mount",
            "--uts",
            "--net",
            "--pid",
            "--root",
            "--wd",
            ...identity,
            "--",
            ...command,
        ];
        const whole = ["/usr/bin/nsenter", ...words];
        const [program = "", ...rest] = this.group?.entering(whole) ?? whole;
        return new Running(spawn(program, rest, { env, stdio: ["ignore", "pipe", "pipe"] }));
    }
}

/** Pid of `unshare`'s child, once it has become the command. */
function firstProcess(parent: number, command: readonly string[]): number | undefined {
    const [pid] = childrenOf(parent);
    const words = pid === undefined ? [] : wordsOf(pid);
    return command.every((word, index) => words[index] === word) ? pid : undefined;
}

/**
 * Shell code that makes the container's files and becomes its command. Its mounts are private and end with the
 * container.
 */
function setUp({ command, dir, env, layers, mounts, readOnlyRoot, user }: ContainerPlan, folder: string): string {
    const root = join(folder, "root");
    return [
        "cd /",
        `mount -t tmpfs tmpfs ${quote(folder)}`,
        `cd ${quote(folder)}; mkdir upper work root; chmod 755 upper`,
        `mount -t overlay overlay -o ${quote(`lowerdir=${layers.join(":")},upperdir=upper,workdir=work`)} root`,
        "cd root; mkdir -p dev proc sys",
        "mount -t proc proc proc",
        "mount --rbind /sys sys",
        ...devices,
        ...mounts.flatMap(mountLines),
        ...(readOnlyRoot ? ["mount -o remount,bind,ro ."] : []),
        `cd ${quote(root)}`,
        [
            "exec env -i",
            ...Object.entries(env).map(([name, value]) => quote(`${name}=${value}`)),
            changeRoot(user),
            ".",
            ...(dir === undefined ? [] : ["/bin/sh", "-c", quote('cd "$0" && exec "$@"'), quote(dir)]),
            ...command.map(quote),
        ].join(" "),
    ].join("\n");
}

const devices = [
    "mount -t tmpfs -o mode=755 tmpfs dev",
    "for device in null:3 zero:5 full:7 random:8 urandom:9; do mknod -m 666 dev/${device%:*} c 1 ${device#*:}; done",
    "mknod -m 666 dev/tty c 5 0",
    "ln -s /proc/self/fd dev/fd; ln -s fd/0 dev/stdin; ln -s fd/1 dev/stdout; ln -s fd/2 dev/stderr",
    "mkdir dev/pts dev/shm; mount -t devpts -o newinstance,ptmxmode=666 devpts dev/pts; ln -s pts/ptmx dev/ptmx",
];

function mountLines({ from, readOnly, size, to }: ContainerMount): string[] {
    const place = quote(`.${to}`);
    if (size !== undefined) {
        return [`mkdir -p ${place}; mount -t tmpfs -o size=${size},mode=777 tmpfs ${place}`];
    }
    const make = statSync(from).isDirectory()
        ? `mkdir -p ${place}`
        : `mkdir -p "$(dirname ${place})"; [ -e ${place} ] || : >${place}`;
    return [make, `mount --bind ${quote(from)} ${place}`, ...(readOnly ? [`mount -o remount,bind,ro ${place}`] : [])];
}

/** The words of chroot. With a plus sign, chroot takes numbers as ids and does not look them up in the image. */
function changeRoot({ gid, groups, uid }: User): string {
    const identity =
        uid === 0 && gid === 0 && groups.length === 0
            ? []
            : [`--userspec=+${uid}:+${gid}`, `--groups=${groups.map((group) => `+${group}`).join(",")}`];
    return ["/usr/sbin/chroot", ...identity].join(" ");
}

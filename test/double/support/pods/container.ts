import { spawn } from "node:child_process";
import { mkdirSync, statSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";

import { type Ended, Running } from "../flux";
import { type Holder, LINKED } from "./holder";
import { catches, childrenOf, inNamespace, namespaceOf, type Process, soon, wordsOf } from "./processes";

export interface User {
    readonly uid: number;
    readonly gid: number;
    readonly groups: readonly number[];
}

export interface ContainerMount {
    readonly from: string;
    readonly to: string;
    readonly readOnly: boolean;
}

/** What runs, in which files and as whom. */
export interface ContainerPlan {
    readonly command: readonly string[];
    readonly env: Readonly<Record<string, string>>;
    readonly user: User;
    readonly mounts: readonly ContainerMount[];
    readonly readOnlyRoot: boolean;
    /** Folders that make the root, the uppermost first. What is written is gone with the container. */
    readonly layers: readonly string[];
}

const KILLED = 137;
const SIGNALS = { KILL: "SIGKILL", TERM: "SIGTERM" } as const;

/** A container: processes with a root, a process namespace and mounts of their own, in the network and under the name of a pod. */
export class Container {
    readonly began = Date.now();
    private killed = false;

    private constructor(
        private readonly plan: ContainerPlan,
        private readonly running: Running,
        /** The first process, as the machine sees it. */
        private readonly pid: number,
        /** Its process namespace; undefined where it has ended at once. */
        private readonly namespace: string | undefined,
    ) {}

    /** `folder` is one of its own on this machine. */
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

    /** util-linux before 2.39 doesn't say that a signal was the end. */
    get ended(): Promise<Ended> {
        return this.running.ended.then((end) => (this.killed ? { ...end, code: KILLED } : end));
    }

    get output(): string {
        return this.running.stdout + this.running.stderr;
    }

    get alive(): boolean {
        return this.running.alive;
    }

    /** Also those that have outlived the first one, which the kernel doesn't allow. */
    get processes(): Process[] {
        return this.namespace === undefined ? [] : inNamespace(this.namespace);
    }

    /** Resolves when the first process catches SIGTERM, or is over: before that the kernel drops it, in every container. */
    async listens(): Promise<void> {
        await soon(
            "the first process catches SIGTERM",
            () => !this.alive || catches(this.pid, constants.signals.SIGTERM) || undefined,
        );
    }

    says(pattern: RegExp): Promise<void> {
        return this.running.says(pattern);
    }

    /** To the first process, as a runtime sends it. With KILL the kernel ends all others. */
    kill(signal: keyof typeof SIGNALS): void {
        this.killed ||= this.alive && signal === "KILL";
        // 0 would be this process' own group.
        if (this.alive && this.pid > 0) {
            send(this.pid, SIGNALS[signal]);
        }
    }

    /** As `kubectl exec`, hooks and probes: another process in the container, with the container's environment. */
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
        return new Running(spawn("/usr/bin/nsenter", words, { env, stdio: ["ignore", "pipe", "pipe"] }));
    }
}

function send(pid: number, signal: NodeJS.Signals): void {
    try {
        process.kill(pid, signal);
    } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ESRCH") {
            throw error;
        }
    }
}

/** `unshare` has one child, which becomes the command when all is set up. */
function firstProcess(parent: number, command: readonly string[]): number | undefined {
    const [pid] = childrenOf(parent);
    const words = pid === undefined ? [] : wordsOf(pid);
    return command.every((word, index) => words[index] === word) ? pid : undefined;
}

/** Lines of shell that make the container's files and become its command. All mounts are private: they go with the container. */
function setUp({ command, env, layers, mounts, readOnlyRoot, user }: ContainerPlan, folder: string): string {
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

function mountLines({ from, readOnly, to }: ContainerMount): string[] {
    const place = quote(`.${to}`);
    const make = statSync(from).isDirectory()
        ? `mkdir -p ${place}`
        : `mkdir -p "$(dirname ${place})"; [ -e ${place} ] || : >${place}`;
    return [make, `mount --bind ${quote(from)} ${place}`, ...(readOnly ? [`mount -o remount,bind,ro ${place}`] : [])];
}

/** With a plus sign nobody looks the numbers up in the image. */
function changeRoot({ gid, groups, uid }: User): string {
    const identity =
        uid === 0 && gid === 0 && groups.length === 0
            ? []
            : [`--userspec=+${uid}:+${gid}`, `--groups=${groups.map((group) => `+${group}`).join(",")}`];
    return ["/usr/sbin/chroot", ...identity].join(" ");
}

const quote = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { KubernetesObject } from "../../../../provider/contract/object";
import type { Ended, Running } from "../flux";
import { Container, type ContainerMount } from "./container";
import { environmentOf, expand, homeIn, userOf } from "./environment";
import type { Holder } from "./holder";
import { addressOf, type PodNetwork } from "./network";
import { makeVolumes, mountsOf, type Texts } from "./volumes";

/** The parts of a pod. */
export interface PodPlan {
    readonly name: string;
    readonly rank: number;
    /** How many earlier pods of the rank there were. */
    readonly removals: number;
    /** The Job's pod template. */
    readonly podSpec: KubernetesObject;
    readonly texts: Texts;
    readonly layers: readonly string[];
    /** User of the image. */
    readonly user?: { readonly uid: number; readonly gid: number };
    /** Environment of the image. */
    readonly image: Readonly<Record<string, string>>;
    readonly network: PodNetwork;
    /** The pod's own folder on this machine. */
    readonly folder: string;
    /** Sizes of small disks, by mount path. */
    readonly disks?: Readonly<Record<string, string>>;
}

/** The end of a pod. */
export interface PodEnd extends Ended {
    /** Seconds from the deletion of the pod, or from its start without a deletion. */
    readonly seconds: number;
    /** The pod used its whole grace period and got SIGKILL. */
    readonly killed: boolean;
    /** The termination message. */
    readonly message: string;
}

/** The end of an init container that keeps its pod from starting. */
export class InitFailure extends Error {
    constructor(
        readonly container: string,
        readonly end: Ended,
        /** The termination message. */
        readonly said: string,
    ) {
        super(`the init container ${container} ended with ${end.code}: ${end.stderr}`);
    }
}

const messageIn = (folder: string): string => readFileSync(join(folder, "termination-log"), "utf8");

/** A pod with the life cycle of kubelet, without restarts. */
export class Pod {
    readonly steps: string[] = [];
    private readonly began = Date.now();
    private asked: number | undefined;
    private finished = 0;
    private killed = false;
    private deleting: Promise<PodEnd> | undefined;

    private constructor(
        readonly plan: PodPlan,
        private readonly sandbox: Holder,
        private readonly manifest: KubernetesObject,
        readonly container: Container,
    ) {
        void container.ended.then(({ code }) => {
            this.finished = Date.now();
            this.note(`ended with ${code}`);
        });
    }

    static async start(plan: PodPlan): Promise<Pod> {
        mkdirSync(plan.folder, { recursive: true });
        const { containers, initContainers = [] } = plan.podSpec;
        const sandbox = await plan.network.join(plan.name, plan.rank);
        try {
            const volumes = makeVolumes(plan.podSpec, plan.texts, join(plan.folder, "volumes"));
            for (const manifest of initContainers) {
                const init = await startContainer(plan, manifest, { sandbox, volumes });
                const end = await init.ended;
                if (end.code !== 0) {
                    throw new InitFailure(manifest.name, end, messageIn(plan.folder));
                }
            }
            const manifest = containers[0];
            return new Pod(plan, sandbox, manifest, await startContainer(plan, manifest, { sandbox, volumes }));
        } catch (error) {
            await sandbox.remove();
            throw error;
        }
    }

    /** Waits until the startup probe has succeeded. */
    async ready(): Promise<void> {
        const { exec, initialDelaySeconds = 0, periodSeconds = 10 } = this.manifest.startupProbe;
        await this.sleep(initialDelaySeconds);
        while (this.container.alive) {
            const { code } = await this.container.exec(exec.command).ended;
            if (code === 0) {
                this.note("ready");
                return;
            }
            await this.sleep(periodSeconds);
        }
        throw new Error(
            `${this.plan.name} ended before it was ready: ${this.steps.join(", ")}\n${this.container.output}`,
        );
    }

    /**
     * Deletes the pod as `kubectl delete pod` does: preStop hook, SIGTERM, and SIGKILL after the grace period. That is the
     * pod's own, or the given seconds, as of `kubectl drain --grace-period`.
     */
    delete(grace: number = this.plan.podSpec.terminationGracePeriodSeconds ?? 30): Promise<PodEnd> {
        this.deleting ??= this.leave(grace);
        return this.deleting;
    }

    private async leave(grace: number): Promise<PodEnd> {
        this.asked = Date.now();
        this.note("is to end");
        const hook = this.manifest.lifecycle?.preStop;
        if (hook !== undefined && this.container.alive) {
            const { code } = (await Promise.race([
                this.container.exec(hook.exec.command).ended,
                this.sleep(grace),
            ])) ?? { code: "too late" };
            this.note(`preStop: ${code}`);
        }
        this.container.kill("TERM");
        this.note("SIGTERM");
        // Kubelet waits at least two seconds.
        await this.sleep(Math.max(grace - (Date.now() - this.asked) / 1000, 2));
        if (this.container.alive) {
            this.killed = true;
            this.note("SIGKILL");
            this.container.kill("KILL");
        }
        return this.ended();
    }

    /** Waits for the end of the pod. */
    async ended(): Promise<PodEnd> {
        const from = this.asked ?? this.began;
        const end = await this.container.ended;
        return { ...end, killed: this.killed, message: this.message, seconds: (this.finished - from) / 1000 };
    }

    get message(): string {
        return messageIn(this.plan.folder);
    }

    exec(...command: string[]): Running {
        return this.container.exec(command);
    }

    /** Removes the pod, except its folder. */
    async remove(): Promise<void> {
        this.container.kill("KILL");
        await this.container.ended;
        await this.sandbox.remove();
    }

    private note(what: string): void {
        this.steps.push(`${((Date.now() - this.began) / 1000).toFixed(2)} s ${what}`);
    }

    /** Waits as kubelet does, until the container ends at most. */
    private async sleep(seconds: number): Promise<undefined> {
        let timer: NodeJS.Timeout | undefined;
        const pause = new Promise<void>((resolve) => (timer = setTimeout(resolve, seconds * 1000)));
        await Promise.race([pause, this.container.ended]);
        clearTimeout(timer);
    }
}

interface Shared {
    readonly sandbox: Holder;
    readonly volumes: ReadonlyMap<string, string>;
}

function startContainer(plan: PodPlan, manifest: KubernetesObject, { sandbox, volumes }: Shared): Promise<Container> {
    const { layers, name: hostname, podSpec, rank, removals, texts } = plan;
    const user = userOf(podSpec, manifest, plan.user);
    const env = environmentOf(manifest, {
        home: homeIn(layers, user.uid),
        hostname,
        image: plan.image,
        rank,
        removals,
        secrets: texts,
    });
    const files = writeOwnFiles(plan);
    return Container.start(
        {
            command: [...manifest.command, ...(manifest.args ?? [])].map((word: string) => expand(word, env)),
            dir: manifest.workingDir,
            env,
            user,
            layers,
            mounts: outermostFirst([
                ...files,
                ...mountsOf(manifest, volumes).map((mount) => ({ ...mount, size: plan.disks?.[mount.to] })),
            ]),
            readOnlyRoot: manifest.securityContext?.readOnlyRootFilesystem === true,
        },
        sandbox,
        join(plan.folder, manifest.name),
    );
}

/** Mounts in the order of containerd, in which no mount hides one below it. */
function outermostFirst(mounts: readonly ContainerMount[]): ContainerMount[] {
    const depth = ({ to }: ContainerMount) => to.split("/").filter(Boolean).length;
    return [...mounts].sort((a, b) => depth(a) - depth(b));
}

/** Files that kubelet makes for each pod. */
function writeOwnFiles({ folder, name, podSpec, rank }: PodPlan) {
    const aliases = (podSpec.hostAliases ?? []) as { ip: string; hostnames: string[] }[];
    const hosts = [
        "127.0.0.1\tlocalhost",
        `${addressOf(rank)}\t${name}`,
        ...aliases.map(({ hostnames, ip }) => [ip, ...hostnames].join("\t")),
    ];
    const files = { hosts: `${hosts.join("\n")}\n`, hostname: `${name}\n`, "resolv.conf": "", "termination-log": "" };
    for (const [file, text] of Object.entries(files)) {
        writeFileSync(join(folder, file), text);
        chmodSync(join(folder, file), file === "termination-log" ? 0o666 : 0o644);
    }
    const mount = (file: string, to: string) => ({ from: join(folder, file), to, readOnly: false });
    return [
        ...["hosts", "hostname", "resolv.conf"].map((file) => mount(file, `/etc/${file}`)),
        mount("termination-log", "/dev/termination-log"),
    ];
}

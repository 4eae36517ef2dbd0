import { INDEX_LABEL, JOB_NAME_LABEL } from "../../../provider/contract/labels";
import { FLUX_CONTAINER } from "../../../provider/contract/names";
import { processes } from "./clock";
import { byController, type Change, type Cluster, type Item } from "./cluster";
import { Host } from "./host";

/** The end of a running command. */
export interface Ended {
    readonly job: Item;
    readonly how: string;
    /** Start of the command, in milliseconds since 1970. */
    readonly since: number;
    /** The process that caused it. */
    readonly by: Host | undefined;
    /** The verb of that process, with its start in milliseconds since 1970. */
    readonly verb: string;
    readonly verbBegun: number;
}

interface Run {
    readonly uid: string;
    /** Number of the pods' start. Actions that were planned in an earlier round are dropped. */
    round: number;
    state: "ended" | "held" | "running" | "starting";
    since: number;
    deleting: boolean;
}

/** The world's decisions about Jobs. */
export interface JobWorld {
    /** Duration of a command in seconds. */
    commandSeconds: number;
    /** Whether commands that end succeed. */
    succeeds: boolean;
    /** Seconds until deleted objects are removed. */
    removal: number;
    readonly onEnded: (ended: Ended) => void;
}

const SCHEDULING = 1000;
const START = 2000;
const STATUS = 500;

/** The visible effects of the Job controller, the kubelets, the TTL controller and the garbage collector. */
export class JobController {
    private readonly runs = new Map<string, Run>();
    /** UIDs of the Jobs that have a command. */
    private readonly commands = new Set<string>();

    constructor(
        private readonly cluster: Cluster,
        private readonly world: JobWorld,
        /** Results of the ended commands, by the Job's UID. */
        readonly outcomes = new Map<string, "failed" | "succeeded">(),
    ) {
        cluster.listen((change) => this.react(change));
    }

    isRunning(uid: string): boolean {
        return this.runs.get(uid)?.state === "running";
    }

    /** True if a command runs in the Job of this UID. */
    runsCommand(uid: string): boolean {
        return this.isRunning(uid) && this.commands.has(uid);
    }

    /** Ends a Job's command now. Returns false if none runs. */
    endCommand(job: Item, exitCode: number, how = "it ended"): boolean {
        const run = this.runs.get(job.metadata.uid);
        if (run?.state !== "running" || !hasCommand(job)) {
            return false;
        }
        this.stopped(job, run, how);
        this.finish(job, run, exitCode === 0 ? undefined : "PodFailurePolicy", exitCode);
        return true;
    }

    /** The pod of rank 0 of a persistent cluster, if its broker has started. */
    startedLead(job: Item | undefined): Item | undefined {
        const pods = job === undefined || hasCommand(job) ? [] : this.pods(job);
        return pods.find(
            ({ metadata, status }) =>
                metadata.labels?.[INDEX_LABEL] === "0" && status.containerStatuses[0].started === true,
        );
    }

    /** Evicts the pod of a rank. A command fails with it; a persistent cluster gets a new pod. */
    evict(job: Item, rank: number): boolean {
        const run = this.runs.get(job.metadata.uid);
        const pod = this.pods(job).find(({ metadata }) => metadata.labels?.[INDEX_LABEL] === String(rank));
        if (run === undefined || pod === undefined || run.state === "ended") {
            return false;
        }
        this.cluster.remove("pods", pod);
        if (hasCommand(job) && run.state === "running") {
            this.stopped(job, run, "a pod was evicted");
            this.finish(job, run, "BackoffLimitExceeded", 143);
            return true;
        }
        this.startPod(job, run, rank);
        this.showReady(job, run);
        return true;
    }

    private react({ before, item, kind, type }: Change): void {
        if (kind === "services" && type === "DELETED") {
            this.collect(item);
        }
        if (kind !== "jobs") {
            return;
        }
        if (type === "DELETED") {
            this.runs.delete(item.metadata.uid);
            this.pods(item).forEach((pod) => this.cluster.remove("pods", pod));
        } else if (before === undefined || isChanged(before, item)) {
            this.reconcile(item, before);
        }
    }

    private reconcile(job: Item, before: Item | undefined): void {
        const { uid } = job.metadata;
        const run = this.runs.get(uid) ?? { uid, round: 0, state: "held" as const, since: 0, deleting: false };
        this.runs.set(uid, run);
        if (job.metadata.deletionTimestamp !== undefined) {
            this.takeDown(job, run);
        } else if (run.state === "ended") {
            this.expire(job);
        } else if (job.spec.suspend) {
            this.hold(job, run);
        } else if (run.state === "held") {
            this.start(job, run);
        } else {
            this.resize(job, before, run);
            this.limit(job, run);
        }
    }

    private start(job: Item, run: Run): void {
        run.state = "starting";
        const round = ++run.round;
        this.later(job, run, round, SCHEDULING, (live) => {
            const startTime = new Date(this.cluster.clock.now).toISOString();
            const { parallelism } = live.spec;
            this.cluster.setStatus("jobs", live, { startTime, active: parallelism, ready: 0, conditions: [] });
            for (let rank = 0; rank < parallelism; rank++) {
                this.startPod(live, run, rank);
            }
            this.limit(live, run);
            this.later(live, run, round, START + STATUS, (up) => this.up(up, run));
        });
    }

    /** Marks all pods as ready, and starts the command. */
    private up(job: Item, run: Run): void {
        run.state = "running";
        run.since = this.cluster.clock.now;
        this.cluster.setStatus("jobs", job, { active: job.spec.parallelism, ready: job.spec.parallelism });
        if (hasCommand(job)) {
            this.commands.add(job.metadata.uid);
            this.later(job, run, run.round, this.world.commandSeconds * 1000, (live) =>
                this.endCommand(live, this.world.succeeds ? 0 : 3),
            );
        }
    }

    private startPod(job: Item, run: Run, rank: number): void {
        const { name, namespace, uid } = job.metadata;
        const labels = {
            ...job.spec.template.metadata?.labels,
            [JOB_NAME_LABEL]: name,
            [INDEX_LABEL]: String(rank),
            "batch.kubernetes.io/controller-uid": uid,
        };
        const metadata = {
            name: `${name}-${rank}-${run.round}${job.metadata.generation}${this.cluster.revision}`,
            namespace,
            labels,
            ownerReferences: [{ uid, kind: "Job", name }],
        };
        const pod = this.cluster.create("pods", {
            metadata,
            spec: { nodeName: `node-${rank}` },
            status: podStatus(this.cluster.clock.now),
        });
        this.later(job, run, run.round, START, () =>
            this.cluster.setStatus("pods", pod, podStatus(this.cluster.clock.now, { ready: true })),
        );
    }

    private resize(job: Item, before: Item | undefined, run: Run): void {
        const [old, wanted] = [before?.spec.parallelism ?? 0, job.spec.parallelism];
        for (let rank = old; rank < wanted && job.status?.startTime !== undefined; rank++) {
            this.startPod(job, run, rank);
        }
        if (wanted < old) {
            this.pods(job)
                .filter(({ metadata }) => Number(metadata.labels?.[INDEX_LABEL]) >= wanted)
                .forEach((pod) => this.cluster.remove("pods", pod));
            if (this.isRunning(run.uid) && hasCommand(job)) {
                this.stopped(job, run, `the Job shrank from ${old} to ${wanted}`);
                this.finish(job, run, "BackoffLimitExceeded", 143);
                return;
            }
        }
        this.showReady(job, run);
    }

    private showReady(job: Item, run: Run): void {
        this.later(job, run, run.round, START + STATUS, (live) => {
            if (run.state === "running") {
                this.cluster.setStatus("jobs", live, { active: live.spec.parallelism, ready: live.spec.parallelism });
            }
        });
    }

    /** Applies activeDeadlineSeconds. */
    private limit(job: Item, run: Run): void {
        const { spec, status } = this.live(job) ?? job;
        if (spec.activeDeadlineSeconds === undefined || status?.startTime === undefined) {
            return;
        }
        const end = new Date(status.startTime).getTime() + spec.activeDeadlineSeconds * 1000;
        const stop = (live: Item) => {
            if (live.spec.activeDeadlineSeconds === spec.activeDeadlineSeconds && run.state !== "ended") {
                this.stopped(live, run, "its deadline has passed");
                this.finish(live, run, "DeadlineExceeded", 143);
            }
        };
        if (end <= this.cluster.clock.now) {
            stop(job);
        } else {
            this.later(job, run, run.round, end - this.cluster.clock.now, stop);
        }
    }

    private hold(job: Item, run: Run): void {
        if (run.state !== "held") {
            this.stopped(job, run, "the Job was suspended");
        }
        run.state = "held";
        run.round++;
        this.pods(job).forEach((pod) => this.cluster.remove("pods", pod));
        this.later(job, run, run.round, STATUS, (live) => {
            const conditions = [{ type: "Suspended", status: "True" }];
            this.cluster.setStatus("jobs", live, { conditions, active: 0, ready: 0, startTime: undefined });
        });
    }

    private finish(job: Item, run: Run, reason: string | undefined, exitCode: number): void {
        run.state = "ended";
        run.round++;
        this.outcomes.set(run.uid, reason === undefined ? "succeeded" : "failed");
        for (const pod of this.pods(job)) {
            if (pod.metadata.labels?.[INDEX_LABEL] === "0") {
                this.cluster.setStatus("pods", pod, podStatus(this.cluster.clock.now, { exitCode }));
            } else {
                this.cluster.remove("pods", pod);
            }
        }
        this.later(job, run, run.round, STATUS, (live) => {
            const type = reason === undefined ? "Complete" : "Failed";
            const conditions = [{ type, status: "True", reason: reason ?? "SuccessPolicy", message: "of the model" }];
            this.cluster.setStatus("jobs", live, { conditions, active: 0, ready: 0 });
            this.expire(live);
        });
    }

    /** Applies ttlSecondsAfterFinished. */
    private expire(job: Item): void {
        const seconds = job.spec.ttlSecondsAfterFinished;
        if (seconds !== undefined) {
            byController(this.cluster.clock, seconds * 1000, () => {
                if (this.live(job)?.spec.ttlSecondsAfterFinished === seconds) {
                    this.cluster.remove("jobs", job);
                }
            });
        }
    }

    /** Deletes a Job in the foreground: its pods first. */
    private takeDown(job: Item, run: Run): void {
        if (run.deleting) {
            return;
        }
        run.deleting = true;
        this.stopped(job, run, "the Job was deleted");
        run.state = "ended";
        run.round++;
        byController(this.cluster.clock, this.world.removal * 1000, () => this.cluster.remove("jobs", job));
    }

    /** Garbage collection: removes the objects of a removed owner after `removal` seconds. */
    private collect(owner: Item): void {
        const { namespace, uid } = owner.metadata;
        const cause = causeNow();
        const isOwned = ({ metadata }: Item) => metadata.ownerReferences?.some((of) => of.uid === uid) ?? false;
        for (const kind of ["configmaps", "jobs", "secrets"] as const) {
            for (const {
                metadata: { name },
            } of this.cluster.list(kind, namespace, isOwned)) {
                byController(this.cluster.clock, this.world.removal * 1000, () => {
                    const live = this.cluster.get(kind, namespace, name);
                    // The name may now belong to another object, or the object may have another owner.
                    if (live !== undefined && isOwned(live)) {
                        const run = this.runs.get(live.metadata.uid);
                        if (kind === "jobs" && run !== undefined) {
                            this.stopped(live, run, "its Service was deleted", cause);
                        }
                        this.cluster.remove(kind, live);
                    }
                });
            }
        }
    }

    private stopped(job: Item, run: Run, how: string, cause = causeNow()): void {
        if (run.state === "running" && hasCommand(job)) {
            this.world.onEnded({ job, how, since: run.since, ...cause });
        }
    }

    private pods(job: Item): Item[] {
        return this.cluster.list(
            "pods",
            job.metadata.namespace,
            ({ metadata }) => metadata.ownerReferences?.[0].uid === job.metadata.uid,
        );
    }

    private live(job: Item): Item | undefined {
        const live = this.cluster.get("jobs", job.metadata.namespace, job.metadata.name);
        return live?.metadata.uid === job.metadata.uid ? live : undefined;
    }

    private later(job: Item, run: Run, round: number, milliseconds: number, act: (live: Item) => void): void {
        byController(this.cluster.clock, milliseconds, () => {
            const live = this.live(job);
            if (live !== undefined && run.round === round && live.metadata.deletionTimestamp === undefined) {
                act(live);
            }
        });
    }
}

/** The process and its verb that act now. */
function causeNow(): Pick<Ended, "by" | "verb" | "verbBegun"> {
    const by = processes.getStore();
    return by instanceof Host
        ? { by, verb: by.verb, verbBegun: by.verbBegun }
        : { by: undefined, verb: "", verbBegun: 0 };
}

export function hasCommand(job: Item): boolean {
    const flux = job.spec.template.spec.containers.find(({ name }: { name: string }) => name === FLUX_CONTAINER);
    return (flux?.args ?? []).length > 0;
}

/** Whether a field that this controller watches has changed. */
function isChanged(before: Item, { metadata, spec }: Item): boolean {
    return (
        before.metadata.deletionTimestamp !== metadata.deletionTimestamp ||
        (before.spec !== spec && JSON.stringify(before.spec) !== JSON.stringify(spec))
    );
}

function podStatus(now: number, { exitCode, ready = false }: { exitCode?: number; ready?: boolean } = {}): object {
    const at = new Date(now).toISOString();
    const condition = (type: string, holds: boolean) => ({
        type,
        status: holds ? "True" : "False",
        lastTransitionTime: at,
    });
    const terminated = {
        exitCode,
        reason: exitCode === 0 ? "Completed" : "Error",
        startedAt: at,
        finishedAt: at,
        message: "minicluster.quorum=1.0",
    };
    const phase = exitCode === undefined ? "Running" : exitCode === 0 ? "Succeeded" : "Failed";
    return {
        phase,
        conditions: [condition("PodScheduled", true), condition("Ready", ready)],
        containerStatuses: [
            {
                name: FLUX_CONTAINER,
                restartCount: 0,
                started: ready,
                state: exitCode === undefined ? { running: { startedAt: at } } : { terminated },
            },
        ],
    };
}

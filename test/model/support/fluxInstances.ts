import { type Clock, processes } from "./clock";
import type { Host } from "./host";

interface FluxJob {
    readonly id: string;
    readonly key: string;
    readonly hash: string;
    readonly startAt: number;
    endAt: number;
    exitCode: number;
}

/** Exit code of job.sh for an unknown job. */
const UNKNOWN_JOB = 64;
/** Exit code of job.sh for a job that runs and may not be cancelled. */
const RUNNING = 66;

/** Seconds of a job that a user submits by hand: longer than most updates. */
const USERS_SECONDS = 900;

/** The end of a running job by a call. */
export interface FluxJobEnded {
    readonly id: string;
    readonly key: string;
    readonly how: string;
    /** Start of the job, in milliseconds since 1970. */
    readonly since: number;
    readonly by: Host | undefined;
}

/** The world's decisions about Flux jobs. */
export interface FluxWorld {
    readonly clock: Clock;
    jobSeconds: number;
    jobSucceeds: boolean;
    readonly onEnded: (ended: FluxJobEnded) => void;
}

/** The queues of all lead brokers, by the UID of their pod. A queue ends with its pod. */
export class FluxInstances {
    private readonly queues = new Map<string, Map<string, FluxJob>>();
    /** UID of the pod to whose broker a job was submitted, by the job's id. */
    readonly homes = new Map<string, string>();
    private count = 0;

    constructor(private readonly world: FluxWorld) {}

    /** The job of this id, while it runs. */
    running(id: string): Pick<FluxJob, "id" | "key" | "startAt"> | undefined {
        const job = this.queues.get(this.homes.get(id) ?? "")?.get(id);
        return job !== undefined && this.runs(job) ? job : undefined;
    }

    /** The jobs that run on the broker of this pod. */
    runningAt(pod: string): Pick<FluxJob, "id" | "key" | "startAt">[] {
        return [...(this.queues.get(pod)?.values() ?? [])].filter((job) => this.runs(job));
    }

    knows(pod: string, id: string, key: string): boolean {
        return this.queues.get(pod)?.get(id)?.key === key;
    }

    /** Runs a call of job.sh, which ends early with its pod. */
    async run(pod: string, input: string, isThere: () => boolean): Promise<{ exitCode: number; stdout: string }> {
        return this.answer(pod, callOf(input), isThere);
    }

    /** Answers a call of job.sh or of the agent. */
    async answer(
        pod: string,
        [name, ...rest]: readonly string[],
        isThere: () => boolean,
    ): Promise<{ exitCode: number; stdout: string }> {
        const queue = this.queues.get(pod) ?? new Map<string, FluxJob>();
        this.queues.set(pod, queue);
        if (name === "submit") {
            return this.submit(pod, queue, rest);
        }
        if (name === "list") {
            return { exitCode: 0, stdout: this.list(queue) };
        }
        if (name === "sweep") {
            return this.sweep(queue, rest);
        }
        const job = queue.get(rest[0]);
        if (job?.key !== rest[1]) {
            return { exitCode: UNKNOWN_JOB, stdout: "" };
        }
        if (name === "watch_output") {
            await this.waitForEnd(job, isThere);
            return { exitCode: 0, stdout: this.events(job) };
        }
        return this.answerOf(queue, job, [name, ...rest]);
    }

    private sweep(
        queue: Map<string, FluxJob>,
        [key, , guard]: readonly string[],
    ): { exitCode: number; stdout: string } {
        const job = [...queue.values()].find((one) => one.key === key);
        if (job !== undefined && guard !== "allow" && this.runs(job)) {
            return { exitCode: RUNNING, stdout: "" };
        }
        if (job !== undefined) {
            this.end(job, "its ticket was deleted");
            queue.delete(job.id);
            (processes.getStore() as Host | undefined)?.operation.deletes.add(job.id);
        }
        return { exitCode: 0, stdout: "" };
    }

    private async answerOf(
        queue: Map<string, FluxJob>,
        job: FluxJob,
        [name, , , ...rest]: readonly string[],
    ): Promise<{ exitCode: number; stdout: string }> {
        switch (name) {
            case "watch":
                await this.wait(job, rest[0], Number(rest[1]));
                return { exitCode: 0, stdout: this.events(job) };
            case "output":
                return { exitCode: 0, stdout: "output of the job\n" };
            case "remove":
                if (rest[1] !== "allow" && this.runs(job)) {
                    return { exitCode: RUNNING, stdout: this.events(job) };
                }
                this.end(job, "it was cancelled");
                queue.delete(job.id);
                (processes.getStore() as Host | undefined)?.operation.deletes.add(job.id);
                return { exitCode: 0, stdout: "" };
            default:
                throw new Error(`the model doesn't know the call ${name} of job.sh`);
        }
    }

    private submit(
        pod: string,
        queue: Map<string, FluxJob>,
        [, key, hashes, guard]: readonly string[],
    ): { exitCode: number; stdout: string } {
        const known = [...queue.values()].find((job) => job.key === key);
        if (known !== undefined && hashes.split(" ").includes(known.hash)) {
            return { exitCode: 0, stdout: `${known.id}\n` };
        }
        if (known !== undefined && guard !== "allow" && this.runs(known)) {
            return { exitCode: RUNNING, stdout: `${known.id}\n` };
        }
        if (known !== undefined) {
            this.end(known, "another job of its ticket was submitted");
            queue.delete(known.id);
        }
        const { jobSeconds, jobSucceeds } = this.world;
        const [hash] = hashes.split(" ");
        const id = this.add(pod, queue, { key, hash, seconds: jobSeconds, exitCode: jobSucceeds ? 0 : 1 });
        return { exitCode: 0, stdout: `${id}\n` };
    }

    /** A user's job on the broker of this pod, which no FluxJob knows. */
    submitByHand(pod: string): void {
        const queue = this.queues.get(pod) ?? new Map<string, FluxJob>();
        this.queues.set(pod, queue);
        this.add(pod, queue, { key: "", hash: "", seconds: USERS_SECONDS, exitCode: 0 });
    }

    private add(
        pod: string,
        queue: Map<string, FluxJob>,
        { seconds, ...job }: Pick<FluxJob, "exitCode" | "hash" | "key"> & { readonly seconds: number },
    ): string {
        const id = `f${++this.count}`;
        const startAt = this.world.clock.now + 1000;
        queue.set(id, { ...job, id, startAt, endAt: startAt + seconds * 1000 });
        this.homes.set(id, pod);
        return id;
    }

    private list(queue: Map<string, FluxJob>): string {
        const { now } = this.world.clock;
        const line = ({ endAt, id, startAt }: FluxJob) => {
            const state = now >= startAt ? "run" : "pending";
            return now < endAt ? `${state}\t${id}\t0\t${(now - startAt) / 1000}\tsolve\n` : "";
        };
        return [...queue.values()].map(line).join("");
    }

    /** Cancels a job. */
    private end(job: FluxJob, how: string): void {
        if (this.runs(job)) {
            const { id, key, startAt: since } = job;
            this.world.onEnded({ id, key, how, since, by: processes.getStore() as Host | undefined });
        }
        job.endAt = Math.min(job.endAt, this.world.clock.now);
    }

    private runs({ endAt, startAt }: FluxJob): boolean {
        const { now } = this.world.clock;
        return now >= startAt && now < endAt;
    }

    private async wait(job: FluxJob, event: string, seconds: number): Promise<void> {
        const { clock } = this.world;
        const at =
            event === ""
                ? clock.now
                : Math.min(event === "start" ? job.startAt : job.endAt, clock.now + seconds * 1000);
        if (at > clock.now) {
            await clock.sleep(at - clock.now);
        }
    }

    /** In steps, because the job may be cancelled and the pod may end. A call lasts two minutes at most. */
    private async waitForEnd(job: FluxJob, isThere: () => boolean): Promise<void> {
        const { clock } = this.world;
        const deadline = clock.now + 120_000;
        while (clock.now < Math.min(job.endAt, deadline) && isThere()) {
            await clock.sleep(Math.min(job.endAt - clock.now, 10_000));
        }
    }

    private events(job: FluxJob): string {
        const { now } = this.world.clock;
        const lines: object[] = [{ name: "submit" }];
        if (now >= job.startAt) {
            lines.push({ name: "start", timestamp: job.startAt / 1000 });
        }
        if (now >= job.endAt) {
            lines.push({ name: "finish", context: { status: job.exitCode << 8 } }, { name: "clean" });
        }
        return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
    }
}

/** The words of the call at the end of the script. */
function callOf(input: string): string[] {
    const call = /\n('(?:list)' [\s\S]*) 8<&0 <\/dev\/null; exit\n$/.exec(input)?.[1] ?? "";
    return (call.match(/(?:'[^']*'|\\')+/g) ?? []).map((word) =>
        word.replaceAll("'\\''", "\u0001").replaceAll("'", "").replaceAll("\u0001", "'"),
    );
}

import type { V1Job, V1Pod } from "@kubernetes/client-node";

import { JOB_NAME_LABEL } from "../contract/labels";
import type { Kube } from "../kubernetes/client";
import { sentence } from "../kubernetes/failures/failure";
import type { JobId } from "../kubernetes/jobId";
import { followAddress } from "../kubernetes/kubeconfig/newAddress";
import { watchList } from "../kubernetes/watch";
import { isClusterOf } from "../observe/job";
import { Observation } from "../observe/pods/observation";
import { isAbout, isPodOf } from "../observe/pods/observed";
import { summarize } from "../observe/pods/pod";
import type { ProgramProgress } from "../observe/live/progress";
import { earliest } from "../observe/pods/trouble";
import { watchWarnings } from "../observe/pods/warningWatch";
import { watchQueue } from "../judge/queue/watch";
import { Admission } from "./admission";
import { knownJob } from "./here";
import type { CommandOutput, Wait } from "./commandOutput";
import type { Kept } from "../results/keep";
import { ProgressReport } from "./progressReport";
import { Throttle } from "./throttle";
import type { JobStatusInputs } from "./properties";
import { type Progress, progress } from "./readiness";
import { Sharing } from "./sharing";
import { Standoff } from "./standoff";

/** How a wait ended. */
export interface Waited {
    readonly seen: Observation;
    readonly last: Progress;
    /** The user or the engine has interrupted the wait. */
    readonly interrupted: boolean;
    /** How far the command has said it is. */
    readonly progress?: ProgramProgress;
    readonly kept?: Kept;
}

/** Prints a line; a warning stays among the diagnostics of the update. */
export type Report = (line: string, isWarning?: boolean) => void;

/** The means of a wait. */
export interface Means {
    readonly report: Report;
    readonly cancel: AbortSignal;
    /** Follows the output of the command. */
    readonly output?: (wait: Wait) => CommandOutput;
}

/** Watches a Job until its goal is reached or can't be reached any more. Reports each change. */
export function waitForJob(kube: Kube, id: JobId, inputs: JobStatusInputs, means: Means): Promise<Waited> {
    return new JobWait(kube, id, inputs, means).run();
}

class JobWait {
    private readonly seen: Observation;
    private readonly admission = new Admission();
    private readonly sharing: Sharing;
    private readonly standoff: Standoff;
    private readonly printed: ProgressReport;
    private readonly output: CommandOutput | undefined;
    private readonly throttle = new Throttle(() => this.examine());
    private readonly stop = new AbortController();
    private readonly end: AbortSignal;
    private last: Progress;
    /** The wait for the queue's reasons, once the Job is in a queue. */
    private queue: Promise<void> | undefined;

    constructor(
        private readonly kube: Kube,
        private readonly id: JobId,
        private readonly inputs: JobStatusInputs,
        private readonly means: Means,
    ) {
        const { cancel, output, report } = means;
        this.seen = new Observation(id.uid, this.now());
        this.end = AbortSignal.any([this.stop.signal, cancel]);
        this.sharing = new Sharing(inputs.countsNode);
        const warn = (text: string) => report(text, true);
        this.standoff = new Standoff(kube, id, warn, this.end);
        this.printed = new ProgressReport(report, inputs.size);
        this.last = progress(this.seen, inputs, this.now());
        this.output = output?.({ seen: this.seen, cancel, changed: this.look, say: this.interject, warn });
    }

    async run(): Promise<Waited> {
        const { cancel } = this.means;
        try {
            await Promise.all([...this.watches(), this.output?.follow(this.stop.signal, cancel)]);
            await this.queue;
        } finally {
            this.throttle.end();
            this.stop.abort();
        }
        const { last, output, seen } = this;
        const interrupted = cancel.aborted && last.outcome === undefined;
        return { seen, last, interrupted, progress: output?.progress, kept: output?.kept };
    }

    private readonly look = () => this.throttle.soon();

    /** Prints a line between the progress lines. */
    private readonly interject = (line: string) => this.printed.interject(line);

    /** Judges what was seen. Returns when to do so again without a change, in milliseconds since 1970. */
    private examine(): number | undefined {
        const { end, inputs, seen, standoff, stop } = this;
        if (end.aborted) {
            return undefined;
        }
        this.last = withoutResults(progress(seen, inputs, this.now(), this.last.timers), this.output);
        this.askQueue();
        this.output?.look();
        const again = this.tell();
        const { outcome, wakeAt } = this.last;
        if (outcome !== undefined) {
            stop.abort();
            return undefined;
        }
        const apart = inputs.waitFor === "none" ? undefined : standoff.look(seen, this.now());
        const next = earliest(wakeAt === undefined ? undefined : wakeAt + 10, apart);
        return earliest(next === undefined ? undefined : next - this.now() + Date.now(), again);
    }

    /** Prints what is new. Returns when to print the progress line again. */
    private tell(): number | undefined {
        const { admission, last, output, printed, seen, sharing } = this;
        const isListed = seen.jobListed && seen.podsListed;
        const again = isListed ? printed.say(lineOf(last, output), last.outcome !== undefined) : undefined;
        const mutation = admission.take(seen.job, last);
        if (mutation !== undefined) {
            this.means.report(`admission has changed the pods: ${mutation.text}`, mutation.isGrave);
        }
        const shared = sharing.take(seen.ranks(), last, admission.hasQuota);
        if (shared !== undefined) {
            this.interject(shared);
        }
        return again;
    }

    private askQueue(): void {
        if (this.last.phase === "queued" && this.inputs.waitFor !== "none") {
            const report = (reason: string | undefined) => {
                this.seen.queueReason = reason;
                this.look();
            };
            this.queue ??= watchQueue(this.kube, this.id, report, this.end);
        }
    }

    private watches(): Promise<void>[] {
        const { end, id, interject, kube, look, seen } = this;
        const { name, namespace, uid } = id;
        const isOurs = ({ metadata }: V1Job) => metadata?.uid === uid;
        return [
            watchList<V1Job>(
                kube,
                { kind: "jobs", namespace, fieldSelector: `metadata.name=${name}` },
                {
                    listed: (jobs) => this.setJob(jobs.find(isOurs)),
                    present: (job) => (isOurs(job) ? this.setJob(job) : undefined),
                    gone: (job) => (isOurs(job) ? this.setJob(undefined) : undefined),
                    reachable: (error) => this.answered("jobs", error),
                },
                end,
            ),
            watchList<V1Pod>(
                kube,
                { kind: "pods", namespace, labelSelector: `${JOB_NAME_LABEL}=${name}` },
                {
                    listed: (pods) => {
                        seen.removePods();
                        seen.podsListed = true;
                        this.setPods(pods);
                    },
                    present: (pod) => this.setPods([pod]),
                    gone: (pod) => {
                        seen.removePod(pod.metadata?.uid ?? "");
                        look();
                    },
                    reachable: (error) => this.answered("pods", error),
                },
                end,
            ),
            watchWarnings(
                kube,
                { namespace, concerns: (event) => isAbout(id, event), report: interject },
                seen,
                look,
                end,
            ),
        ];
    }

    /** By the clock of the objects' times, in milliseconds since 1970. */
    private now(): number {
        return this.kube.now().getTime();
    }

    private setJob(job: V1Job | undefined): void {
        if (!this.seen.jobListed) {
            // The first answer has told the API server's clock.
            this.seen.begun = this.now();
        }
        this.seen.job = job;
        this.seen.jobListed = true;
        this.look();
    }

    private setPods(pods: readonly V1Pod[]): void {
        const ours = pods.filter((pod) => isPodOf(this.id, pod));
        ours.forEach((pod) => this.seen.setPod(summarize(pod), this.now()));
        ours.forEach((pod) => this.admission.see(pod));
        this.look();
    }

    /** Notes whether the API server answers a watch: undefined if it does. */
    private answered(watch: "jobs" | "pods", error: unknown): void {
        const { inputs, kube, seen } = this;
        const silence = error === undefined ? undefined : sentence(error);
        seen.setAnswer(watch, silence, this.now());
        if (silence !== undefined && watch === "jobs") {
            this.interject(`the API server does not answer (${silence}); trying again`);
            void followAddress(kube, inputs, (next) => isClusterOf(next, knownJob(inputs)));
        }
        this.look();
    }
}

/** The progress line, while a command runs with what it has said. */
function lineOf({ line, outcome, phase }: Progress, output: CommandOutput | undefined): string {
    if (outcome !== undefined) {
        return line;
    }
    const words = phase === "running" ? output?.words : undefined;
    return output?.line ?? (words ? `${line}; ${words}` : line);
}

/** A command that has succeeded is not waited for any more if only the user can fetch its results. */
function withoutResults(found: Progress, output: CommandOutput | undefined): Progress {
    const { left, mark } = output?.kept ?? {};
    const isEnough = left !== undefined && mark?.exitCode === 0;
    return isEnough && found.outcome === undefined
        ? { ...found, phase: "succeeded", line: output?.line ?? found.line, outcome: "reached" }
        : found;
}

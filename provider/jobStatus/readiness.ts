import type { V1Job } from "@kubernetes/client-node";

import { ELASTIC_GATE } from "../contract/labels";
import { condition, ending } from "../kubernetes/job";
import { heldBy, isHeld } from "../kubernetes/sleep";
import { isSizedByQueue } from "../judge/queue/queuedJob";
import type { Observation } from "../observe/pods/observation";
import type { Pod } from "../observe/pods/pod";
import { AT_ONCE, NONE } from "../observe/pods/limit";
import { keptByNodes } from "../observe/pods/lostNode";
import { describeQueue } from "../observe/pods/schedulingTrouble";
import { earliest, nextDeadline, overdue, type Trouble } from "../observe/pods/trouble";
import { silenceTrouble, troubles } from "../observe/pods/troubles";
import { crashed, describeCrash } from "../observe/pods/crash";
import { decisive, type Look } from "./decisive";
import { type Timers, HELD, turn } from "./timers";
import { noQuorum, unfinished } from "./failure/timedOut";
import { hasEnded, isUp, isWitnessed, leadHadQuorum, phaseOf, type Sized } from "./phase";
import { describe } from "./progressLine";
import type { JobStatusInputs, Phase } from "./properties";

/** The result of one look during a wait. */
export interface Progress {
    readonly phase: Phase;
    /** The progress line. */
    readonly line: string;
    /** Set when the wait is over. */
    readonly outcome?: "failed" | "reached";
    /** Why it failed. */
    readonly failure?: string;
    /** The pods whose logs may tell why a cluster did not start, the likeliest first. */
    readonly suspects?: readonly Pod[];
    /** Milliseconds since 1970 at which to look again, even if nothing changes. */
    readonly wakeAt?: number;
    /** For the next look. */
    readonly timers?: Timers;
}

/** The rule of readiness: pure, from what was seen, the time and the timers of the look before. */
export function progress(seen: Observation, inputs: JobStatusInputs, now: number, before?: Timers): Progress {
    const found = judge(seen, inputs, now, before);
    const silence = silenceTrouble(seen, inputs.timeouts);
    if (silence.length === 0 || isWitnessed(found)) {
        return found;
    }
    const failure = overdue(silence, now);
    const going = { ...found, outcome: undefined, failure: undefined, suspects: undefined };
    return failure === undefined
        ? { ...going, wakeAt: earliest(found.wakeAt, nextDeadline(silence, now)) }
        : { ...found, outcome: "failed", failure };
}

function judge(seen: Observation, inputs: JobStatusInputs, now: number, before: Timers | undefined): Progress {
    const { job } = seen;
    if (!seen.jobListed || !seen.podsListed) {
        return { phase: "unknown", line: "looking for the Job" };
    }
    if (job === undefined) {
        return gone(seen, inputs);
    }
    const end = finished(job, seen);
    if (end !== undefined) {
        return atEnd(end, inputs);
    }
    if (inputs.waitFor === "none") {
        const { phase } = isHeld(job)
            ? held(job, seen, inputs)
            : { phase: phaseOf(seen.ranks(), sized(inputs, job, staying(outside(seen), now))) };
        return { phase, line: "created", outcome: "reached" };
    }
    return isHeld(job) ? { ...held(job, seen, inputs), timers: HELD } : started(job, seen, inputs, now, before);
}

function gone(seen: Observation, { ephemeral, expires, waitFor }: JobStatusInputs): Progress {
    // If its TTL had removed a Job that was there during the wait, the wait would have seen its end.
    if (!ephemeral || expires === undefined || seen.hadJob) {
        const failure =
            "The Job was deleted by another client. Run pulumi refresh, then update again; " +
            "if the Job has a TTL, change triggers.";
        return { phase: "gone", line: "the Job was deleted", outcome: "failed", failure };
    }
    const found: Progress = { phase: "expired", line: "the Job's TTL has removed it", outcome: "reached" };
    if (waitFor !== "completed") {
        return found;
    }
    const failure =
        "The Job's TTL has removed it before its result was seen. Change triggers to run it again, and raise ttlSecondsAfterFinished.";
    return { ...found, outcome: "failed", failure };
}

interface End {
    readonly failed: boolean;
    readonly reason: string;
    readonly message: string;
}

/**
 * How a Job ends. Kubernetes reports the end some seconds after it is decided, but the cause of the decision at once.
 */
function finished(job: V1Job, seen: Observation): End | undefined {
    const target = condition(job, "FailureTarget");
    if (target !== undefined) {
        return { failed: true, reason: target.reason ?? "", message: target.message ?? "" };
    }
    const lead = seen.ranks().find(({ rank }) => rank === 0);
    const end = ending(job);
    if (end !== undefined) {
        return end;
    }
    const isDecided = condition(job, "SuccessCriteriaMet") !== undefined || lead?.succeeded;
    return isDecided ? { failed: false, reason: "SuccessPolicy", message: "" } : undefined;
}

function atEnd(end: End, inputs: JobStatusInputs): Progress {
    if (end.failed) {
        const failure = `${end.reason}: ${end.message}`;
        return { phase: "failed", line: `failed: ${end.reason}`, outcome: "failed", failure };
    }
    if (inputs.ephemeral) {
        return { phase: "succeeded", line: "completed", outcome: "reached" };
    }
    const failure = "The cluster was shut down from within (flux shutdown).";
    return {
        phase: "succeeded",
        line: "shut down",
        outcome: inputs.waitFor === "none" ? "reached" : "failed",
        failure,
    };
}

function held(job: V1Job, { queueReason }: Observation, inputs: JobStatusInputs): Progress {
    if (inputs.suspend) {
        return { phase: "suspended", line: "suspended", outcome: "reached" };
    }
    const phase = heldBy(job);
    switch (phase) {
        case "asleep":
            return { phase, line: "asleep", outcome: "reached" };
        case "queued":
            return { phase, line: describeQueue(queueReason) };
        case "suspended":
            return { phase, line: "suspended by another client" };
    }
}

function started(
    job: V1Job,
    seen: Observation,
    asked: JobStatusInputs,
    now: number,
    before: Timers | undefined,
): Progress {
    const out = outside(seen);
    const known = staying(out, now);
    const inputs = sized(asked, job, known);
    const ranks = seen.ranks();
    const waits = ranks.some(isInQueue);
    if (waits && !ranks.some(({ startedAt }) => startedAt !== undefined)) {
        return { phase: "queued", line: describeQueue(seen.queueReason), timers: HELD };
    }
    const phase = phaseOf(ranks, inputs);
    const all = [...troubles(seen, inputs.timeouts), ...out];
    const told = [...known, ...keptByNodes(seen, now)];
    const rows = told.slice(0, MOST_ROWS).map(({ pod, row }) => `; ${pod?.name} ${row}`);
    const line = describe(phase, ranks, inputs, all, now) + rows.join("");
    if (isUp(phase) && inputs.waitFor === "ready" && !hasEnded(ranks)) {
        return { phase, line, outcome: "reached" };
    }
    const culprit = inputs.ephemeral ? undefined : crashed(seen);
    if (culprit !== undefined) {
        return { phase, line, outcome: "failed", failure: describeCrash(culprit), suspects: [culprit] };
    }
    const complete = isUp(phase) && leadHadQuorum(ranks);
    // A queue may take any time to admit the pods by which a Job grows.
    const timers = waits ? HELD : turn(before, { ...timesOf(job), complete, now, begun: seen.begun });
    return { phase, line, timers, ...patience({ phase, seen, all, inputs, now }, timers) };
}

/**
 * The inputs, with the Job's present size if the arguments don't decide it. A cluster that sizes itself takes jobs when
 * its lead has its quorum, and gets further ranks as jobs need them. No rank beyond the quorum is needed that stays out.
 */
function sized(inputs: JobStatusInputs, job: V1Job, out: readonly Trouble[]): Sized {
    const { quorum, sizedBy } = inputs;
    const isOwn = sizedBy === undefined && !isSizedByQueue(job);
    const size = (isOwn ? undefined : job.spec?.parallelism) ?? inputs.size;
    const joining = size - out.filter(({ pod }) => pod !== undefined && pod.rank < size).length;
    return { ...inputs, size, needed: sizedBy === "cluster" ? 1 : Math.max(quorum ?? size, joining) };
}

/** True for a pod by which its Job grows, and which Kueue has not admitted yet. */
function isInQueue({ deleting, gates = [] }: Pod): boolean {
    return !deleting && gates.includes(ELASTIC_GATE);
}

/** The words of a kubelet before those of joined.sh. */
const PROBE = "Readiness probe failed: ";
/** Seconds after which a rank counts as one that stays out if no Event says so: Events may not be readable. */
const UNTOLD = 60;
/** Ranks that a progress line names. */
const MOST_ROWS = 3;

/** The ranks that stay out of the cluster: a problem if too few are left. */
export function outside(seen: Observation): Trouble[] {
    const pods = seen.ranks().filter(({ deleting, staysOut }) => staysOut && !deleting);
    return pods.map((pod) => {
        const told = seen.warningsOf(pod.uid).find(({ message }) => message.startsWith(PROBE));
        const limit = told === undefined ? { ...NONE, quiet: UNTOLD } : AT_ONCE;
        const reason = told === undefined ? "its log has the reason" : told.message.slice(PROBE.length);
        const message = `${pod.name} stays out of the cluster, which needs it: ${reason}.`;
        return { ...limit, pod, message, row: `stays out: ${reason}`, since: told?.at ?? pod.startedAt ?? 0 };
    });
}

/** Those that are known to stay out: a pod that has just joined isn't ready for a moment. */
function staying(out: readonly Trouble[], now: number): Trouble[] {
    return out.filter(({ quiet = 0, since }) => now >= since + quiet * 1000);
}

/** How long to wait further, or which timeout was exceeded. */
function patience(look: Look, timers: Timers): Partial<Progress> {
    const { all, inputs, now, seen } = look;
    const limit = deadline(timers, inputs);
    const failure = overdue(decisive(look), now);
    if (failure !== undefined) {
        return { outcome: "failed", failure };
    }
    if (limit === undefined || now < limit) {
        return { wakeAt: earliest(nextDeadline(all, now), limit) };
    }
    return {
        outcome: "failed",
        ...(timers.missing === undefined ? unfinished(inputs) : noQuorum(seen.ranks(), inputs, all, now)),
    };
}

function timesOf({ metadata, status }: V1Job): { createdAt: number; startedAt?: number } {
    const startedAt = status?.startTime === undefined ? undefined : new Date(status.startTime).getTime();
    return { createdAt: new Date(metadata?.creationTimestamp ?? 0).getTime(), startedAt };
}

/** When the current timeout ends, in milliseconds since 1970; undefined if there is none. */
function deadline({ missing, released }: Timers, { timeouts }: JobStatusInputs): number | undefined {
    if (missing !== undefined) {
        return missing + timeouts.ready * 1000;
    }
    return timeouts.completed === undefined || released === undefined
        ? undefined
        : released + timeouts.completed * 1000;
}

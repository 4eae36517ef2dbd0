import { refusalsByLimitRanges } from "./limitRanges";
import type { QueueQuota } from "../queue/quota";
import { judgeQueue, mostInQueue } from "../queue/verdict";
import { describeMost, refusalsByQuotas } from "./quotas";
import { requestsOf } from "./requests";
import { describeBound, neverSentence, queueSentence, type Room, waitSentence } from "./sentence";
import { admitted, type Situation, situationOf } from "./situation";
import type { Survey } from "./survey";
import { mayStartEarlier } from "./uncounted";
import type { Wish } from "./wish";

export interface Verdict {
    /** Whether all wanted pods start at once, some wait, or too few of them can ever start. */
    readonly class: "never" | "now" | "waits";
    /** One sentence with numbers and the way out; empty for `now`. */
    readonly text: string;
    /** True if the user would rather not start than start so. */
    readonly isRefusable: boolean;
}

/** Judges whether pods start at once, wait or can never start. What isn't known decides nothing. */
export function verdictOf(wish: Wish, survey: Survey): Verdict {
    const { limitRanges, quotas = [] } = survey;
    const spec = admitted(wish.template.spec, survey);
    const refusals = [
        ...refusalsByLimitRanges(spec, limitRanges ?? []),
        // A LimitRange that was not read may give the missing values.
        ...(limitRanges === undefined ? [] : refusalsByQuotas(spec, quotas)),
    ];
    const situation = situationOf(wish, spec, survey);
    const reasons = [...refusals, ...limitsOf(situation)];
    if (reasons.length > 0) {
        return never(situation, reasons, { most: mostOf(situation, survey.queue), needed: wish.least });
    }
    if (wish.queue !== undefined) {
        return inQueue(situation, survey.queue);
    }
    const starting = startingOf(situation);
    if (starting >= wish.added) {
        return NOW;
    }
    const enough = wish.kept > 0 ? wish.added : wish.least;
    const isRefusable = starting < enough && !mayStartEarlier(spec);
    return { class: "waits", text: waitSentence(situation, starting), isRefusable };
}

function never(situation: Situation, reasons: readonly string[], room: Room): Verdict {
    return { class: "never", text: neverSentence(situation, reasons, room), isRefusable: true };
}

/** Number of pods that nodes, quotas and the queue could hold at best. */
function mostOf({ allowances, bound, replica }: Situation, queue: QueueQuota | undefined): number {
    const inQueue = queue === undefined ? Infinity : mostInQueue(queue, requestsOf(replica.spec));
    return Math.min(inQueue, bound?.most ?? Infinity, ...allowances.map(({ ever }) => ever));
}

const NOW: Verdict = { class: "now", text: "", isRefusable: false };

/** A queue decides when the pods start. It starts all of them together, or as many as the Job allows. */
function inQueue(situation: Situation, queue: QueueQuota | undefined): Verdict {
    const { freed, replica, wish } = situation;
    const { added, kept, leastInQueue: pods = added } = wish;
    const asked = { pods, kept, each: requestsOf(replica.spec), freed };
    const found = queue === undefined ? undefined : judgeQueue(queue, asked);
    if (found === undefined || found.class === "now") {
        return NOW;
    }
    const { isCertain, reason } = found;
    return found.class === "never"
        ? never(situation, [reason], { most: mostOf(situation, queue), needed: kept + pods })
        : { class: "waits", text: queueSentence(situation, reason), isRefusable: isCertain };
}

/** The number of pods that start at once. */
function startingOf({ allowances, placed, wish }: Situation): number {
    return Math.min(wish.added, placed?.chosen.length ?? Infinity, ...allowances.map(({ now }) => now));
}

/** Why too few pods can ever start. Of a Job that grows, these are none of the further pods. */
function limitsOf({ allowances, bound, wish }: Situation): string[] {
    const needed = wish.kept > 0 ? wish.kept + 1 : wish.least;
    const exceeded = allowances.filter(({ ever }) => ever < needed).map((allowance) => describeMost(allowance, needed));
    const isTooSmall = bound !== undefined && bound.most < needed;
    return isTooSmall ? [...exceeded, describeBound(bound, needed)] : exceeded;
}

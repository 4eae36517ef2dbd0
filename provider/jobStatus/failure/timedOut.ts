import { describeSeconds } from "../../contract/quantity";
import { isReady, type Pod } from "../../observe/pods/pod";
import { isTold, type Trouble } from "../../observe/pods/trouble";
import { awaited } from "../../observe/pods/waitWords";
import type { JobStatusInputs } from "../properties";

/** Why a wait has exceeded its timeout, and the pods whose logs may tell more. */
interface Late {
    readonly failure: string;
    readonly suspects?: readonly Pod[];
}

export function unfinished({ timeouts }: JobStatusInputs): Late {
    return {
        failure: `The command has not finished within timeouts.completed, ${describeSeconds(timeouts.completed ?? 0)}.`,
    };
}

/** The lead is the last suspect: its log tells which ranks it has refused. */
export function noQuorum(
    ranks: readonly Pod[],
    { size, timeouts }: JobStatusInputs,
    all: readonly Trouble[],
    now: number,
): Late {
    const out = missing(ranks);
    const who =
        out
            .map(({ name }) => name)
            .slice(0, 5)
            .join(", ") || `${size - ranks.length} pods`;
    const limit = `timeouts.ready, ${describeSeconds(timeouts.ready)}`;
    const failure = `No quorum within ${limit}: ${who} did not join.${describeStart(out, all, now)}`;
    const followers = out.filter(({ rank }) => rank !== 0);
    const lead = ranks.filter(({ rank }) => rank === 0);
    return { failure, suspects: [...followers.slice(0, 3), ...lead] };
}

/** What pods wait for that haven't even started, or whose node doesn't answer. */
function describeStart(out: readonly Pod[], all: readonly Trouble[], now: number): string {
    const troubled = new Set(all.filter((trouble) => isTold(trouble, now)).map(({ pod }) => pod?.uid));
    const waiting = out.filter(({ startedAt, uid }) => startedAt === undefined || troubled.has(uid));
    const found = awaited(waiting, all, now);
    const name = found?.pod === undefined ? "" : `${found.pod.name}: `;
    return found === undefined ? "" : ` ${name}${found.words}`;
}

/**
 * The pods that prevent the quorum. If any rank is ready, rank 0 isn't one of them: it only waits for the followers.
 */
function missing(ranks: readonly Pod[]): Pod[] {
    const out = ranks.filter((pod) => !isReady(pod));
    const followers = out.filter(({ rank }) => rank > 0);
    return followers.length > 0 && ranks.some(isReady) ? followers : out;
}

import { howToFetch, type KeptResults, type ResultsMark, type WantedResults } from "../contract/results";
import { parseId } from "../kubernetes/jobId";
import type { Pod } from "../observe/pods/pod";
import { type Found as FoundResults, inWords, markOf, noResults, outcomeOf } from "../results/outcome";
import type { JobStatusInputs } from "./properties";

/** What is known of a command's end and of its results. */
interface Found extends FoundResults {
    readonly lead: Pod | undefined;
}

/** The output `results`; undefined without the argument, null before the command's end. */
export function resultsOf(
    { job, keeps }: Pick<JobStatusInputs, "job" | "keeps">,
    found: Found,
): KeptResults | null | undefined {
    if (keeps === undefined) {
        return undefined;
    }
    const exitCode = exitCodeOf(found);
    if (exitCode === undefined) {
        return null;
    }
    return exitCode !== 0 && !keeps.onFailure
        ? noResults(
              `the command has failed with exit code ${exitCode}; results.onFailure keeps the results of such a command`,
          )
        : outcomeOf(keeps, found, lackOf(keeps, job, found));
}

/** True for results that an update has left to the user. */
export function areLeft(results: KeptResults | null | undefined): boolean {
    return results?.at === "" && results.count > 0;
}

/** A pod that is killed while it waits has another exit code than the command. */
function exitCodeOf(found: Found): number | undefined {
    return (markOf(found) ?? found.lead?.terminated)?.exitCode;
}

/** Why the results aren't where they should be; undefined if they are there. */
function lackOf({ at }: WantedResults, job: string, found: Found): string | undefined {
    const { kept, told } = found;
    if (kept !== undefined && kept.left === undefined) {
        return undefined;
    }
    const waiting = waitingOf(found);
    return waiting === undefined
        ? (LACKS[stateOf(found)] ?? untold)({ at, left: kept?.left, reason: told?.reasons[0] })
        : inWords(kept?.left, howToFetch(parseId(job), waiting));
}

/** The results for which the lead waits. */
function waitingOf(found: Found): ResultsMark | undefined {
    const mark = found.lead?.terminated === undefined ? markOf(found) : undefined;
    return mark?.state === "waits" ? mark : undefined;
}

/** What the lead has reported at its end is newer than the log's line. */
function stateOf({ lead, told }: Found): string {
    return lead?.terminated?.marks["results"] ?? told?.state ?? "";
}

interface Known {
    readonly at: string;
    /** Why an update has left them. */
    readonly left: string | undefined;
    /** The first thing that the lead has said of what isn't kept. */
    readonly reason: string | undefined;
}

const LACKS: Partial<Readonly<Record<string, (known: Known) => string | undefined>>> = {
    kept: () => undefined,
    fetched: ({ at }) => `another client has fetched them, into ${at} if it was given no folder`,
    lost: ({ reason }) => reason ?? "the lead's log has the reason",
    unfetched: ({ left }) =>
        inWords(left, "nobody has fetched them before the pods ended, so they are lost. Raise results.keepFor"),
    waits: ({ left }) => inWords(left, "the lead's pod was killed while it waited for a client, so they are lost"),
};
const untold = () => "the lead has ended without a word about them";

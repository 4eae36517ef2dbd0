import {
    howToFetch,
    type KeptFile,
    type KeptResults,
    MOST_LISTED,
    type ResultsMark,
    type WantedResults,
} from "../contract/results";
import { parseId } from "../kubernetes/jobId";
import type { Pod } from "../observe/pods/pod";
import { shownFile, type Told } from "../results/list";
import type { Kept } from "./keeping";
import type { JobStatusInputs } from "./properties";

/** What is known of a command's end and of its results. */
interface Found {
    readonly lead: Pod | undefined;
    /** What the log says. */
    readonly told: Told | undefined;
    /** What this wait has fetched, or has left. */
    readonly kept: Kept | undefined;
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
    return exitCode !== 0 && !keeps.onFailure ? ofFailure(exitCode) : ofEnd(keeps, job, found);
}

/** True for results that an update has left to the user. */
export function areLeft(results: KeptResults | null | undefined): boolean {
    return results?.at === "" && results.count > 0;
}

function ofFailure(exitCode: number): KeptResults {
    const reason = `the command has failed with exit code ${exitCode}; results.onFailure keeps the results of such a command`;
    return { ...NOTHING, complete: false, reason };
}

function ofEnd(keeps: WantedResults, job: string, found: Found): KeptResults {
    const mark = markOf(found);
    const { bytes, count } = mark ?? NOTHING;
    const lack = lackOf(keeps, job, found);
    return {
        at: lack === undefined && mark?.count !== 0 ? keeps.at : "",
        files: count > MOST_LISTED ? [] : filesOf(keeps, found),
        count,
        bytes,
        ...completeness([lack ?? (mark === undefined ? UNLISTED : undefined), ...(found.told?.reasons ?? [])]),
    };
}

/** What the lead has said of its results, by this wait or by its log. */
export function markOf({ kept, told }: Found): ResultsMark | undefined {
    return kept?.mark ?? told;
}

/** A pod that is killed while it waits has another exit code than the command. */
function exitCodeOf(found: Found): number | undefined {
    return (markOf(found) ?? found.lead?.terminated)?.exitCode;
}

function filesOf({ ofAllRanks }: WantedResults, { kept, told }: Found): KeptFile[] {
    const listed = kept?.files?.map(shownFile) ?? told?.files ?? [];
    return listed
        .toSorted((a, b) => (a.path < b.path ? -1 : 1))
        .map(({ rank, ...file }) => (ofAllRanks ? { ...file, rank } : file));
}

/** Without undefined values, which the host can't send. */
function completeness(said: readonly (string | undefined)[]): Pick<KeptResults, "complete" | "reason"> {
    const reason = inWords(...said);
    return reason === "" ? { complete: true } : { complete: false, reason };
}

const NOTHING = { at: "", files: [], count: 0, bytes: 0 };

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
const UNLISTED = "the lead's log, which has their names, can't be read";

function inWords(...said: readonly (string | undefined)[]): string {
    return [...new Set(said.filter((reason) => reason !== undefined))].join("; ");
}

import { type KeptFile, type KeptResults, MOST_LISTED, type ResultsMark } from "../contract/results";
import type { Kept } from "./keep";
import { shownFile, type Told } from "./list";

/** What is known of results. */
export interface Found {
    /** What the pod has told. */
    readonly told: Told | undefined;
    /** What this wait has fetched, or has left. */
    readonly kept: Kept | undefined;
}

const NOTHING: KeptResults = { at: "", files: [], count: 0, bytes: 0, complete: false };

const UNLISTED = "the lead's log, which has their names, can't be read";

/** The output of results of which there is nothing. */
export function noResults(reason: string): KeptResults {
    return { ...NOTHING, reason };
}

/** What is kept stays known, if a later look finds nothing that is kept. */
export function betterOf(
    before: KeptResults | null | undefined,
    now: KeptResults | null | undefined,
): KeptResults | null | undefined {
    return now?.at === "" && before?.at ? before : now;
}

/** The output of results that should be at a place. `lack` says why they aren't there. */
export function outcomeOf(
    { at, ofAllRanks }: { readonly at: string; readonly ofAllRanks: boolean },
    found: Found,
    lack: string | undefined,
): KeptResults {
    const mark = markOf(found);
    const { bytes, count } = mark ?? NOTHING;
    return {
        at: lack === undefined && mark?.count !== 0 ? at : "",
        files: count > MOST_LISTED ? [] : filesOf(found, ofAllRanks),
        count,
        bytes,
        ...completeness([lack ?? (mark === undefined ? UNLISTED : undefined), ...(found.told?.reasons ?? [])]),
    };
}

/** What the lead has said of results, by this wait or by its log. */
export function markOf({ kept, told }: Found): ResultsMark | undefined {
    return kept?.mark ?? told;
}

function filesOf({ kept, told }: Found, ofAllRanks: boolean): KeptFile[] {
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

/** What is said, once. */
export function inWords(...said: readonly (string | undefined)[]): string {
    return [...new Set(said.filter((reason) => reason !== undefined))].join("; ");
}

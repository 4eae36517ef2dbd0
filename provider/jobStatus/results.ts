import { type KeptFile, type KeptResults, MOST_LISTED, type WantedResults } from "../contract/results";
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
export function resultsOf({ keeps }: JobStatusInputs, found: Found): KeptResults | null | undefined {
    if (keeps === undefined) {
        return undefined;
    }
    const exitCode = exitCodeOf(found);
    if (exitCode === undefined) {
        return null;
    }
    return exitCode !== 0 && !keeps.onFailure ? ofFailure(exitCode) : ofEnd(keeps, found);
}

function ofFailure(exitCode: number): KeptResults {
    const reason = `the command has failed with exit code ${exitCode}; results.onFailure keeps the results of such a command`;
    return { ...NOTHING, complete: false, reason };
}

function ofEnd(keeps: WantedResults, found: Found): KeptResults {
    const { bytes, count } = found.kept?.mark ?? found.told ?? NOTHING;
    const lack = lackOf(keeps, found);
    return {
        at: lack === undefined && count > 0 ? keeps.at : "",
        files: count > MOST_LISTED ? [] : filesOf(keeps, found),
        count,
        bytes,
        ...completeness([lack, ...(found.told?.reasons ?? [])]),
    };
}

function exitCodeOf({ kept, lead }: Found): number | undefined {
    return kept?.mark.exitCode ?? lead?.terminated?.exitCode;
}

function filesOf({ ofAllRanks }: WantedResults, { kept, told }: Found): KeptFile[] {
    const listed = kept?.files?.map(shownFile) ?? told?.files ?? [];
    return listed
        .toSorted((a, b) => (a.path < b.path ? -1 : 1))
        .map(({ rank, ...file }) => (ofAllRanks ? { ...file, rank } : file));
}

/** Without undefined values, which the host can't send. */
function completeness(said: readonly (string | undefined)[]): Pick<KeptResults, "complete" | "reason"> {
    const reasons = [...new Set(said.filter((reason) => reason !== undefined))];
    return reasons.length === 0 ? { complete: true } : { complete: false, reason: reasons.join("; ") };
}

const NOTHING = { at: "", files: [], count: 0, bytes: 0 };

/** Why the results aren't where they should be; undefined if they are there. */
function lackOf({ at }: WantedResults, found: Found): string | undefined {
    if (found.kept !== undefined) {
        return found.kept.left;
    }
    const state = stateOf(found);
    if (state === "kept") {
        return undefined;
    }
    if (state === "fetched") {
        return `another client than this update has fetched them, into ${at} if it was given no folder`;
    }
    return (state === "lost" ? found.told?.reasons[0] : undefined) ?? LACKS[state] ?? UNTOLD;
}

/** What the lead has reported at its end is newer than the log's line. */
function stateOf({ lead, told }: Found): string {
    return lead?.terminated?.marks["results"] ?? told?.state ?? "";
}

const LACKS: Partial<Readonly<Record<string, string>>> = {
    lost: "the lead's log has the reason",
    unfetched: "nobody has fetched them before the pods ended, so they are lost. Raise results.keepFor",
    waits: "npx flux-minicluster results fetches them while the lead's pod waits",
};
const UNTOLD = "the lead has ended without a word about them";

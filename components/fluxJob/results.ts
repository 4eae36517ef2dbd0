import { parseQuantity } from "../../provider/contract/quantity";
import type { WantedJobResults } from "../../provider/contract/results";
import type { ArraySize } from "../../provider/flux/job";
import type { FolderSpec } from "../features/code";
import { plainFolder, plainPattern, problemsOfResults, problemsOfVolume, ResultRanks } from "../features/results";
import type { Problem } from "../rules/problem";
import type { MiniClusterSpec } from "../spec";

/** Results without Outputs. */
export interface PlainJobResults {
    readonly paths?: readonly string[];
    readonly volume?: string;
    readonly path?: string;
    readonly ranks?: ResultRanks;
    readonly onFailure?: boolean;
    readonly limit?: string;
}

/** Results with all defaults. */
export interface JobResultsSpec extends PlainJobResults {
    readonly paths: readonly string[];
    readonly ranks: ResultRanks;
    readonly onFailure: boolean;
    readonly limit: string;
}

/** The arguments that the rules of results concern. */
interface JobWithResults {
    readonly array?: ArraySize;
    readonly code?: FolderSpec;
    readonly results?: JobResultsSpec;
    readonly wait: boolean;
    readonly workingDir?: string;
}

export function decideResults({ path, paths = [], ...given }: PlainJobResults): JobResultsSpec {
    return {
        ranks: ResultRanks.Lead,
        onFailure: false,
        limit: "100Mi",
        ...given,
        path: plainFolder(path),
        paths: paths.map(plainPattern),
    };
}

const OF_ARRAY =
    "is given, but the elements of array start in one folder, where nothing tells whose a file is. Let each write to a " +
    "path of a volume that has {{index}}, or use FluxJobs without array.";
const UNAWAITED =
    "is given, but wait is false, so no update copies the results when the job ends. Let the job write there itself, or remove wait.";

export function validateResults({ array, results, wait }: JobWithResults): Problem[] {
    if (results === undefined) {
        return [];
    }
    return [
        ...(array === undefined ? [] : [{ property: "results", reason: OF_ARRAY }]),
        ...(results.volume === undefined || wait ? [] : [{ property: "results.volume", reason: UNAWAITED }]),
        ...problemsOfResults(results),
    ];
}

/** The problems of results on a cluster whose arguments are known. */
export function problemsOfResultsOn({ results }: JobWithResults, { volumes }: MiniClusterSpec): Problem[] {
    return problemsOfVolume(results?.volume, volumes);
}

export function noticesOfResults({ results, wait }: JobWithResults): Problem[] {
    const reason =
        "is given, but wait is false, so no update fetches the results. Run npx flux-minicluster results with the job's id " +
        "when it has ended.";
    return results === undefined || wait ? [] : [{ property: "results", reason }];
}

/** The results as an input. */
export function resultsInput({ code, results, workingDir }: JobWithResults): WantedJobResults | undefined {
    if (results === undefined) {
        return undefined;
    }
    const { limit, onFailure, path, paths, ranks, volume } = results;
    return {
        paths,
        volume,
        path,
        limit: parseQuantity(limit) ?? 0,
        onFailure,
        ofAllRanks: ranks === ResultRanks.All,
        inFolder: code !== undefined && workingDir === undefined,
    };
}

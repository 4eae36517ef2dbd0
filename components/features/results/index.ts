import { parseQuantity } from "../../../provider/contract/quantity";
import { resultsScripts } from "../../../provider/contract/scriptText";
import { plainPath } from "../../parts/paths";
import { scriptsIn } from "../../parts/scripts";
import type { MiniClusterSpec } from "../../spec";
import { type Feature, when } from "../feature";
import type { ResultsArguments } from "./args";
import { ResultRanks } from "./ranks";
import { noticeResults, validateResults } from "./rules";

export type { ResultsArgs, ResultsArguments } from "./args";
export { ResultRanks } from "./ranks";
export { problemsOfResults, problemsOfVolume } from "./rules";

export interface ResultsSpec {
    readonly paths: readonly string[];
    readonly volume?: string;
    readonly path: string;
    readonly isPathGiven: boolean;
    readonly ranks: ResultRanks;
    readonly onFailure: boolean;
    readonly keepFor: number;
    readonly limit: string;
}

export interface Decided {
    readonly results?: ResultsSpec;
}

declare module "../../spec" {
    interface MiniClusterSpec extends Decided {}
}

export const results: Feature<ResultsArguments, Decided> = {
    decide: ({ results: given }, { name }) => ({
        results: given && {
            paths: (given.paths ?? []).map(plainPattern),
            volume: given.volume,
            path: plainFolder(given.path) ?? name,
            isPathGiven: given.path !== undefined,
            ranks: given.ranks ?? ResultRanks.Lead,
            onFailure: given.onFailure ?? false,
            keepFor: given.keepFor ?? 600,
            limit: given.limit ?? "100Mi",
        },
    }),

    problems: validateResults,
    notices: noticeResults,

    ...when(({ results: given }) => given, {
        files: ({ ranks }) => ({
            ...scriptsIn(__dirname, "results.sh", ...(ranks === ResultRanks.All ? ["results-ranks.sh"] : [])),
            ...resultsScripts("list", "put", "told", ...(ranks === ResultRanks.All ? (["part"] as const) : [])),
        }),
        parameters: ({ keepFor, onFailure, path, paths, ranks, volume }, spec) => ({
            results: paths.join("\n"),
            resultsKeepFor: volume === undefined ? String(keepFor) : undefined,
            resultsOnFailure: onFailure ? "true" : undefined,
            resultsRanks: ranks === ResultRanks.All ? ranks : undefined,
            resultsPlace: volume === undefined ? undefined : `${mountOf(spec, volume)}/${path}`,
        }),
        programs: () => ["base64", "gzip", "ln", "sha256sum", "stat", "tar"].map((program) => `results:${program}`),
    }),

    statusInputs: {
        keeps: ({ name, results: given }) =>
            given && {
                at: given.volume === undefined ? `results/${name}` : `${given.volume}:${given.path}`,
                isFetched: given.volume === undefined,
                limit: parseQuantity(given.limit) ?? 0,
                onFailure: given.onFailure,
                ofAllRanks: given.ranks === ResultRanks.All,
            },
    },
};

/** Without slashes at its end. */
export function plainFolder(path: string | undefined): string | undefined {
    return path?.replace(/(?<=[^/])\/+$/, "");
}

/** Without parts that mean nothing; `*` for the folder in which the command starts. */
export function plainPattern(pattern: string): string {
    const parts = pattern.split("/").filter((part) => part !== "" && part !== ".");
    const isAbsolute = pattern.startsWith("/");
    return pattern === "" ? "" : (isAbsolute ? "/" : "") + (parts.length === 0 ? "*" : parts.join("/"));
}

function mountOf({ volumes }: MiniClusterSpec, volume: string): string {
    const mounts = volumes.filter(({ name }) => name === volume);
    // In a spec with problems, there may be no mount or path.
    const { mountPath }: Partial<MiniClusterSpec["volumes"][number]> =
        mounts.find(({ readOnly }) => !readOnly) ?? mounts[0] ?? {};
    return plainPath(mountPath ?? "");
}

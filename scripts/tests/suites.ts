import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { availableParallelism } from "node:os";
import { basename, dirname, join } from "node:path";

import { cacheDir, root, stateDir } from "../local/paths";
import type { Profile } from "./profile";

/** Test files. */
export interface Suite {
    readonly folders: readonly string[];
    /** Files of these folders that don't belong to it, and files of others that do. */
    readonly without?: readonly string[];
    readonly more?: readonly string[];
    /** The folder with the files that need the machine or its network for themselves: they run after the others. */
    readonly alone?: string;
    /** Number of the other files that run at the same time. */
    readonly jobs: number;
}

/** Two more than cores, because tests wait for pods. One control plane was never tried with more than four files. */
const JOBS = Math.min(availableParallelism() + 2, 4);

/** Files that take too long for each run of `make test`. */
const LONG = [
    "test/double/arrays.spec.ts",
    "test/double/podDisks.spec.ts",
    "test/double/podEnds.spec.ts",
    "test/double/podKills.spec.ts",
    "test/double/podLayouts.spec.ts",
    "test/double/podLosses.spec.ts",
    "test/double/podOddities.spec.ts",
    "test/double/podRescue.spec.ts",
    "test/e2e/budget.spec.ts",
    "test/e2e/causes.spec.ts",
    "test/e2e/cpus.spec.ts",
    "test/e2e/dayTwo/adoption.spec.ts",
    "test/e2e/dayTwo/queue.spec.ts",
    "test/e2e/dayTwo/renames.spec.ts",
    "test/e2e/dayTwo/rerun.spec.ts",
    "test/e2e/dayTwo/suspend.spec.ts",
    "test/e2e/fluxJobArray.spec.ts",
    "test/e2e/policy.spec.ts",
    "test/e2e/services.spec.ts",
    "test/e2e/topology.spec.ts",
    "test/e2e/ways.spec.ts",
];

/** The suites. */
export const SUITES = {
    conformance: { folders: ["test/double"], jobs: JOBS },
    e2e: { folders: ["test/e2e", "test/double"], without: LONG, jobs: JOBS },
    faults: {
        folders: ["test/faults"],
        more: [...LONG, "test/model/randomHistories.spec.ts", "test/unit/components/arguments/arguments.spec.ts"],
        alone: "test/faults/alone",
        jobs: JOBS - 1,
    },
    unit: { folders: ["test/unit"], jobs: 3 },
} as const satisfies Record<string, Suite>;

export type SuiteName = keyof typeof SUITES;

/** The files with the last profile: in this clone, and for other clones on this machine. */
export function profileFiles(name: SuiteName): string[] {
    const file = name === "e2e" ? "tests.json" : `${name}.json`;
    return [join(stateDir, file), join(cacheDir, file)];
}

/** The files of a suite. The longest comes first, so that the run doesn't wait for it at the end. */
export function filesOf({ folders, more = [], without = [] }: Suite, last: Readonly<Record<string, number>>): string[] {
    const files = folders.flatMap((folder) =>
        readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((name) => join(folder, name)),
    );
    const specs = files.filter((file) => file.endsWith(".spec.ts") && !without.includes(file));
    return longestFirst([...specs, ...more], last);
}

/** The files in the groups that run one after the other, each with the number of files that run at the same time. */
export function groupsOf(
    { alone, jobs }: Suite,
    files: readonly string[],
): { readonly files: readonly string[]; readonly jobs: number }[] {
    const isAlone = (file: string) => alone !== undefined && dirname(file) === alone;
    return [
        { files: files.filter((file) => !isAlone(file)), jobs },
        { files: files.filter(isAlone), jobs: 1 },
    ].filter((group) => group.files.length > 0);
}

/**
 * The files of the wanted parts. `parts` has their names, separated by commas (`ends` for ends.spec.ts). Without names,
 * all files.
 */
export function choose(files: readonly string[], parts: string | undefined): string[] {
    const wanted = (parts ?? "")
        .split(",")
        .map((part) => part.trim())
        .filter(Boolean);
    const names = files.map(partOf);
    const unknown = wanted.filter((part) => !names.includes(part));
    if (unknown.length > 0) {
        throw new Error(
            `PART=${parts}: there is no ${unknown.join(", ")}; the parts are ${[...names].sort().join(", ")}.`,
        );
    }
    return files.filter((_, index) => wanted.length === 0 || wanted.includes(names[index] ?? ""));
}

/** One line for each file: its name and its duration in the last run on this machine. */
export function describeParts(files: readonly string[], seconds: Readonly<Record<string, number>>): string {
    const known = files.filter((file) => seconds[file] !== undefined);
    const minutes = (some: readonly string[]) =>
        (some.reduce((sum, file) => sum + (seconds[file] ?? 0), 0) / 60).toFixed(1);
    const lines = files.map(
        (file) =>
            `  ${partOf(file)}: ${seconds[file] === undefined ? "not run yet on this machine" : `${minutes([file])} min`}`,
    );
    return [
        `${files.length} parts, PART=name,name runs some of them; the last run of ${known.length} took ${minutes(known)} min:`,
        ...lines,
    ].join("\n");
}

const partOf = (file: string): string => basename(file, ".spec.ts");

/** Sorts files by their last durations. Files without one come first, the largest file first. */
export function longestFirst(files: readonly string[], seconds: Readonly<Record<string, number>>): string[] {
    const weight = (file: string) =>
        seconds[file] ?? 1e6 + (statSync(join(root, file), { throwIfNoEntry: false })?.size ?? 0);
    return [...files].sort((a, b) => weight(b) - weight(a) || a.localeCompare(b));
}

/** The profile of each file in the last run. */
export function lastFiles(name: SuiteName): Profile["files"] {
    const path = profileFiles(name).find((file) => existsSync(file));
    return path === undefined ? {} : (JSON.parse(readFileSync(path, "utf8")) as Profile).files;
}

/** Seconds by file. */
export function durations(files: Profile["files"]): Record<string, number> {
    return Object.fromEntries(Object.entries(files).map(([file, { seconds }]) => [file, seconds]));
}

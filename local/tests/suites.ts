import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";

import { cacheDir, root, stateDir } from "../paths";
import type { Profile } from "./profile";

/** Test files that are run by one call of mocha. */
export interface Suite {
    readonly name: string;
    readonly folders: readonly string[];
    readonly without?: string;
    /** Files at a time. */
    readonly jobs: number;
}

/** More than four files at a time were never tried on one control plane. */
const JOBS = Math.min(Math.max(availableParallelism(), 2), 4);

/** What is in `alone` uses all of the machine, or its network. */
export const SUITES = {
    e2e: [
        { name: "e2e", folders: ["test/e2e", "test/standin"], without: "test/e2e/alone", jobs: JOBS },
        { name: "alone", folders: ["test/e2e/alone"], jobs: 1 },
    ],
    faults: [{ name: "faults", folders: ["test/faults"], jobs: 1 }],
} as const satisfies Record<string, readonly Suite[]>;

export type SuitesName = keyof typeof SUITES;

/** Where the last profile is kept: in this clone, and for other clones of this machine. */
export function profileFiles(name: SuitesName): string[] {
    const file = name === "e2e" ? "tests.json" : `${name}.json`;
    return [join(stateDir, file), join(cacheDir, file)];
}

/** The files of a suite. The longest comes first, so that no worker is left with it at the end. */
export function filesOf({ folders, without }: Suite, last: Readonly<Record<string, number>>): string[] {
    const files = folders.flatMap((folder) => readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((name) => join(folder, name)));
    const specs = files.filter((file) => file.endsWith(".spec.ts") && (without === undefined || !file.startsWith(`${without}/`)));
    return longestFirst(specs, last);
}

/** By the last run's durations. A file without one is taken for a long one, and of those the larger one for the longer one. */
export function longestFirst(files: readonly string[], seconds: Readonly<Record<string, number>>): string[] {
    const weight = (file: string) => seconds[file] ?? 1e6 + (statSync(join(root, file), { throwIfNoEntry: false })?.size ?? 0);
    return [...files].sort((a, b) => weight(b) - weight(a) || a.localeCompare(b));
}

/** Seconds that each file took in the last run. */
export function lastDurations(name: SuitesName): Record<string, number> {
    const path = profileFiles(name).find((file) => existsSync(file));
    const { files = {} } = path === undefined ? {} : (JSON.parse(readFileSync(path, "utf8")) as Partial<Profile>);
    return Object.fromEntries(Object.entries(files).map(([file, { seconds }]) => [file, seconds]));
}

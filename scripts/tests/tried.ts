import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { root } from "../local/paths";

/** What has versions that users choose, in the order of docs/requirements.md. */
export const THINGS = [
    "Kubernetes",
    "flux-core",
    "Pulumi CLI",
    "@pulumi/pulumi",
    "@pulumi/kubernetes",
    "Node",
    "language",
] as const;

export type Thing = (typeof THINGS)[number];

/** A version with which tests have passed. */
export interface Tried {
    readonly thing: Thing;
    readonly version: string;
    /** Which tests passed. */
    readonly by: string;
    /** The day of the last run, such as 2026-11-26. */
    readonly date: string;
    /** What took the place of the real one, if it couldn't be had. */
    readonly simulated?: string;
}

/** The file with the results, from which `npm run generate` makes the tables of docs/requirements.md. */
export const FILE = join(root, "test/faults/tried.json");

export function readTried(): Tried[] {
    return existsSync(FILE) ? (JSON.parse(readFileSync(FILE, "utf8")) as Tried[]) : [];
}

/** Records versions with which tests have passed today, if UPDATE_DOCS is 1. */
export function keepTried(...results: readonly Omit<Tried, "date">[]): void {
    if (process.env["UPDATE_DOCS"] === "1") {
        const date = new Date().toISOString().slice(0, 10);
        const all = merge(
            readTried(),
            results.map((result) => ({ ...result, date })),
        );
        writeFileSync(FILE, `${JSON.stringify(all, undefined, 4)}\n`);
    }
}

/** The last result of the same tests with the same version takes the place of the one before. */
export function merge(known: readonly Tried[], results: readonly Tried[]): Tried[] {
    const key = ({ by, thing, version }: Tried) => JSON.stringify([thing, version, by]);
    const all = new Map([...known, ...results].map((result) => [key(result), result]));
    return [...all.values()].sort(byThingAndVersion);
}

function byThingAndVersion(a: Tried, b: Tried): number {
    const things = THINGS.indexOf(a.thing) - THINGS.indexOf(b.thing);
    return things || a.version.localeCompare(b.version, "en", { numeric: true }) || a.by.localeCompare(b.by, "en");
}

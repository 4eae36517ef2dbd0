import { foreignLine } from "../../provider/contract/foreignText";
import type { Arguments } from "../definition/arguments";
import { type Candidate, type Lookups, offer, type Offer } from "./candidates";
import { readLine } from "./line";
import type { CommandDefinition } from "../definition/command";

/** Milliseconds that a lookup may take: then the shell offers nothing. */
const LIMIT = 3000;

/** Loads the Kubernetes client only if a cluster is asked. */
const LOOKUPS: Lookups = {
    clusters: async (options) => (await import("./lookups.js")).clusters(options),
    jobs: async (options) => (await import("./lookups.js")).jobs(options),
};

/** Prints what can stand at the end of a command line. Without an answer in time, and after an error, it prints nothing. */
export async function complete({ words }: Arguments, commands: readonly CommandDefinition[]): Promise<number> {
    const nothing: Offer = { candidates: [], files: false };
    const late = new Promise<Offer>((resolve) => setTimeout(() => resolve(nothing), LIMIT));
    const found = offer(readLine(words, commands), commands, LOOKUPS).catch(() => nothing);
    const { candidates, files } = await Promise.race([found, late]);
    const lines = candidates.map(lineOf);
    process.stdout.write([...lines, `:${files ? 0 : 4}`, ""].join("\n"));
    return 0;
}

/** A candidate as the shell reads it: its help has no tab and no line feed. */
export function lineOf({ help, word }: Candidate): string {
    return `${foreignLine(word)}\t${foreignLine(help)}`;
}

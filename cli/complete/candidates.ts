import type { CommandDefinition, Completes } from "../definition/command";
import type { Line } from "./line";

export interface Candidate {
    readonly word: string;
    readonly help: string;
}

/** Looks up what only a cluster knows. */
export interface Lookups {
    clusters(options: Line["options"]): Promise<readonly Candidate[]>;
    jobs(options: Line["options"]): Promise<readonly Candidate[]>;
}

/** What completion offers. */
export interface Offer {
    readonly candidates: readonly Candidate[];
    /** The shell offers the names of files. */
    readonly files: boolean;
}

const NOTHING: Offer = { candidates: [], files: false };

/** What can stand at the cursor. */
export async function offer(line: Line, commands: readonly CommandDefinition[], lookups: Lookups): Promise<Offer> {
    const found = await offerAll(line, commands, lookups);
    const fitting = found.candidates.filter(({ word }) => word.startsWith(line.part));
    return { ...found, candidates: fitting.map(({ help, word }) => ({ word: line.before + word, help })) };
}

function offerAll(line: Line, commands: readonly CommandDefinition[], lookups: Lookups): Offer | Promise<Offer> {
    const { definition, known, part, valueFor } = line;
    if (valueFor !== undefined) {
        return offerKind(valueFor.completes, line, lookups);
    }
    if (part.startsWith("-") && known.length > 0) {
        return only(known.map(({ help, name }) => ({ word: `--${name}`, help })));
    }
    if (definition === undefined && line.hasCommand) {
        return NOTHING;
    }
    if (definition === undefined) {
        const visible = commands.filter(({ hidden }) => !hidden);
        return only(visible.flatMap(({ alias, name, summary: help }) => words([name, alias], help)));
    }
    return offerWord(line, definition, lookups);
}

/** The next word of a command. */
async function offerWord(
    line: Line,
    { takesCluster, words: taken }: CommandDefinition,
    lookups: Lookups,
): Promise<Offer> {
    if (takesCluster && line.options.cluster === undefined && line.words.length === 0) {
        return only(await lookups.clusters(line.options));
    }
    if (taken === undefined || line.words.length >= taken.most) {
        return NOTHING;
    }
    const isArgument = taken.isCommand === true && line.words.length > 0;
    const { candidates, files } = await offerKind(isArgument ? "file" : taken.completes, line, lookups);
    return { candidates: candidates.filter(({ word }) => !line.words.includes(word)), files };
}

async function offerKind(
    kind: Completes | readonly string[] | undefined,
    line: Line,
    lookups: Lookups,
): Promise<Offer> {
    if (typeof kind === "object") {
        return offerLast(kind, line);
    }
    switch (kind) {
        case "cluster":
            return only(await lookups.clusters(line.options));
        case "job":
            return only(line.options.cluster === undefined ? [] : await lookups.jobs(line.options));
        case "file":
            return { candidates: [], files: true };
        case "place":
            return offerPlaces(line, lookups);
        case "nothing":
        case undefined:
            return NOTHING;
    }
}

/** The last one of a list. */
function offerLast(kind: readonly string[], { part }: Line): Offer {
    const [start = ""] = /^.*,/.exec(part) ?? [];
    return only(kind.flatMap((word) => words([start + word], "")));
}

/** Files, and clusters with a colon behind them. What a pod has isn't looked up. */
async function offerPlaces({ options, part }: Line, lookups: Lookups): Promise<Offer> {
    if (part.includes(":")) {
        return NOTHING;
    }
    const clusters = /^[-a-z0-9]*$/.test(part) ? await lookups.clusters(options) : [];
    return { candidates: clusters.map(({ help, word }) => ({ word: `${word}:`, help })), files: true };
}

function only(candidates: readonly Candidate[]): Offer {
    return { candidates, files: false };
}

function words(names: readonly (string | undefined)[], help: string): Candidate[] {
    return names.flatMap((word) => (word === undefined ? [] : [{ word, help }]));
}

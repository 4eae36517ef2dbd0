/** A problem in the arguments: the property, and what to do about it. */
export interface Problem {
    /** Path of the argument, for example `volumes[0].mountPath`. */
    readonly property: string;
    /** A whole sentence: the value, the limit and the cure. */
    readonly reason: string;
}

/** The problems of the rules that are broken. */
export function broken(rules: readonly (readonly [isBroken: boolean, property: string, reason: string])[]): Problem[] {
    return rules.filter(([isBroken]) => isBroken).map(([, property, reason]) => ({ property, reason }));
}

/** Problems beyond this number are counted, not listed. */
const MOST_PROBLEMS = 100;
/** Longest property and longest reason, in characters. */
const LONGEST = { property: 200, reason: 1000 } as const;

/** The error message with all problems, one per line. */
export function describeProblems(resource: string, problems: readonly Problem[], kind = "MiniCluster"): string {
    const listed = problems.slice(0, MOST_PROBLEMS);
    const lines = listed.map(
        ({ property, reason }) => `  ${brief(property, LONGEST.property)}: ${brief(reason, LONGEST.reason)}`,
    );
    const more = problems.length - listed.length;
    const count = problems.length === 1 ? "1 problem" : `${problems.length} problems`;
    const head = `${kind} "${brief(resource, LONGEST.property)}" has ${count} in its arguments:`;
    return [head, ...lines, ...(more > 0 ? [`  and ${more} more.`] : [])].join("\n");
}

/**
 * A text for one line of an error: its middle is left out if it is too long, and control characters are spelled out.
 */
function brief(text: string, most: number): string {
    const half = Math.floor(most / 2);
    const short = text.length <= most ? text : `${text.slice(0, half)}...${text.slice(-half)}`;
    return short.replace(/[\0-\x1f\x7f-\x9f\u2028\u2029]|\p{Surrogate}/gu, spell);
}

function spell(character: string): string {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

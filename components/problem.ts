/** Something wrong with the arguments: where, and what to do about it. */
export interface Problem {
    /** Path of the argument, for example `volumes[0].mountPath`. */
    readonly property: string;
    /** A whole sentence: the value, the limit and the cure. */
    readonly reason: string;
}

/** One text for all problems, each on a line of its own. */
export function describeProblems(resource: string, problems: readonly Problem[], kind = "MiniCluster"): string {
    const lines = problems.map(({ property, reason }) => `  ${property}: ${reason}`);
    const count = problems.length === 1 ? "1 problem" : `${problems.length} problems`;
    return [`${kind} "${resource}" has ${count} in its arguments:`, ...lines].join("\n");
}

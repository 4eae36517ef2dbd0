/** The meaning of a line in a pod's log: a pattern for the line, and one or two sentences with the cure. */
export interface Rule {
    readonly line: RegExp;
    readonly means: string;
}

/** A script of `commands.script`. */
export interface Script {
    /** The text in the resource. */
    readonly source: string;
    /** True if it has variables or commands without a backslash. They expand when the pod starts. */
    readonly expands: boolean;
    /** The text without the backslashes of a here-document. */
    readonly text: string;
}

/** Reads a script as the operator writes it to its file: by a here-document whose end is not quoted. */
export function readScript(source: string): Script {
    const code = source.replaceAll(/\\[$`\\\n]/g, " ");
    const text = source.replaceAll(/\\([$`\\]|\n)/g, (_, escaped: string) => escaped.trim());
    return { source, expands: /`|\$[\w{(@*#?$!-]/.test(code), text };
}

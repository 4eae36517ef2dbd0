/** A word of a command. */
export interface Word {
    /** The word without quotes; meaningless if it expands. */
    readonly text: string;
    /** The word as a shell reads it. */
    readonly raw: string;
    /** True if a shell replaces a part of it. */
    readonly expands: boolean;
    /** The place of the word in the resource. */
    readonly path: string;
}

/** The name of a program without its directory. */
export function programName(text: string): string {
    return text.slice(text.lastIndexOf("/") + 1);
}

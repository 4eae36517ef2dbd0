/** The arguments that decide what is shown of an output while an update waits. */
export interface OutputSettings {
    readonly maxBytes: number;
    readonly secretOutput?: boolean;
    readonly streamOutput?: boolean;
}

/** What is shown of an output. */
export interface Shown {
    /** All lines are printed. */
    readonly isStreamed: boolean;
    /** Nothing of it is shown: it is a secret, or `maxBytes` is 0, which docs/security.md offers for an output with secrets. */
    readonly isHidden: boolean;
}

export function shownOf({ maxBytes, secretOutput = false, streamOutput = false }: OutputSettings): Shown {
    const isStreamed = streamOutput && !secretOutput;
    return { isStreamed, isHidden: secretOutput || (maxBytes === 0 && !isStreamed) };
}

import { foreignLine, shortened } from "../../contract/foreignText";

const NEWLINE = 10;
/** Bytes of a line that are kept. The rest of a longer one is read and dropped. */
export const LONGEST_LINE = 4096;

/** Cuts an output into lines. Of a line of any length it keeps the first bytes only. */
export class CutLines {
    private head = Buffer.alloc(0);

    constructor(private readonly take: (line: Buffer) => void) {}

    next(chunk: Buffer): void {
        let begin = 0;
        for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, begin)) {
            this.take(this.withHead(chunk.subarray(begin, end)));
            this.head = Buffer.alloc(0);
            begin = end + 1;
        }
        if (begin < chunk.length) {
            // A copy: otherwise a short rest would keep the whole chunk in memory.
            this.head = Buffer.from(this.withHead(chunk.subarray(begin)));
        }
    }

    /** Ends the last line, which has no line feed. */
    end(): void {
        const { head } = this;
        this.head = Buffer.alloc(0);
        if (head.length > 0) {
            this.take(head);
        }
    }

    private withHead(rest: Buffer): Buffer {
        const more = rest.subarray(0, LONGEST_LINE - this.head.length);
        return this.head.length === 0 ? more : Buffer.concat([this.head, more]);
    }
}

/**
 * What a terminal would show of a line of an output, with at most so many characters: without colours and control
 * characters, and of a line that was written over itself only the last text.
 */
export function lineText(bytes: Buffer, longest: number): string {
    const shown = bytes
        .toString()
        .split("\r")
        .map((part) => foreignLine(part, Infinity).replaceAll("\ufffd", ""));
    const text = shown.findLast((part) => part.trim() !== "") ?? "";
    return shortened(text.trimEnd(), longest);
}

const NEWLINE = 10;
const PREFIX = Buffer.from("minicluster: results ");

/** Leaves the long lines about results out of a log that comes in chunks. */
export class MarkFilter {
    /** The beginning of a line that may be such a line. */
    private held: Buffer = Buffer.alloc(0);
    /** What the line is of which the rest comes. */
    private line: "dropped" | "new" | "shown" = "new";

    /** What is shown of the next chunk. */
    take(chunk: Buffer): Buffer {
        const shown: Buffer[] = [];
        let rest: Buffer = Buffer.concat([this.held, chunk]);
        this.held = Buffer.alloc(0);
        while (rest.length > 0) {
            if (this.line === "new" && rest.length < PREFIX.length && PREFIX.indexOf(rest) === 0) {
                this.held = rest;
                break;
            }
            if (this.line === "new") {
                this.line = rest.subarray(0, PREFIX.length).equals(PREFIX) ? "dropped" : "shown";
            }
            const end = rest.indexOf(NEWLINE) + 1 || rest.length;
            if (this.line === "shown") {
                shown.push(rest.subarray(0, end));
            }
            this.line = rest[end - 1] === NEWLINE ? "new" : this.line;
            rest = rest.subarray(end);
        }
        return Buffer.concat(shown);
    }

    /** What is left at the end of the log. */
    end(): Buffer {
        return this.held;
    }
}

/**
 * The progress of a wait, one line per change. Of many pods the lines come with a pause between them, as many milliseconds
 * as there are pods: nobody reads thousands.
 */
export class Lines {
    private said = "";
    /** By the clock that nobody sets. */
    private saidAt = -Infinity;

    constructor(
        private readonly report: (line: string) => void,
        private readonly pods: number,
    ) {}

    /** Says a line, unless it has just been said; gives when to come again where it is too early. */
    say(line: string, isLast: boolean): number | undefined {
        if (line === this.said) {
            return undefined;
        }
        const rest = this.saidAt + this.pods - performance.now();
        if (!isLast && rest > 0) {
            return Date.now() + rest;
        }
        this.said = line;
        this.saidAt = performance.now();
        this.report(line);
        return undefined;
    }

    /** Says something else; what was said before is then said again. */
    interject(line: string): void {
        this.report(line);
        this.said = "";
    }
}

/**
 * The progress lines of a wait, one for each change. Between two lines, as many milliseconds pass as there are pods, so
 * that a large cluster doesn't print thousands of lines.
 */
export class ProgressReport {
    private said = "";
    /** By the monotonic clock. */
    private saidAt = -Infinity;

    constructor(
        private readonly report: (line: string) => void,
        private readonly pods: number,
    ) {}

    /** Reports a line, unless it was the last one. If it is too early, returns when to call again. */
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

    /** Reports a line of another kind; afterwards, the last line is reported again. */
    interject(line: string): void {
        this.report(line);
        this.said = "";
    }
}

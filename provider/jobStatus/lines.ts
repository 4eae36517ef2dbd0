/**
 * The progress of a wait, one line per change. Of many pods the lines come with a pause between them, as many milliseconds
 * as there are pods: nobody reads thousands.
 */
export class Lines {
    private said = "";
    private saidAt = 0;

    constructor(
        private readonly report: (line: string) => void,
        private readonly pods: number,
    ) {}

    /** Says a line, unless it has just been said; gives when to come again where it is too early. */
    say(line: string, isLast: boolean): number | undefined {
        if (line === this.said) {
            return undefined;
        }
        const free = this.saidAt + this.pods;
        if (!isLast && Date.now() < free) {
            return free;
        }
        this.said = line;
        this.saidAt = Date.now();
        this.report(line);
        return undefined;
    }

    /** Says something else; what was said before is then said again. */
    interject(line: string): void {
        this.report(line);
        this.said = "";
    }
}

import { readMark } from "../../contract/results";
import { Budget, PAUSE } from "./budget";
import { CutLines, lineText } from "./cutLines";
import { Estimate } from "./estimate";
import { describeProgramProgress, type ProgramProgress, readProgramProgress } from "./progress";

/** Characters of the last line on a row of Pulumi's display, which cuts rows at the width of the terminal. */
const ROW = 80;
/** Characters of a line that stays. */
const LONGEST = 2000;
const [ESCAPE, SPACE] = [27, 32];
/** By how a script of the pods says how far the program is. */
const PROGRESS = /^minicluster: progress (.*)$/;

/** What a live output tells. */
export interface Voice {
    /** Prints a line that stays. Without it, only the row changes. */
    readonly tell?: (line: string) => void;
    /** The output is a secret: only the progress is told. */
    readonly isHidden?: boolean;
    /** Takes the beginning of a line about results, which isn't shown. */
    readonly heard?: (line: string) => void;
    /** The words for the row have changed. */
    changed(): void;
    /** Where all of the output is: `COMMAND prints all of them`. */
    readonly elsewhere: string;
}

/**
 * The output of a program while an update waits for it: its last line and its progress for the row, and all of its lines
 * if they are wanted. Its memory doesn't grow with the output.
 */
export class LiveOutput {
    /** The last progress that the program has told. */
    progress: ProgramProgress | undefined;
    /** The words for the row. They change seldom, because Pulumi keeps or prints each change. */
    words = "";
    private last = "";
    private lastLine: Buffer | undefined;
    private readonly lines = new CutLines((line) => this.takeLine(line));
    private readonly estimate = new Estimate();
    private readonly budget: Budget;
    private readonly begun: number;
    private leftOut = 0;
    private summary: NodeJS.Timeout | undefined;
    private changeAt = 0;
    private timer: NodeJS.Timeout | undefined;
    private isOver = false;

    /** `clock` is a monotonic one, in milliseconds. */
    constructor(
        private readonly voice: Voice,
        private readonly clock = () => performance.now(),
    ) {
        this.begun = clock();
        this.budget = new Budget(this.begun);
    }

    /** Takes the next bytes of the output. */
    take(bytes: Buffer): void {
        this.lines.next(bytes);
        // Now, because the line is a part of a chunk that may be large.
        this.readLast();
        this.change();
    }

    /** Takes the present end of an output of which only the last line is shown. It may begin within a line. */
    setEnd(bytes: Buffer): void {
        this.lines.next(bytes);
        this.lines.end();
        this.readLast();
        this.change();
    }

    /** Takes what the program tells of its progress by another way than its output. */
    setProgress(progress: ProgramProgress): void {
        this.keepProgress(progress);
        this.change();
    }

    /** Says something of the output, such as that lines are missing. It matters only where all lines are printed. */
    note(sentence: string): void {
        this.lines.end();
        this.summarize();
        this.voice.tell?.(`(${sentence})`);
    }

    /** The output has ended, or nothing more of it is read. */
    end(): void {
        this.lines.end();
        this.summarize();
        this.isOver = true;
        clearTimeout(this.timer);
    }

    private takeLine(line: Buffer): void {
        const { isHidden, tell } = this.voice;
        // The words of the scripts begin like this; a line with other first bytes needs no look.
        if (line[0] === 109 && this.takeMark(lineText(line, LONGEST))) {
            return;
        }
        if (!isHidden && hasWords(line)) {
            // It is made readable only when it is shown.
            this.lastLine = line;
        }
        if (tell === undefined) {
            return;
        }
        if (this.budget.allows(this.clock())) {
            this.summarize();
            tell(lineText(line, LONGEST));
        } else {
            this.leftOut++;
            this.summary ??= setTimeout(() => this.summarize(), PAUSE);
        }
    }

    /** True for a line of the scripts that isn't shown. */
    private takeMark(line: string): boolean {
        const told = PROGRESS.exec(line);
        const progress = told === null ? undefined : readProgramProgress(told[1]);
        if (progress !== undefined) {
            this.keepProgress(progress);
            return true;
        }
        if (readMark(line) === undefined) {
            return false;
        }
        this.voice.heard?.(line);
        return true;
    }

    private keepProgress(progress: ProgramProgress): void {
        const { fraction, text } = this.progress ?? {};
        if (fraction !== progress.fraction || text !== progress.text) {
            this.progress = progress;
            this.estimate.add(progress, this.clock());
        }
    }

    private readLast(): void {
        if (this.lastLine !== undefined) {
            this.last = lineText(this.lastLine, ROW).trim() || this.last;
            this.lastLine = undefined;
        }
    }

    /** Says how many lines are left out. */
    private summarize(): void {
        clearTimeout(this.summary);
        this.summary = undefined;
        if (this.leftOut > 0) {
            const [lines, are] = this.leftOut === 1 ? ["line", "is"] : ["lines", "are"];
            this.voice.tell?.(`(${this.leftOut} ${lines} ${are} left out; ${this.voice.elsewhere})`);
            this.leftOut = 0;
        }
    }

    /** Changes the words for the row, now or when enough time has passed since the last change. */
    private change(): void {
        if (this.timer !== undefined || this.isOver) {
            return;
        }
        const rest = this.changeAt - this.clock();
        if (rest > 0) {
            this.timer = setTimeout(() => {
                this.timer = undefined;
                this.changeNow();
            }, rest);
        } else {
            this.changeNow();
        }
    }

    private changeNow(): void {
        const now = this.clock();
        const { progress } = this;
        const rest = progress && this.estimate.describe(now);
        const parts = [progress && describeProgramProgress(progress), rest].filter((part) => part !== undefined);
        const words = [parts.join(", "), this.last].filter((part) => part !== "").join("; ");
        if (words !== this.words) {
            this.words = words;
            this.changeAt = now + pace(now - this.begun);
            this.voice.changed();
        }
    }
}

/** False for an empty line, also with colours. Most lines have a letter first, and are many. */
function hasWords(line: Buffer): boolean {
    const isPlain = !line.includes(ESCAPE) && line.some((byte) => byte > SPACE);
    return isPlain || lineText(line, ROW).trim() !== "";
}

/** Milliseconds between two changes of the row: 1 s in the first half minute, and 10 s after five minutes. */
function pace(elapsed: number): number {
    return Math.min(10_000, Math.max(1000, elapsed / 30));
}

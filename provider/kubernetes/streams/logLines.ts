const [NEWLINE, SPACE] = [10, 32];
/** Longest beginning of a line that can be a time. */
const LONGEST_TIME = 64;
/** Milliseconds by which lines of stdout and stderr can be out of order. */
const DISORDER = 1000;
/** Lines that are remembered, so that a fast output doesn't grow the memory. It has more lines only within two seconds. */
const MOST = 20_000;

interface Line {
    /** Its time as the API server writes it; undefined for a line without one. */
    readonly time?: string;
    /** How many of its bytes are known already. */
    readonly known: number;
    passed: number;
}

/**
 * Removes the times from the lines of a log, and passes on each byte once, although the log is read in several passes
 * that overlap. Lines are recognised by their times. Of several lines with the same time, a pass gives as many as are
 * known, in the same order.
 */
export class LogLines {
    /** Number of complete lines of each time that a further pass may give again. */
    private readonly shown = new Map<string, number>();
    /** The last line, if its end wasn't read. */
    private open: { readonly time: string; readonly bytes: number } | undefined;
    /** Second of the newest line, in milliseconds since 1970. */
    private newest = -Infinity;
    private newestText = "";
    /** Older lines are known, although they aren't in `shown`: there were too many. */
    private cutoff = -Infinity;
    private most = MOST;
    private left = new Map<string, number>();
    private head = Buffer.alloc(0);
    private line: Line | undefined;
    /** Whether the last line of this pass was known: a line without a time is a part of it. */
    private isKnown = false;
    /** Whether a pass has begun that must give known lines first, because it begins before the newest line. */
    private mustOverlap = false;
    private hasGap = false;
    private skipsEarlier = false;

    /** From when on the next pass has to read, in whole seconds; undefined before the first line. */
    get since(): string | undefined {
        return this.newest === -Infinity ? undefined : `${new Date(this.oldest).toISOString().slice(0, 19)}Z`;
    }

    private get oldest(): number {
        return Math.floor((this.newest - DISORDER) / 1000) * 1000;
    }

    /** The first pass begins within the log: what is before its first line counts as known. */
    skipEarlier(): void {
        this.skipsEarlier = true;
    }

    /** Begins a pass: the log is read again from `since` on. */
    again(): void {
        this.keepOpen();
        this.left = new Map(this.shown);
        this.head = Buffer.alloc(0);
        this.line = undefined;
        this.isKnown = this.newest !== -Infinity;
        this.mustOverlap = this.isKnown;
    }

    /**
     * True once after a pass has begun without a line that is known: the log was rotated, and lines between the passes may
     * be missing.
     */
    takeGap(): boolean {
        const { hasGap } = this;
        this.hasGap = false;
        return hasGap;
    }

    /** The new bytes in the next bytes of a pass. */
    next(chunk: Buffer): Buffer {
        const fresh: Buffer[] = [];
        for (let rest = chunk; rest.length > 0; ) {
            rest = this.line === undefined ? this.begin(rest) : this.continue(this.line, rest, fresh);
        }
        return Buffer.concat(fresh);
    }

    /** Takes bytes until the time of a line is complete; returns the bytes after it. */
    private begin(chunk: Buffer): Buffer {
        const bytes = this.head.length === 0 ? chunk : Buffer.concat([this.head, chunk]);
        const end = bytes.subarray(0, LONGEST_TIME).findIndex((byte) => byte === SPACE || byte === NEWLINE);
        if (end < 0 && bytes.length < LONGEST_TIME) {
            this.head = Buffer.from(bytes);
            return Buffer.alloc(0);
        }
        this.head = Buffer.alloc(0);
        const time = bytes.subarray(0, Math.max(end, 0)).toString();
        if (bytes[end] !== SPACE || !/^\d{4}-\d\d-\d\dT\S+$/.test(time)) {
            this.line = { known: this.isKnown ? Infinity : 0, passed: 0 };
            return bytes;
        }
        if (this.skipsEarlier) {
            this.skipsEarlier = false;
            this.cutoff = Date.parse(time);
        }
        this.line = { time, known: this.knownOf(time), passed: 0 };
        this.isKnown = this.line.known === Infinity;
        this.hasGap ||= this.mustOverlap && this.line.known === 0;
        this.mustOverlap = false;
        return bytes.subarray(end + 1);
    }

    private knownOf(time: string): number {
        const left = this.left.get(time) ?? 0;
        if (left > 0) {
            this.left.set(time, left - 1);
            return Infinity;
        }
        if (this.cutoff !== -Infinity && Date.parse(time) < this.cutoff) {
            return Infinity;
        }
        return this.open?.time === time ? this.open.bytes : 0;
    }

    /** Takes bytes until the end of a line; returns the bytes after it. */
    private continue(line: Line, chunk: Buffer, fresh: Buffer[]): Buffer {
        const newline = chunk.indexOf(NEWLINE);
        const end = newline < 0 ? chunk.length : newline + 1;
        fresh.push(chunk.subarray(Math.min(Math.max(0, line.known - line.passed), end), end));
        line.passed += end;
        if (newline >= 0) {
            this.finish(line);
            this.line = undefined;
        }
        return chunk.subarray(end);
    }

    private finish({ known, time }: Line): void {
        if (time === undefined || known === Infinity) {
            return;
        }
        this.open = this.open?.time === time ? undefined : this.open;
        this.shown.set(time, (this.shown.get(time) ?? 0) + 1);
        this.advance(time);
    }

    /** Forgets lines that no further pass gives. */
    private advance(time: string): void {
        if (this.shown.size > this.most) {
            this.cutoff = Math.max(this.cutoff, Date.parse(time));
            this.forgetBefore(this.cutoff);
            // All may be of the same millisecond.
            this.most = Math.max(MOST, 2 * this.shown.size);
        }
        // Most lines are of the same second as the line before.
        const second = time.slice(0, 19);
        if (second === this.newestText) {
            return;
        }
        this.newestText = second;
        const before = this.oldest;
        this.noteTime(time);
        if (this.oldest !== before) {
            this.forgetBefore(this.oldest);
        }
    }

    private noteTime(time: string): void {
        this.newest = Math.max(this.newest, Date.parse(time) || -Infinity);
    }

    private forgetBefore(oldest: number): void {
        for (const known of this.shown.keys()) {
            if (Date.parse(known) < oldest) {
                this.shown.delete(known);
            }
        }
    }

    private keepOpen(): void {
        const { line } = this;
        if (line?.time !== undefined && line.known !== Infinity && line.passed > 0) {
            this.open = { time: line.time, bytes: Math.max(line.known, line.passed) };
            this.noteTime(line.time);
        }
    }
}

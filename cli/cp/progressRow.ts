import { programName } from "../definition/programName";
import type { Watcher } from "../../provider/copy/receive";

/** Milliseconds between two states of the row. */
const PERIOD = 200;
/** Columns of a terminal that doesn't say its width. */
const COLUMNS = 80;

/** The row on a terminal that tells how far a copy is. Elsewhere it prints nothing. */
export class ProgressRow implements Watcher {
    private bytes = 0;
    private name = "";
    private shownAt = -Infinity;
    private readonly startedAt = performance.now();

    constructor(private readonly terminal: NodeJS.WriteStream) {}

    readonly moved = (bytes: number): void => {
        this.bytes += bytes;
        this.show();
    };

    readonly starts = (name: string): void => {
        this.name = name;
        this.show();
    };

    private show(): void {
        const now = performance.now();
        if (!this.terminal.isTTY || now - this.shownAt < PERIOD) {
            return;
        }
        this.shownAt = now;
        const speed = this.bytes / Math.max(0.001, (now - this.startedAt) / 1000);
        const text = `${programName()}: ${amountOf(this.bytes)}, ${amountOf(speed)}/s  ${this.name}`;
        this.terminal.write(`\r\u001b[K${text.slice(0, (this.terminal.columns || COLUMNS) - 1)}`);
    }

    clear(): void {
        if (this.terminal.isTTY && this.shownAt > 0) {
            this.terminal.write("\r\u001b[K");
        }
    }
}

const UNITS = ["kB", "MB", "GB", "TB"];

/** A number of bytes in its largest unit, such as `1.5 GB`. */
export function amountOf(bytes: number): string {
    const power = Math.min(UNITS.length, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)));
    const value = bytes / 1000 ** power;
    return power === 0 ? `${Math.round(bytes)} B` : `${value.toFixed(value < 10 ? 1 : 0)} ${UNITS[power - 1]}`;
}

import { Writable } from "node:stream";

import { foreignJson, foreignLine, foreignLines } from "../../provider/contract/foreignText";
import { programName } from "../definition/programName";

/** Colours of phases, on a terminal. */
const COLOURS: Record<string, number> = {
    CANCELED: 33,
    COMPLETED: 32,
    FAILED: 31,
    RUN: 34,
    TIMEOUT: 31,
    failed: 31,
    ready: 32,
    running: 34,
    succeeded: 32,
};

export function isFancy(stream: NodeJS.WriteStream): boolean {
    return stream.isTTY === true && !process.env.NO_COLOR;
}

/** Headings and rows, aligned in columns. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
    const { head, line } = columns(headings, rows);
    return [head, ...rows.map(line)].join("\n") + "\n";
}

/** Prints rows in columns that are wide enough for these. */
export function columns(
    headings: readonly string[],
    foreign: readonly (readonly string[])[],
): { readonly head: string; line(cells: readonly string[]): string } {
    const rows = foreign.map(cellsOf);
    const widths = headings.map((heading, column) =>
        Math.max(heading.length, ...rows.map((row) => row[column].length)),
    );
    const align = (cells: readonly string[], paint: (text: string) => string) =>
        cells
            .map((cell, column) => paint(cell) + " ".repeat(Math.max(0, widths[column] - cell.length)))
            .join("  ")
            .trimEnd();
    const fancy = isFancy(process.stdout);
    const bold = (text: string) => (fancy ? `\u001b[1m${text}\u001b[0m` : text);
    const coloured = (text: string) => (fancy && COLOURS[text] ? `\u001b[${COLOURS[text]}m${text}\u001b[0m` : text);
    return { head: align(headings, bold), line: (cells) => align(cellsOf(cells), coloured) };
}

/** Characters of a cell. */
const WIDEST = 250;

function cellsOf(row: readonly string[]): string[] {
    return row.map((cell) => foreignLine(cell, WIDEST));
}

/** Prints a value as JSON. */
export function printJson(value: unknown, indent?: number): void {
    process.stdout.write(`${foreignJson(value, indent)}\n`);
}

/** Prints a message, which may have foreign parts, to standard error, behind the name by which the program was called. */
export function say(message: string): void {
    process.stderr.write(`${programName()}: ${foreignLines(message)}\n`);
}

/** Prints a progress line, on a terminal only. */
export function progress(text: string): void {
    if (process.stderr.isTTY) {
        say(text);
    }
}

/** Milliseconds of a wait after which it is told also without a terminal. */
const LONG = 5000;

/** Reports what a wait waits for and at which server: on a terminal at once, elsewhere after a while, and the same words once. */
export function waitReport(server: string, now: () => number = () => performance.now()): (text: string) => void {
    const begun = now();
    let last = "";
    return (text) => {
        if (text === last || (!process.stderr.isTTY && now() - begun < LONG)) {
            return;
        }
        last = text;
        say(`${text} (${server})`);
    };
}

/** A duration in its largest unit, such as `2h`. */
export function age(milliseconds: number): string {
    const seconds = Math.max(0, Math.floor(milliseconds / 1000));
    const units: [number, string][] = [
        [86400, "d"],
        [3600, "h"],
        [60, "m"],
    ];
    const [size, unit] = units.find(([length]) => seconds >= length) ?? [1, "s"];
    return `${Math.floor(seconds / size)}${unit}`;
}

/** Writes to a stream. Resolves when its reader has taken the text, so that the writer doesn't run ahead of it. */
export function written(stream: Writable, text: Uint8Array | string): Promise<void> {
    // main.ts ends the process if a reader has closed the stream.
    return new Promise((resolve) => void stream.write(text, () => resolve()));
}

/**
 * Writes to another stream and leaves it open. When a command has ended, the Kubernetes client ends its streams. If the
 * process then wrote to an ended stderr, it would fail.
 */
export function leftOpen(stream: Writable): Writable {
    return new Writable({ write: (chunk: Buffer, _encoding, done) => void written(stream, chunk).then(() => done()) });
}

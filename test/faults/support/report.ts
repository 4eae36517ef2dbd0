import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { drawLines, type Line } from "../../bench/lines";
import { stateDir } from "../../../scripts/local/paths";

type Row = Readonly<Record<string, number>>;

/** A line of the chart: its name, and the column of the table. */
type Lines = readonly (readonly [name: string, column: string])[];

/** Prints a table, whose first column is the size. Saves it as NAME.json, and a chart of some columns as NAME.svg. */
export function report(name: string, title: string, rows: readonly Row[], lines: Lines): void {
    console.table(rows);
    const [size] = Object.keys(rows[0]);
    const series = lines.map(
        ([label, column]): Line => ({ name: label, points: rows.map((row) => [row[size], row[column]]) }),
    );
    writeFileSync(join(stateDir, `${name}.json`), `${JSON.stringify(rows, undefined, 2)}\n`);
    writeFileSync(join(stateDir, `${name}.svg`), drawLines(title, size, series));
}

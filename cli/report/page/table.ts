import { html, type Html } from "./html";

/** A column of a table. */
export interface Column<T> {
    readonly name: string;
    /** `number` aligns to the right, `word` doesn't break its lines, and `name` only breaks a long word. */
    readonly kind?: "name" | "number" | "word";
    cell(row: T): Html | string;
}

/** Rows that a page shows at once. More of them are in parts, which a reader opens. */
export const MOST = 60;
const CHUNK = 500;

/** A table; with many rows, it is in parts. A browser lays a part out only when it is open and in view. */
export function table<T>(caption: string, columns: readonly Column<T>[], rows: readonly T[]): Html {
    if (rows.length <= MOST) {
        return part(caption, columns, rows);
    }
    const count = Math.ceil(rows.length / CHUNK);
    return html`${Array.from({ length: count }, (_, index) => {
        const chunk = rows.slice(index * CHUNK, (index + 1) * CHUNK);
        const which = `${(index * CHUNK + 1).toLocaleString("en")}–${(index * CHUNK + chunk.length).toLocaleString("en")}`;
        const name = `${caption}: ${which} of ${rows.length.toLocaleString("en")}`;
        return html`<details><summary>${name}</summary><div class="chunk">${part(name, columns, chunk)}</div></details>
`;
    })}`;
}

function part<T>(caption: string, columns: readonly Column<T>[], rows: readonly T[]): Html {
    return html`<div class="table" tabindex="0" role="region" aria-label="${caption}"><table><caption>${caption}</caption>
<thead><tr>${columns.map(({ kind, name }) => html`<th scope="col"${classOf(kind)}>${name}</th>`)}</tr></thead>
<tbody>
${rows.map(
    (row) => html`<tr>${columns.map(({ cell, kind }) => html`<td${classOf(kind)}>${cell(row)}</td>`)}</tr>
`,
)}</tbody></table></div>
`;
}

function classOf(kind: Column<unknown>["kind"]): Html | undefined {
    return kind === undefined ? undefined : html` class="${kind}"`;
}

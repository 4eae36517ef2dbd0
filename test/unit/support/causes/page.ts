import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { describeSeconds } from "../../../../provider/contract/quantity";
import { cureOf } from "../../../../provider/observe/causes/pods";
import { TIMEOUTS } from "../states";
import type { Cause } from "./cause";
import { lookAt } from "./look";
import { causes } from "./index";

const PAGE = join(__dirname, "../../../../docs/troubleshooting.md");
const [BEGIN, END] = ["<!-- causes -->", "<!-- end of causes -->"];

/** The seconds after which a cause ends the wait. */
export function graceOf({ limit }: Cause): number {
    return limit === undefined ? 0 : TIMEOUTS[limit];
}

/** The tables of causes in the page, which `UPDATE_DOCS=1` writes. */
export function readTables(): string {
    const page = readFileSync(PAGE, "utf8");
    const [from, to] = [page.indexOf(BEGIN) + BEGIN.length, page.indexOf(END)];
    const made = makeTables();
    if (process.env["UPDATE_DOCS"] === "1") {
        writeFileSync(PAGE, page.slice(0, from) + made + page.slice(to));
        return made;
    }
    return page.slice(from, to);
}

export function makeTables(): string {
    const tables = Object.entries(causes).map(([head, rows]) =>
        [
            `### ${head}\n`,
            "| cause | failure of `pulumi up` | after | cure |",
            "|---|---|---|---|",
            ...rows.map((row) => `| ${row.cause} | \`${escaped(row)}\` | ${after(row)} | ${cureOfCause(row)} |`),
        ].join("\n"),
    );
    return `\n${tables.join("\n\n")}\n`;
}

function messageOf(cause: Cause): string {
    const { failure = "(none)" } = lookAt(cause, graceOf(cause));
    return failure.replace(/(?:; cure: .*)? \(for [^()]*; raise timeouts\.\w+ to wait longer\)$/, "");
}

/** The cure that `minicluster doctor` prints, too. */
function cureOfCause(cause: Cause): string {
    return cureOf(messageOf(cause), cause.limit === "podCreation");
}

function escaped(cause: Cause): string {
    return messageOf(cause).replaceAll("|", "\\|");
}

function after(cause: Cause): string {
    return cause.limit === undefined ? "at once" : `\`${cause.limit}\`, ${describeSeconds(graceOf(cause))}`;
}

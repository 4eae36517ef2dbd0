import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { root } from "../../../scripts/local/paths";
import { ODDITIES, type Oddity } from "./oddities";

const PAGE = join(root, "docs/troubleshooting.md");
const BEGIN = "<!-- oddities -->\n";
const END = "<!-- end of oddities -->";

/** The tables of the page. UPDATE_DOCS=1 writes them. */
export function readOddities(): string {
    const page = readFileSync(PAGE, "utf8");
    const [from, to] = [page.indexOf(BEGIN) + BEGIN.length, page.indexOf(END)];
    if (process.env["UPDATE_DOCS"] === "1") {
        writeFileSync(PAGE, page.slice(0, from) + makeOddities() + page.slice(to));
        return makeOddities();
    }
    return page.slice(from, to);
}

export function makeOddities(): string {
    const failing = Object.values(ODDITIES)
        .flat()
        .filter(({ reads }) => reads !== undefined);
    const harmless = Object.values(ODDITIES)
        .flat()
        .filter(({ reads }) => reads === undefined);
    return [
        "| odd | what you read | exit code |",
        "|---|---|---|",
        ...failing.map(rowOf),
        "",
        "With these, a cluster runs:",
        "",
        ...harmless.map(({ odd }) => `- ${odd}`),
        "",
    ].join("\n");
}

function rowOf({ code, odd, reads = "" }: Oddity): string {
    const fence = reads.includes("`") ? "``" : "`";
    return `| ${odd} | ${fence}${reads.replaceAll("|", "\\|")}${fence} | ${code ?? "1 or 255"} |`;
}

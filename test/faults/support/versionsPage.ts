import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { root, stateDir } from "../../../scripts/local/paths";
import { keepTried, type Tried } from "../../../scripts/tests/tried";
import { CORE, type CoreOperation } from "./coreCases";
import type { Result } from "./matrix";
import { describeStep } from "./steps";
import { createsByPost, SETS, type Versions } from "./versions";

type Column = "quickstart" | CoreOperation;

const COLUMNS: readonly Column[] = ["quickstart", ...CORE];

/** The cells of the last runs, by set of versions and column. */
type Known = Record<string, Partial<Record<Column, string>>>;

const KEPT = join(stateDir, "versions.json");
const PAGE = join(root, "test/faults/interruptions.md");
const TITLE = "## Versions";

const HEAD = `${TITLE}

\`make test-faults PART=versions\` runs the quickstart and the core of this page with the oldest and the newest versions.
The core is \`SIGINT\` and \`kill -9\` of the CLI, before and after the requests that matter most: those that create and
delete the Job and the lead's Service, and the one that resizes the Job. A cell counts the interruptions after which the
next command did what its operation has to do, by the words of the table above. \`UPDATE_DOCS=1\` writes this section.

- The plugin of @pulumi/kubernetes creates an object by \`PATCH\` up to 4.28, and adopts an existing one. From 4.29 on it
  creates by \`POST\`, and fails if the object exists. So a MiniCluster first removes its own object that an interrupted
  creation has left. With \`PULUMI_K8S_UPSERT_EXISTING_OBJECTS=true\` the plugin adopts an existing object again.
- The sources of the plugin from 4.29 on are in no Go module. A build of 4.25.0 that creates by \`POST\` like 4.29 and later
  takes their place in the test, with the npm package of the version.
- The language host of all sets is that of Pulumi 3.65, the last one in a Go module. It only starts the program, which
  then calls the engine itself.
`;

/** The columns of each set that have passed in this run. The kept cells may be those of another day. */
const passed: Record<string, Set<Column>> = {};

/** Keeps the results of a part of a set, and writes the section if UPDATE_DOCS is 1. */
export function keepVersions(set: string, column: Column, results: readonly Result[]): void {
    const known: Known = existsSync(KEPT) ? (JSON.parse(readFileSync(KEPT, "utf8")) as Known) : {};
    const all: Known = { ...known, [set]: { ...known[set], [column]: cellOf(column, results) } };
    mkdirSync(dirname(KEPT), { recursive: true });
    writeFileSync(KEPT, JSON.stringify(all));
    passed[set] ??= new Set();
    if (!all[set][column]?.includes("**failed**")) {
        passed[set].add(column);
    }
    if (COLUMNS.every((one) => passed[set].has(one))) {
        keepTried(...triedWith(SETS[set]));
    }
    if (process.env["UPDATE_DOCS"] === "1") {
        const page = readFileSync(PAGE, "utf8");
        writeFileSync(PAGE, withSection(page, section(all)));
    }
}

/** What a whole set has tried. */
export function triedWith({ cli, kubernetes, node, sdk }: Versions): Omit<Tried, "date">[] {
    const by = "the quickstart, and interruptions at the requests that matter most";
    const simulated = createsByPost(kubernetes)
        ? "the npm package, with a build of the plugin of 4.25.0 that creates by POST like this version"
        : undefined;
    return [
        { thing: "Pulumi CLI", version: cli, by },
        { thing: "@pulumi/pulumi", version: sdk, by },
        { thing: "@pulumi/kubernetes", version: kubernetes, by, simulated },
        { thing: "Node", version: node, by },
    ];
}

/** The section in a page; empty if it has none. */
export function sectionIn(page: string): string {
    const [, rest] = page.split(`\n${TITLE}\n`);
    return rest === undefined ? "" : `${TITLE}\n${rest.split(/\n(?=## )/)[0].trimEnd()}\n`;
}

/** The page with another section, which is the first one. */
export function withSection(page: string, text: string): string {
    const [head, ...others] = page.split(/\n(?=## )/);
    const tables = others.filter((part) => !part.startsWith(`${TITLE}\n`));
    const parts = [head, text, ...tables].map((part) => part.trim()).filter((part) => part !== "");
    return `${parts.join("\n\n")}\n`;
}

function section(known: Known): string {
    const rows = Object.entries(SETS).map(([name, versions]) => [
        ...versionsOf(versions),
        ...COLUMNS.map((column) => known[name]?.[column] ?? "not run yet"),
    ]);
    const head = ["@pulumi/pulumi", "Pulumi CLI", "@pulumi/kubernetes", "Node", ...COLUMNS];
    const lines = [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`);
    return `${HEAD}\n${lines.join("\n")}\n`;
}

const versionsOf = ({ cli, kubernetes, node, sdk }: Versions): string[] => [
    sdk,
    cli,
    `${kubernetes}, ${createsByPost(kubernetes) ? "creates by POST" : "creates by PATCH"}`,
    node,
];

/** The number of each end, such as `6 created, 2 adopted`, and the failures. */
function cellOf(column: Column, results: readonly Result[]): string {
    if (column === "quickstart") {
        return "passed";
    }
    const failed = results.filter(({ failure }) => failure !== undefined);
    const ends = results.filter(({ failure }) => failure === undefined).map(({ cell }) => cell.replace(" (1)", ""));
    const counts = [...new Set(ends)].map((end) => `${ends.filter((other) => other === end).length} ${end}`);
    const failures = failed.map(({ interruption, step }) => `**failed** ${describeStep(step!)}, ${interruption}`);
    return [...counts, ...failures].join("; ");
}

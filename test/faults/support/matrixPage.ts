import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { root, stateDir } from "../../../scripts/local/paths";
import { COLUMNS, type Operation, OPERATIONS, type Result } from "./matrix";
import { describeStep } from "./steps";
import { sectionIn, withSection } from "./versionsPage";

/** The results of the last runs, by subject and operation. */
type Known = Record<string, Partial<Record<Operation, readonly Row[]>>>;

interface Row {
    readonly step: string;
    /** The cells by interruption. */
    readonly cells: Readonly<Record<string, string>>;
}

const SUBJECTS = ["MiniCluster", "FluxJob"] as const;

const KEPT = join(stateDir, "interruptions.json");
const PAGE = join(root, "test/faults/interruptions.md");

const HEAD = `# Interruptions of Pulumi, request by request

The results of the test that interrupts Pulumi at each request: what the next command does. The test writes this page:
\`UPDATE_DOCS=1 make test-faults PART=interruption\`.

The list of requests comes from an operation without an interruption. A row is a moment in such an operation: before a
request that changes something, after the request took effect and before Pulumi knows it, or during a wait. A column is
the interruption.

After the interruption the test does what [troubleshooting.md](../../docs/troubleshooting.md#pulumi-was-interrupted) says:
\`pulumi cancel\` if the stack is locked, then \`pulumi up\` (after a destroy, \`pulumi destroy\`), and
\`pulumi refresh --clear-pending-creates\` if Pulumi remembers a pending creation. Each case ends with exactly one Job of
the cluster (exactly one submission of a FluxJob), a state that agrees with the cluster, and a preview that shows no
change.

| cell | what the next \`pulumi up\` or \`pulumi destroy\` did |
|---|---|
| resumed | continued with the Job that is in the state |
| adopted | found a Job that is not in the state, and adopted it |
| created | created the Job, which did not exist |
| replaced | replaced the existing Job |
| nothing left | deleted the rest |
| kept | nothing: the old job's result is in the state, Flux has forgotten the job, and the user must request the replacement again |
| not reached | this time the operation ended without that request |
| – | left out: each interruption meets each request either before or after it, and both only with \`MATRIX=whole\` |

The number is the number of attempts; two are allowed. Only the interrupted command knows that a resource was to be
replaced by hand. If it failed, the test does \`pulumi refresh\` before \`pulumi up\`, and the cell says "after a refresh".
\`NAME\` is the name of the cluster or of the FluxJob, \`HASH\` is the hash of the ConfigMap's content. \`EXEC\` is a command
in the lead's pod, which calls Flux.
`;

/** Keeps the results of an operation, and writes the page if UPDATE_DOCS is 1. */
export function keep(subject: string, operation: Operation, results: readonly Result[]): void {
    const known: Known = existsSync(KEPT) ? (JSON.parse(readFileSync(KEPT, "utf8")) as Known) : {};
    const all: Known = { ...known, [subject]: { ...known[subject], [operation]: rowsOf(results) } };
    writeFileSync(KEPT, JSON.stringify(all));
    if (process.env["UPDATE_DOCS"] === "1") {
        // The other parts of the page are those of the last runs. The versions have a test of their own.
        writeFileSync(PAGE, withSection(page(all), sectionIn(readFileSync(PAGE, "utf8"))));
    }
}

function rowsOf(results: readonly Result[]): Row[] {
    const steps = [...new Set(results.map(({ step }) => describeStep(step!)))];
    return steps
        .sort((a, b) => orderOf(results, a) - orderOf(results, b))
        .map((step) => {
            const own = results.filter((result) => describeStep(result.step!) === step);
            return { step, cells: Object.fromEntries(own.map(({ cell, interruption }) => [interruption, cell])) };
        });
}

/** The step's place in the order of requests, because the cases run in another order. */
function orderOf(results: readonly Result[], step: string): number {
    return results.find((result) => describeStep(result.step!) === step)?.index ?? 0;
}

function page(known: Known): string {
    const tables = Object.entries(known).flatMap(([subject, operations]) =>
        OPERATIONS.flatMap((operation) => table(`${subject}: ${operation}`, operations[operation])),
    );
    return [HEAD, ...notRun(known), ...tables].join("\n");
}

/** The line about operations without results. */
function notRun(known: Known): string[] {
    const left = SUBJECTS.flatMap((subject) =>
        OPERATIONS.filter((operation) => known[subject]?.[operation] === undefined).map(
            (operation) => `${operation} of a ${subject}`,
        ),
    );
    return left.length === 0 ? [] : [`Not run yet: ${left.join(", ")}.\n`];
}

function table(title: string, rows: readonly Row[] | undefined): string[] {
    if (rows === undefined) {
        return [];
    }
    const lines = rows.map(
        ({ cells, step }) => `| ${[step, ...COLUMNS.map((column) => cells[column] ?? "–")].join(" | ")} |`,
    );
    return [`## ${title}\n`, `| | ${COLUMNS.join(" | ")} |`, `|---|${"---|".repeat(COLUMNS.length)}`, ...lines, ""];
}

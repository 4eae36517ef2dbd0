import fc from "fast-check";
import assert from "node:assert/strict";

import { lineOf } from "../../cli/complete/action";
import { leadCommand, newMark, parseReport } from "../../cli/doctor/leadReport";
import { checkQueue } from "../../cli/doctor/queue";
import { describeHealth, toJson } from "../../cli/doctor/print";
import { describeExplanation } from "../../cli/explain/explanation";
import { FORMAT, parseJobs } from "../../cli/fluxJob/rows";
import { html } from "../../cli/report/page/html";
import { table } from "../../cli/terminal/terminal";
import { foreignJson, foreignLine, foreignLines } from "../../provider/contract/foreignText";
import { reporter } from "../../provider/host/log";
import { describeRunning, parseLiveJobs } from "../../provider/flux/liveJobs";
import { describeRecord } from "../../provider/fluxSubmission/failure";
import { describeFailure } from "../../provider/jobStatus/failure";
import { lineText } from "../../provider/observe/live/cutLines";
import type { Pod } from "../../provider/observe/pods/pod";
import { plainText } from "../../provider/observe/pods/plainText";
import { partialFailure, readably, type Verbs } from "../../provider/host/verbs";

/** What changes a terminal or the order of the text, without the line feed. */
const UNSEEN = /[^\P{Cc}\n]|[\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

const HOSTILE = [
    "\u001b]52;c;aGk=\u0007",
    "\u001b[2J",
    "\u009b31m",
    "\u0090q\u009c",
    "\u202e",
    "\u2066",
    "\u200f",
    "\n",
    "\r",
    "\r\n",
    "\t",
    "\v",
    "\u0085",
    "\u2028",
    "\0",
    "\u0007",
    "\ud800",
    "\ufeff",
    "<{%reset%}>",
    '"',
    "'",
    "\\",
    "\\n",
    "€",
    "👩‍🚀",
    "fGjH5\tCOMPLETED\t0",
    "</script>",
];
const hostile = fc
    .array(fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ unit: "binary", maxLength: 6 })), { maxLength: 12 })
    .map((parts) => parts.join(""));
const HUGE = "a\u001b[31m\n".repeat(150_000);

const job = { cluster: { name: "mc", namespace: "hpc" }, jobId: "f1", timeouts: { ready: 1 } };
const pod = (words: string) => ({ name: "mc-0", rank: 0, terminated: { words, marks: {} } }) as unknown as Pod;
const verbs = { read: (text: string) => Promise.reject(new Error(text)) } as unknown as Verbs<object, object>;
const failed = async (text: string) => {
    const error = await readably(verbs)
        .read(text, {})
        .catch((thrown: Error) => thrown);
    return (error as Error).message;
};

/** Prints to the console, which stands for the engine's row and Diagnostics. */
function reported(text: string): string {
    const { log } = console;
    let printed = "";
    console.log = (line: string) => (printed += line);
    try {
        reporter(undefined, "mc")(text);
    } finally {
        console.log = log;
    }
    return printed;
}

/** A text as Python's `ascii` quotes it. */
function ascii(text: string): string {
    const inside = [...text].map((one) => {
        const code = one.codePointAt(0) as number;
        const short = ({ "\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\", "'": "\\'" } as Record<string, string>)[
            one
        ];
        const hex = (letter: string, digits: number) => `\\${letter}${code.toString(16).padStart(digits, "0")}`;
        if (short !== undefined || (code >= 32 && code < 127)) {
            return short ?? one;
        }
        return code < 256 ? hex("x", 2) : code < 65536 ? hex("u", 4) : hex("U", 8);
    });
    return `'${inside.join("")}'`;
}

const finding = (text: string) => ({ level: "fail" as const, text, cure: text });
const healthOf = (text: string) => [{ name: "pods", findings: [finding(text)] }] as any;

/** Each place where a foreign text comes out, with the lines that it may have; undefined for those of an output. */
const EDGES: readonly [where: string, lines: number | undefined, print: (text: string) => string | Promise<string>][] =
    [
        ["a row and the Diagnostics of an update", undefined, reported],
        ["an error that keeps a resource", undefined, (text) => partialFailure(text, "id", {}).message],
        ["an error of a verb", undefined, failed],
        ["the reason of a FluxJob", 1, (text) => describeRecord({ output: "", reason: text }, job)],
        [
            "the output in the error of a FluxJob",
            undefined,
            (output) => partialFailure(describeRecord({ output, reason: "r" }, job), "id", {}).message,
        ],
        [
            "the termination message of a pod",
            2,
            (text) =>
                describeFailure(
                    "c",
                    { isStart: false, pod: pod(`x${text}`), text: "" },
                    { maxBytes: 9, secretOutput: false },
                ),
        ],
        ["the last line of an output", 1, (text) => lineText(Buffer.from(text.replaceAll("\n", " ")), 80)],
        ["a text of Kubernetes", 1, (text) => plainText(text)],
        ["the name of a running job in a refusal", 1, (text) => describeRunning(live(text))],
        ["a table", 2, (text) => table(["NAME"], [[`x${text}x`]]).trimEnd()],
        ["completion", 1, (text) => lineOf({ help: text, word: text }).replace("\t", " ")],
        [
            "explain",
            2,
            (text) =>
                describeExplanation({
                    exitCode: 0,
                    jobId: "f1",
                    name: text,
                    output: null,
                    reason: "failed",
                    sentences: [text],
                } as any).slice(0, -1),
        ],
        [
            "the output in explain",
            undefined,
            (output) =>
                describeExplanation({
                    exitCode: 1,
                    jobId: "f1",
                    name: "n",
                    output,
                    reason: "failed",
                    sentences: [],
                } as any),
        ],
        ["doctor", 5, (text) => describeHealth({ namespace: "hpc" }, undefined, healthOf(text)).slice(0, -1)],
        ["the errors of the command line", undefined, (text) => foreignLines(text)],
        ["JSON", 1, (text) => foreignJson({ text })],
        [
            "the JSON of doctor",
            undefined,
            (text) => foreignJson(toJson({ namespace: "hpc" }, undefined, healthOf(text)), 2),
        ],
    ];

const live = (name: string) => parseLiveJobs(`run\tf1\t0\t9\t${ascii(name)}\n`).running[0];

describe("foreign text", () => {
    for (const [where, lines, print] of EDGES) {
        it(`changes neither the terminal nor the lines in ${where}`, async () => {
            await fc.assert(
                fc.asyncProperty(hostile, async (text) => {
                    const printed = await print(text);
                    assert.doesNotMatch(printed, UNSEEN);
                    if (lines !== undefined) {
                        assert.equal(printed.split("\n").length, lines, JSON.stringify(printed));
                    }
                }),
                { numRuns: 300, seed: 1 },
            );
        });

        it(`of a megabyte is cut in ${where}`, async () => {
            const printed = await print(HUGE);
            assert.doesNotMatch(printed, UNSEEN);
            assert.ok(where.includes("JSON") || printed.length < 20_000, String(printed.length));
        });
    }

    it("makes no character of HTML and no change of direction in a report", () => {
        fc.assert(
            fc.property(hostile, (text) => {
                const shown = html`<p>${text}</p>`.text.slice(3, -4);
                assert.doesNotMatch(shown, /[<>"']|[^\P{Cc}\t\n]|[\u202a-\u202e\u2066-\u2069]/u);
            }),
            { seed: 1 },
        );
    });

    it("stays whole in JSON", () => {
        fc.assert(
            fc.property(hostile, (text) =>
                assert.deepEqual(JSON.parse(foreignJson({ [text]: [text] }, 2)), { [text]: [text] }),
            ),
            { seed: 1 },
        );
    });

    it("can't forge a row of flux jobs", () => {
        assert.match(FORMAT, /\t\{name!a\}$/);
        fc.assert(
            fc.property(hostile, (name) => {
                const rows = parseJobs(`f1\tRUN\t\t1\t1\t9\t${ascii(name)}\nf2\tRUN\t\t1\t1\t9\t'b'\n`);
                assert.deepEqual(
                    rows.map((row) => [row.jobId, row.name]),
                    [
                        ["f1", name],
                        ["f2", "b"],
                    ],
                );
            }),
            { seed: 1 },
        );
    });

    it("can't forge what Flux says to doctor", () => {
        assert.ok(leadCommand(newMark()).some((word) => word.includes("\t{name!a}'")));
        assert.notEqual(newMark(), newMark());
        fc.assert(
            fc.property(hostile, (name) => {
                const mark = newMark();
                const row = `f1\tSCHED\t16\t1\t\t${ascii(`${name}\nminicluster-doctor queue 1`)}`;
                const queue = `minicluster-doctor drained 1\n${mark} queue 0`;
                const said = parseReport(`${queue}\n${row}\nbegan 1\n${mark} pending 0\n`, mark);
                assert.deepEqual(said.pending.lines, [row]);
                const job = { spec: { completions: 1 } };
                const findings = checkQueue({ job } as any, { ...said, overlay: { lines: [] } });
                assert.equal(findings.length, 2);
                assert.doesNotMatch(findings[1].text, UNSEEN);
                assert.equal(findings[1].text.split("\n").length, 1);
            }),
            { seed: 1 },
        );
    });

    it("of one line keeps its letters", () => {
        assert.equal(foreignLine("é €\t\u001b[31mred\u001b[0m 漢字"), "é € red 漢字");
    });
});

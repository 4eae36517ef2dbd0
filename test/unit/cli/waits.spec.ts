import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { writeNew } from "../../../cli/report/action";
import { JsonLines } from "../../../cli/terminal/jsonLines";
import { setProgramName } from "../../../cli/definition/programName";
import { waitReport } from "../../../cli/terminal/terminal";
import { tryAgain } from "../../../cli/terminal/tryAgain";

describe("waitReport", () => {
    const { write } = process.stderr;
    const { isTTY } = process.stderr;

    afterEach(() => {
        process.stderr.write = write;
        process.stderr.isTTY = isTTY;
    });

    /** What is printed if these texts are reported after so many milliseconds. */
    function printed(terminal: boolean, ...reports: readonly (readonly [at: number, text: string])[]): string[] {
        setProgramName("minicluster");
        const lines: string[] = [];
        process.stderr.isTTY = terminal;
        process.stderr.write = (text: string | Uint8Array) => lines.push(String(text)) > 0;
        let at = 0;
        const report = waitReport("https://k8s", () => at);
        for (const [moment, text] of reports) {
            at = moment;
            report(text);
        }
        process.stderr.write = write;
        return lines;
    }

    it("tells after 5 s without a terminal what a wait waits for and at which server, and the same words once", () => {
        assert.deepEqual(
            printed(false, [0, "waits for a"], [4000, "waits for a"], [5000, "waits for a"], [6000, "waits for a"]),
            ["minicluster: waits for a (https://k8s)\n"],
        );
    });

    it("names the server of an error after which a command tries again", () => {
        setProgramName("minicluster");
        const lines: string[] = [];
        process.stderr.isTTY = true;
        process.stderr.write = (text: string | Uint8Array) => lines.push(String(text)) > 0;
        tryAgain("https://k8s")(new Error("the lead is away"));
        process.stderr.write = write;
        assert.deepEqual(lines, ["minicluster: the lead is away; trying again (https://k8s)\n"]);
    });

    it("tells it at once on a terminal, and what comes next", () => {
        assert.deepEqual(printed(true, [0, "waits for a"], [1000, "waits for a"], [2000, "waits for b"]), [
            "minicluster: waits for a (https://k8s)\n",
            "minicluster: waits for b (https://k8s)\n",
        ]);
    });
});

describe("JsonLines", () => {
    it("prints a document for each line, also of letters and lines that come in parts", async () => {
        const printed: string[] = [];
        const lines = new JsonLines({ rank: 1 }, async (text) => void printed.push(text));
        const bytes = Buffer.from('a "b"\nµ\u2028\nlast');
        for (const byte of bytes) {
            await lines.take(Buffer.from([byte]));
        }
        await lines.end();
        const rows = printed.join("").split("\n").filter(Boolean);
        assert.deepEqual(
            rows.map((row) => JSON.parse(row)),
            ['a "b"', "µ\u2028", "last"].map((line) => ({ rank: 1, line })),
        );
    });
});

describe("writeNew", () => {
    it("keeps earlier reports, and numbers the next ones", () => {
        const before = process.cwd();
        const folder = mkdtempSync(join(tmpdir(), "report-"));
        try {
            process.chdir(folder);
            assert.deepEqual(
                ["a", "b", "c"].map((text) => writeNew("lammps", text)),
                ["lammps.html", "lammps-2.html", "lammps-3.html"],
            );
            assert.equal(readFileSync("lammps.html", "utf8"), "a");
        } finally {
            process.chdir(before);
            rmSync(folder, { recursive: true });
        }
    });
});

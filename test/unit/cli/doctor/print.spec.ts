import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { leadCommand, newMark, parseReport } from "../../../../cli/doctor/leadReport";
import { describeHealth, isHealthy, toJson } from "../../../../cli/doctor/print";
import { fail, firstOf, ok, unchecked, warn } from "../../../../cli/doctor/finding";
import { CLUSTER, NEW, WELL } from "./support";

const GROUPS = [
    { name: "server", findings: [ok("Kubernetes 1.36 answers")] },
    { name: "rights", findings: [warn("no right to list events in namespace hpc. Optional.", "bind `the Role`")] },
    { name: "pods", findings: [fail("lammps-0-x does not start", "see [security.md](security.md) for *restricted*")] },
    { name: "queue", findings: [unchecked("the Job doesn't run")] },
];

describe("describeHealth", () => {
    it("prints a line for each check, its cure below it, and with what to begin", () => {
        assert.equal(
            describeHealth(CLUSTER, undefined, GROUPS),
            [
                "MiniCluster hpc/lammps",
                "server",
                "  ok           Kubernetes 1.36 answers",
                "rights",
                "  warn         no right to list events in namespace hpc. Optional.",
                "               cure: bind the Role",
                "pods",
                "  fail         lammps-0-x does not start",
                "               cure: see docs/security.md for restricted",
                "queue",
                "  not checked  the Job doesn't run",
                "1 check failed (1 warned, 1 not checked). Begin with pods: what follows may be its consequence.",
                "",
            ].join("\n"),
        );
    });

    it("says that no check has failed, and why no cluster is examined", () => {
        const text = describeHealth(NEW, "No cluster is selected.", GROUPS.slice(0, 2));
        assert.match(text, /^A MiniCluster in namespace hpc\nNo cluster is selected\.\nserver\n/);
        assert.match(text, /\nNo check failed \(1 warned, 0 not checked\)\.\n$/);
    });
});

describe("toJson", () => {
    it("has a check for each line, and says whether one has failed", () => {
        assert.deepEqual(JSON.parse(JSON.stringify(toJson(CLUSTER, undefined, GROUPS.slice(2)))), {
            namespace: "hpc",
            cluster: "lammps",
            healthy: false,
            checks: [
                {
                    group: "pods",
                    level: "fail",
                    text: "lammps-0-x does not start",
                    cure: "see docs/security.md for restricted",
                },
                { group: "queue", level: "unchecked", text: "the Job doesn't run" },
            ],
        });
        assert.equal(isHealthy(GROUPS.slice(0, 2)), true);
    });
});

describe("firstOf", () => {
    it("counts the findings that it leaves out", () => {
        const all = [1, 2, 3, 4, 5, 6, 7].map((each) => ok(String(each)));
        assert.deepEqual(
            firstOf(all).map(({ text }) => text),
            ["1", "2", "3", "4", "5", "and 2 more like these"],
        );
        assert.equal(firstOf(all.slice(0, 5)).length, 5);
    });
});

describe("parseReport", () => {
    it("reads the lines of each request, or its error", () => {
        const text =
            "began 7.5\n0 a: full\n\nended 8\nminicluster-doctor overlay 0\nflux: ERROR\nminicluster-doctor drained 1\n\nminicluster-doctor queue 124\n";
        assert.deepEqual(parseReport(text, "minicluster-doctor"), {
            overlay: { lines: ["0 a: full"], began: 7.5, ended: 8 },
            drained: { lines: ["flux: ERROR"], error: "flux: ERROR" },
            queue: { lines: [], error: "no answer within 15 s" },
            pending: { lines: [], error: "it was not answered" },
            facts: { lines: [], error: "it was not answered" },
        });
    });

    for (const shell of ["dash", "bash"]) {
        it(`reads what the script prints in ${shell}, and the script keeps tabs and braces`, () => {
            const folder = mkdtempSync(join(tmpdir(), "doctor-"));
            writeFileSync(join(folder, "flux"), `#!/bin/sh\nprintf '<%s>' "$@"\n[ "$1" != queue ] || exit 3\n`);
            chmodSync(join(folder, "flux"), 0o755);
            const env = { ...process.env, PATH: `${folder}:${process.env.PATH}` };
            const mark = newMark();
            const [program, ...words] = leadCommand(mark);
            const { stdout } = spawnSync(
                program,
                words.map((word) => (word === "sh" ? shell : word)),
                { env, encoding: "utf8" },
            );
            rmSync(folder, { recursive: true });
            const said = parseReport(stdout, mark);
            assert.deepEqual(Object.keys(said).sort(), Object.keys(WELL).sort());
            assert.deepEqual(said.overlay.lines, ["<overlay><status><--no-pretty>"]);
            assert(said.overlay.began! <= said.overlay.ended! && said.overlay.ended! <= Date.now() / 1000);
            assert.equal(said.queue.error, "<queue><status>");
            assert.match(said.pending.lines[0], /<--format=\{id\.f58plain\}\t\{state\}\t.*\t\{name!a\}>$/);
        });
    }
});

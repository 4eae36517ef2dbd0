import assert from "node:assert/strict";

import { RUN_OPTION_NAMES, runOptionsOf, runOptionWords } from "../../../../provider/contract/runOptions";

describe("runOptionWords", () => {
    it("makes no words of options that aren't given", () => {
        assert.deepEqual(runOptionWords({}), []);
        assert.deepEqual(runOptionWords({ exclusive: false, shellOptions: {} }), []);
    });

    it("makes a word of each option, with units, as Flux takes a bare number for minutes", () => {
        assert.deepEqual(
            runOptionWords({
                nodes: 2,
                tasks: 4,
                coresPerTask: 3,
                gpusPerTask: 0,
                exclusive: true,
                timeLimit: 90,
                signal: { name: "TERM" },
                fluxQueue: "debug",
                urgency: 0,
                requires: "rank:0 and fast",
                shellOptions: { pmi: "pmix", "cpu-affinity": "per-task" },
                inputFile: "in",
                outputFile: "out.{{id}}",
                errorFile: "err",
            }),
            [
                "--nodes=2",
                "--ntasks=4",
                "--cores-per-task=3",
                "--gpus-per-task=0",
                "--time-limit=90s",
                "--signal=TERM@60s",
                "--queue=debug",
                "--urgency=0",
                "--requires=rank:0 and fast",
                "--input=in",
                "--output=out.{{id}}",
                "--error=err",
                "--exclusive",
                "--setopt=cpu-affinity=per-task",
                "--setopt=pmi=pmix",
            ],
        );
        assert.deepEqual(runOptionWords({ tasksPerNode: 2, signal: { timeLeft: 5 } }), [
            "--tasks-per-node=2",
            "--signal=USR1@5s",
        ]);
    });
});

describe("runOptionsOf", () => {
    it("picks the run options among other arguments", () => {
        const args = { command: ["a"], nodes: 2, urgency: 3 };
        const picked = Object.entries(runOptionsOf(args)).filter(([, value]) => value !== undefined);
        assert.deepEqual(Object.fromEntries(picked), { nodes: 2, urgency: 3 });
        assert.equal(RUN_OPTION_NAMES.length, 15);
    });
});

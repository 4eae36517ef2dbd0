import assert from "node:assert/strict";

import { type Arguments } from "../../../../cli/definition/arguments";
import { COMMANDS } from "../../../../cli/commands";
import { parse } from "../../../../cli/parser/parser";
import { readRunOptions } from "../../../../cli/submit/runOptions";
import { runOptionWords } from "../../../../provider/contract/runOptions";

const read = (...options: string[]) =>
    readRunOptions((parse(["submit", ...options, "true"], COMMANDS) as { args: Arguments }).args.options);

describe("readRunOptions", () => {
    it("reads the same options as a FluxJob has, by their names with dashes", () => {
        const options = read(
            "-N2",
            "--tasks=4",
            "--cores-per-task=1",
            "--gpus-per-task=1",
            "-x",
            "--time-limit=90",
            "--signal=TERM@5",
            "--flux-queue=debug",
            "--urgency=0",
            "--requires=rank:0-1 and fast",
            "-o",
            "cpu-affinity=per-task",
            "-overbose",
            "--input-file=in",
            "--output-file=out.{{id}}",
            "--error-file=err",
        );
        assert.deepEqual(runOptionWords(options), [
            "--nodes=2",
            "--ntasks=4",
            "--cores-per-task=1",
            "--gpus-per-task=1",
            "--time-limit=90s",
            "--signal=TERM@5s",
            "--queue=debug",
            "--urgency=0",
            "--requires=rank:0-1 and fast",
            "--input=in",
            "--output=out.{{id}}",
            "--error=err",
            "--exclusive",
            "--setopt=cpu-affinity=per-task",
            "--setopt=verbose=1",
        ]);
        assert.deepEqual(runOptionWords(read("--cores-per-task=3", "--time-limit=61", "--signal", "TERM")), [
            "--cores-per-task=3",
            "--time-limit=61s",
            "--signal=TERM@60s",
        ]);
    });

    const wrong: [string[], string][] = [
        [["--signal=USR1@5s"], '--signal is "USR1@5s"; it must be NAME, @SECONDS or NAME@SECONDS.'],
        [
            ["--tasks-per-node=2", "--cores-per-task=1"],
            "--tasks-per-node is 2, but --cores-per-task is 1; Flux takes tasks for each node or numbers for each task, not both. " +
                "Remove --tasks-per-node, or the others.\n--tasks-per-node is 2, but nodes is missing. Give nodes.",
        ],
        [
            ["-o", "cpu-affinity=some"],
            '--shell-option cpu-affinity is "some"; it must be on, off, per-task, or map: with one set of numbers for each task.',
        ],
        [
            ["--output-file=none"],
            '--output-file is "none", which Flux takes for Flux\' own log. For a file, write "./none".',
        ],
    ];
    for (const [options, message] of wrong) {
        it(`refuses ${options.join(" ")} in the words of the command line`, () => {
            assert.throws(() => read(...options), { message });
        });
    }
});

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { readProgramProgress } from "../../../../provider/observe/live/progress";
import { BASH } from "../../support/sandbox";
import { scriptFile } from "../../support/scriptFile";
import { soon } from "../../../e2e/support/until";

/** A `flux` that writes its words into a file. */
const FLUX = '#!/bin/bash\nprintf "%s\\n" "$*" >>"$CALLS"\n';

describe("the progress of a program", () => {
    let folder: string;
    let env: Record<string, string>;

    beforeEach(() => {
        folder = mkdtempSync(join(tmpdir(), "progress-"));
        mkdirSync(join(folder, "run/progress"), { recursive: true });
        mkdirSync(join(folder, "scripts"));
        writeFileSync(join(folder, "scripts/run.sh"), readFileSync(scriptFile("run.sh")));
        writeFileSync(join(folder, "flux"), FLUX);
        chmodSync(join(folder, "flux"), 0o700);
        env = {
            PATH: `${folder}:${process.env.PATH}`,
            CALLS: join(folder, "calls"),
            FLUX_JOB_ID: "f7",
            MINICLUSTER_SCRIPTS: join(folder, "scripts"),
            MINICLUSTER_RUN: join(folder, "run"),
            MINICLUSTER_PROGRESS: join(folder, "run/progress/f7"),
        };
    });
    afterEach(() => rmSync(folder, { recursive: true }));

    const file = (name: string) => join(folder, "run/progress", name);
    const tell = (...words: string[]) =>
        spawnSync("/bin/sh", [scriptFile("minicluster-progress.sh"), ...words], { env, encoding: "utf8" });
    const start = (...words: string[]) => spawn(BASH, [scriptFile("progress.sh"), ...words], { env });

    const until = <T>(look: () => T | undefined): Promise<T> => soon("something is told", look);

    function read(path: string): string | undefined {
        try {
            return readFileSync(path, "utf8");
        } catch {
            return undefined;
        }
    }

    it("is written by minicluster-progress as one line", () => {
        assert.equal(tell("0.4", "step 400", "of 1,000").status, 0);
        assert.equal(read(file("f7")), "0.4 step 400 of 1,000\n");
    });

    const numbers = ["0", "1", "0.", "1.", ".5", "0.4", "1.00", String(2 / 3), "1e-05", "2.5e-07"];
    it("may be any number from 0 to 1 as programs print it, for the command, the pod's script and the update", () => {
        for (const number of numbers) {
            const { status, stderr } = tell(number, "text");
            assert.equal(status, 0, stderr);
            const { stdout } = spawnSync(BASH, [scriptFile("progress.sh"), "end", file("")], { env, encoding: "utf8" });
            assert.equal(stdout, `${number} text\n`);
            assert.equal(readProgramProgress(stdout)?.fraction, Number(number));
        }
    });

    for (const word of ["", ".", "40%", "1.5", "1.001", "-1", "1.2.3", "x", "1e5", "1e-", "0.1x", "e-5"]) {
        it(`is refused by minicluster-progress for the fraction "${word}"`, () => {
            const { status, stderr } = tell(word);
            assert.equal(status, 64);
            assert.match(stderr, /^minicluster-progress: the fraction is .*; give a number from 0 to 1/);
            assert.equal(read(file("f7")), undefined);
        });
    }

    it("is passed on as a memo of the job, once for each line", async () => {
        const watcher = start("watch", file("f7"), String(process.pid));
        tell("0.4", "step 4");
        assert.equal(await until(() => read(env.CALLS) || undefined), "job memo f7 progress=0.4 step 4\n");
        watcher.kill();
    });

    it("is passed on to the lead by a follower of an ephemeral cluster", async () => {
        writeFileSync(file("follower"), "");
        tell("0.4", "step 4");
        const watcher = start("watch", file("f7"), String(process.pid));
        const script = scriptFile("progress.sh");
        const call = `exec --rank=0 --noinput --quiet bash ${script} send ${file("lead")} 0.4 step 4\n`;
        assert.equal(await until(() => read(env.CALLS) || undefined), call);
        watcher.kill();
    });

    it("is not looked for any more after the end of the task", async () => {
        const task = spawn("sleep", ["100"]);
        tell("0.4", "step 4");
        const watcher = start("watch", file("f7"), String(task.pid));
        await until(() => read(env.CALLS) || undefined);
        task.kill();
        assert.equal(await new Promise((resolve) => watcher.on("exit", resolve)), 0);
        assert.equal(read(file("f7")), undefined, "a persistent cluster has a file of each job that has ended");
    });

    const odd: [what: string, text: string][] = [
        ["a line that isn't complete", "0.4 step"],
        ["an empty file", ""],
        ["something else than a fraction", "step 4\n"],
        ["a line of any length", "0.4 ".repeat(100_000)],
    ];
    for (const [what, text] of odd) {
        it(`is not taken from ${what}`, () => {
            writeFileSync(file("f7"), text);
            const { stdout } = spawnSync(BASH, [scriptFile("progress.sh"), "end", file("")], { env, encoding: "utf8" });
            assert.equal(stdout, "");
        });
    }

    it("is taken from the first line, without control characters, as the update reads it", () => {
        for (const [text, wanted] of [
            ["0.4 step\u001b[31m 4\nep 12 of 99\n", "0.4 step[31m 4"],
            ["  .25\n", ".25"],
            ["1.0 done\r\n", "1.0 done"],
        ]) {
            writeFileSync(file("f7"), text);
            const { stdout } = spawnSync(BASH, [scriptFile("progress.sh"), "end", file("")], { env, encoding: "utf8" });
            assert.equal(stdout, `${wanted}\n`);
            assert.notEqual(readProgramProgress(stdout), undefined);
        }
    });

    it("is printed in the lead's log at once, and then seldom, with the last line", async () => {
        spawnSync("mkfifo", [file("lead")]);
        const taker = start("take", file("lead"), file("last"));
        let log = "";
        taker.stderr.on("data", (bytes) => (log += bytes));
        const send = (line: string) =>
            spawnSync(BASH, [scriptFile("progress.sh"), "send", file("lead"), line], { env });
        send("0.1 first");
        await until(() => log || undefined);
        for (let step = 0; step < 20; step++) {
            send(`0.2 step ${step}`);
        }
        await until(() => (read(file("last")) === "0.2 step 19\n" ? true : undefined));
        assert.equal(log, "minicluster: progress 0.1 first\n");
        await until(() => (log.includes("step 19") ? true : undefined));
        assert.equal(log, "minicluster: progress 0.1 first\nminicluster: progress 0.2 step 19\n");
        taker.kill();
    });
});

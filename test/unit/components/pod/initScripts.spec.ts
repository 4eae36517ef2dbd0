import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
    chmodSync,
    copyFileSync,
    existsSync,
    mkdirSync,
    mkdtempSync,
    readFileSync,
    rmSync,
    writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { scriptFile } from "../../support/scriptFile";

describe("scripts of init containers", () => {
    let folder: string;

    beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "init-"))));
    afterEach(() => rmSync(folder, { recursive: true, force: true }));

    /** Runs a script with a `flux` of these lines. Returns its exit code and its termination message. */
    function run(script: string, words: readonly string[], flux = "exit 0"): readonly [number | null, string] {
        ["run.sh", script].forEach((name) => copyFileSync(scriptFile(name), join(folder, name)));
        writeFileSync(join(folder, "flux"), `#!/bin/sh\n${flux}\n`);
        chmodSync(join(folder, "flux"), 0o755);
        const log = join(folder, "log");
        const env = {
            PATH: `${folder}:${process.env.PATH}`,
            MINICLUSTER_SCRIPTS: folder,
            MINICLUSTER_PREPARED: join(folder, "prepared"),
            MINICLUSTER_TERMINATION_LOG: log,
        };
        const { status } = spawnSync("/bin/sh", [join(folder, script), ...words], { env, encoding: "utf8" });
        return [status, existsSync(log) ? readFileSync(log, "utf8") : ""];
    }

    it("tell that flux python doesn't run (curve.sh)", () => {
        const said = "flux python ended with exit code 127; the log of the container flux-curve has the reason";
        assert.deepEqual(run("curve.sh", [], "exit 127"), [78, `minicluster.error=${said}\n`]);
    });

    it("report the reason that curve.py prints (curve.sh)", () => {
        const flux = "echo forbidden; exit 1";
        assert.deepEqual(run("curve.sh", [], flux), [1, "minicluster.error=forbidden\n"]);
        rmSync(join(folder, "log"));
        assert.deepEqual(run("curve.sh", [], "echo a word"), [0, ""]);
    });

    it("tell that a folder can't be copied (view.sh)", () => {
        const from = join(folder, "view");
        mkdirSync(from);
        mkdirSync(join(folder, "prepared/0"), { recursive: true });
        writeFileSync(join(from, "lib"), "a file");
        mkdirSync(join(folder, "prepared/0/lib"));
        const said = `the folder ${from} of the view can't be copied to the pod's disk; the log of the container flux-view has the reason`;
        assert.deepEqual(run("view.sh", [from]), [78, `minicluster.error=${said}\n`]);
    });
});

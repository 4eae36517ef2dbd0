import assert from "node:assert/strict";
import { dirname } from "node:path";

import { configFiles } from "../../../../components/pod/configMap";
import { configName } from "../../../../provider/contract/names";
import { scriptText } from "../../../../provider/contract/scriptText";
import { scriptFile } from "../../support/scriptFile";
import { makeSpec } from "../../support/spec";

describe("configFiles", () => {
    it("holds broker.toml, the scripts and the hooks, sorted by name", () => {
        assert.deepEqual(Object.keys(configFiles(makeSpec({ hooks: { post: "p", init: "i" } }))), [
            "bridge.py",
            "broker.toml",
            "describe-ranks.sh",
            "environment.sh",
            "exec.sh",
            "hook-init.sh",
            "hook-post.sh",
            "lead.sh",
            "lives.sh",
            "minicluster-progress.sh",
            "options.sh",
            "output.sh",
            "own.sh",
            "processes.sh",
            "progress.sh",
            "ready.sh",
            "run.sh",
            "ssh.sh",
            "start-cpus.sh",
            "start-progress.sh",
            "start.sh",
            "submit.sh",
            "supervise.sh",
            "task.sh",
            "wait.sh",
        ]);
    });

    it("holds the scripts, which contain nothing of the cluster", () => {
        const { "broker.toml": _, ...scripts } = configFiles(makeSpec({ name: "lammps", size: 7 }));
        for (const [script, text] of Object.entries(scripts)) {
            assert.equal(text, scriptText(dirname(scriptFile(script)), script), script);
        }
    });

    it("holds the hooks unchanged", () => {
        assert.equal(configFiles(makeSpec({ hooks: { pre: 'echo "$HOME"\n' } }))["hook-pre.sh"], 'echo "$HOME"\n');
    });

    it("stays within 42,500 bytes by default, because Pulumi's state has it three times", () => {
        const bytes = JSON.stringify(configFiles(makeSpec())).length;
        assert.ok(bytes <= 42_500, `${bytes} bytes`);
    });

    it("stays below 42 KiB at the largest size, while a ConfigMap takes 1 MiB", () => {
        const bytes = Buffer.byteLength(JSON.stringify(configFiles(makeSpec({ size: 100_000 }))));
        assert.ok(bytes < 42 * 1024, `${bytes} bytes`);
    });
});

describe("configName", () => {
    const files = { a: "1", b: "2" };

    it("has the cluster's name and a short, stable hash", () => {
        assert.equal(configName("lammps", files), "lammps-config-5f13efef");
    });

    for (const [what, changed] of [
        ["a file's text", { a: "1", b: "3" }],
        ["a file's name", { a: "1", c: "2" }],
        ["the number of files", { a: "1" }],
    ] as const) {
        it(`changes with ${what}`, () => {
            assert.notEqual(configName("lammps", changed), configName("lammps", files));
        });
    }
});

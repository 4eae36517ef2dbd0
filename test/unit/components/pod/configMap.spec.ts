import assert from "node:assert/strict";
import { dirname } from "node:path";

import { configFiles, configName } from "../../../../components/pod/configMap";
import { scriptText } from "../../../../provider/contract/scriptText";
import { scriptFile } from "../../support/scriptFile";
import { makeSpec } from "../../support/spec";

describe("configFiles", () => {
    it("holds broker.toml, the scripts and the hooks, in the order of their names", () => {
        assert.deepEqual(Object.keys(configFiles(makeSpec({ hooks: { post: "p", init: "i" } }))), [
            "broker.toml",
            "cpus.sh",
            "flux.sh",
            "hook-init.sh",
            "hook-post.sh",
            "lead.sh",
            "processes.sh",
            "ready.sh",
            "start.sh",
            "supervise.sh",
            "task.sh",
            "wait.sh",
        ]);
    });

    it("has the scripts with nothing of the cluster in them", () => {
        const { "broker.toml": _, ...scripts } = configFiles(makeSpec({ name: "lammps", size: 7 }));
        for (const [script, text] of Object.entries(scripts)) {
            assert.equal(text, scriptText(dirname(scriptFile(script)), script), script);
        }
    });

    it("has the hooks as they were written", () => {
        assert.equal(configFiles(makeSpec({ hooks: { pre: 'echo "$HOME"\n' } }))["hook-pre.sh"], 'echo "$HOME"\n');
    });

    it("is small where nothing special is asked for: Pulumi's state has it three times", () => {
        const bytes = JSON.stringify(configFiles(makeSpec())).length;
        assert.ok(bytes <= 16_000, `${bytes} bytes`);
    });

    it("fits a ConfigMap, which takes 1 MiB", () => {
        const bytes = Buffer.byteLength(JSON.stringify(configFiles(makeSpec({ size: 100_000 }))));
        assert.ok(bytes < 32 * 1024, `${bytes} bytes`);
    });
});

describe("configName", () => {
    const files = { a: "1", b: "2" };

    it("is the cluster's, with a short and stable hash", () => {
        assert.equal(configName("lammps", files), "lammps-config-9f6b9a89");
    });

    for (const [what, changed] of [
        ["text", { a: "1", b: "3" }],
        ["name", { a: "1", c: "2" }],
        ["number", { a: "1" }],
    ] as const) {
        it(`changes with a file's ${what}`, () => {
            assert.notEqual(configName("lammps", changed), configName("lammps", files));
        });
    }
});

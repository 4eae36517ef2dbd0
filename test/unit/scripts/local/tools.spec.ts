import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { adminKubeconfig } from "../../../../scripts/local/cluster/folders";
import { kubectlTool, write } from "../../../../scripts/local/cluster/tools";

describe("the kubectl of a local cluster", () => {
    let root: string;

    beforeEach(() => {
        root = mkdtempSync(join(tmpdir(), "it's a tool-"));
    });

    afterEach(() => rmSync(root, { recursive: true }));

    const built = (): string => join(root, "built");

    /** A kubectl that prints its cluster, its words and its input. */
    function makeKubectl(): void {
        mkdirSync(built());
        writeFileSync(join(built(), "kubectl"), '#!/bin/sh\necho "$KUBECONFIG" "$@"; cat\n', { mode: 0o755 });
    }

    function call(folder: string, script: string): { status: number | null; stdout: string; stderr: string } {
        write(join(root, "bin"), { kubectl: kubectlTool(folder, ["sh", "-c", script, "build", built()]) });
        const words = ["get", "pods of it"];
        return spawnSync(join(root, "bin", "kubectl"), words, { encoding: "utf8", input: "input\n" });
    }

    const printed = `${adminKubeconfig} get pods of it\ninput\n`;

    it("is called for this cluster if it is there", () => {
        makeKubectl();
        const { status, stderr, stdout } = call(built(), "echo unexpected >&2; exit 1");
        assert.deepEqual([status, stderr, stdout], [0, "", printed]);
    });

    it("is built if it isn't there, into a folder that may be another one by now", () => {
        makeKubectl();
        const { status, stderr, stdout } = call(join(root, "former"), 'echo building >&2; echo "$1"');
        assert.deepEqual([status, stderr, stdout], [0, "building\n", printed]);
    });

    it("isn't called if it can't be built", () => {
        makeKubectl();
        const { status, stderr, stdout } = call(join(root, "former"), "echo broken >&2; exit 3");
        assert.deepEqual([status, stderr, stdout], [3, "broken\n", ""]);
    });
});

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

import { toolsDir } from "../../scripts/local/cluster/tools";
import { root } from "../../scripts/local/paths";
import { limit } from "../../scripts/tests/limits";
import { useNamespace } from "./support/namespace";

const main = join(root, "dist", "cli", "main.js");

describe("minicluster render", () => {
    const namespace = useNamespace();
    const folder = mkdtempSync(join(tmpdir(), "flux-minicluster-render-"));

    after(() => rmSync(folder, { recursive: true }));

    /** Runs a program in the folder, with kubectl and the cluster. */
    function run(words: readonly string[], input?: string): string {
        const { status, stderr, stdout } = spawnSync(words[0], words.slice(1), {
            cwd: folder,
            encoding: "utf8",
            env: {
                ...process.env,
                KUBECONFIG: namespace.kubeconfig,
                PATH: `${toolsDir}${delimiter}${process.env.PATH}`,
            },
            input,
        });
        assert.equal(status, 0, `${words.join(" ")}: ${stdout}${stderr}`);
        return stdout;
    }

    const render = (input: string, ...words: readonly string[]) =>
        run([process.execPath, main, "render", ...words], input);

    /** Applies a text, and returns what the lead has printed when the Job is complete. */
    function outputOf(text: string, name: string): string[] {
        const here = `--namespace=${namespace.name}`;
        run(["kubectl", "apply", "--filename=-"], text);
        run(["kubectl", "wait", here, "--for=condition=complete", `--timeout=${limit(120)}s`, `job/${name}`]);
        const lead = `batch.kubernetes.io/job-name=${name},batch.kubernetes.io/job-completion-index=0`;
        const log = run(["kubectl", "logs", here, `--selector=${lead}`, "--container=flux", "--tail=-1"]);
        return log
            .split("\n")
            .filter((line) => line.startsWith(`${name}-`))
            .sort();
    }

    /** Does what the comments of a text say. */
    function follow(text: string): void {
        const lines = [...text.matchAll(/^# {3}(.*)$/gm)].map(([, line]) => line);
        assert.equal(lines.length, 2, text);
        lines.forEach((line) => run(["bash", "-c", line]));
    }

    it("prints objects that kubectl applies, and the lines that make their Secret, from arguments", () => {
        const args = { name: "plain", image: namespace.image, size: 2, command: ["hostname"] };
        writeFileSync(join(folder, "plain.json"), JSON.stringify(args));
        const text = render("", "--namespace", namespace.name, "plain.json");
        follow(text);
        assert.deepEqual(outputOf(text, "plain"), ["plain-0", "plain-1"]);
    });

    it("does so from a preview", async () => {
        const config = { image: namespace.image };
        const stack = namespace.stack("rendered", { dir: join(root, "examples/quickstart") }, config);
        const text = render(await stack.digest("preview"));
        follow(text);
        assert.deepEqual(outputOf(text, "hello"), ["hello-0", "hello-1", "hello-2", "hello-3"]);
    });

    it("prints a cluster whose pods make their key without such lines", () => {
        const args = { image: namespace.image, size: 2, command: ["hostname"], keygen: "initContainer" };
        const text = render(JSON.stringify(args), "--namespace", namespace.name, "--cluster", "inpods");
        assert.doesNotMatch(text, /^#/m);
        assert.deepEqual(outputOf(text, "inpods"), ["inpods-0", "inpods-1"]);
    });
});

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { blocksOf, ROOT } from "./documents";

const text = readFileSync(join(ROOT, "README.md"), "utf8");
const lines = text.split("\n");
const firstScreen = lines.slice(0, 40);

/** The cells of the first screen's row about a command. */
const rowOf = (command: string): string[] =>
    firstScreen
        .find((line) => line.startsWith(`| \`${command}\` |`))
        ?.split("|")
        .slice(2, -1)
        .map((cell) => cell.trim()) ?? [];

describe("README", () => {
    it("says on its first screen what the package is, and names the two commands for a clone", () => {
        assert.match(firstScreen.slice(0, 6).join(" "), /An HPC cluster in Kubernetes with one Pulumi resource/);
        for (const command of ["make demo", "make test"]) {
            assert.ok(
                firstScreen.some((line) => line.startsWith(`${command} `)),
                command,
            );
        }
    });

    it("says what each of them needs, does and takes, as the other pages do", () => {
        const [needs, does, takes] = rowOf("make demo");
        assert.match(needs, /Linux as root, Node, Go 1\.26, 7 GB of disk/);
        assert.match(does, /MiniCluster on four \[ranks\]/);
        assert.equal(takes, "7 to 10 minutes the first time, half a minute afterwards");
        assert.match(readFileSync(join(ROOT, "docs/start.md"), "utf8"), /takes 7 to 10 minutes on two\s+cores/);
        const [, , duration] = rowOf("make test");
        const [warm, cold] = duration.match(/\d+/g) ?? [];
        const contributing = readFileSync(join(ROOT, "docs/CONTRIBUTING.md"), "utf8");
        assert.match(contributing, new RegExp(`^\\| \`make test\`, warm \\|.* ${warm} `, "m"));
        assert.match(contributing, new RegExp(`^\\| \`make test\` on an empty machine.*\\| ${cold} minutes`, "m"));
    });

    it("begins with a persistent cluster that needs no volume, no package index and no autoscaling", () => {
        const [first, second] = blocksOf("ts").filter(
            ({ document, text: program }) => document.name === "README.md" && program.includes('"flux"'),
        );
        assert.match(first.text, /^export const cluster = new MiniCluster/m);
        assert.match(first.text, /restful: \{ enabled: false \}/);
        assert.doesNotMatch(first.text, /archive|elastic|persistentVolumeClaim/);
        const [forSlurm] = blocksOf("ts").filter(({ document }) => document.name === "docs/slurm.md");
        assert.equal(forSlurm.text, first.text);
        // The second one is a part of a program that tests run.
        const example = readFileSync(join(ROOT, "examples/interactive/index.ts"), "utf8");
        assert.ok(second.text.trim().split("\n").length > 5);
        assert.ok(example.includes(second.text.trim()), "the second block isn't that of examples/interactive");
    });

    it("stays short", () => {
        assert.ok(lines.length <= 150, `${lines.length} lines`);
    });
});

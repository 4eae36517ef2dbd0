import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

import { COMMANDS } from "../../../../cli/commands";
import { type Lookups, offer } from "../../../../cli/complete/candidates";
import { readLine } from "../../../../cli/complete/line";
import { SCRIPTS } from "../../../../cli/completion/scripts";
import { root } from "../../../../scripts/local/paths";

describe("completion", () => {
    let asked: object[];
    const lookups: Lookups = {
        clusters: async (options) => {
            asked.push({ ...options });
            return ["lammps", "flux"].map((word) => ({ word, help: "ready" }));
        },
        jobs: async (options) => {
            asked.push({ ...options });
            return ["f26Zqx", "f26Zqy", "f3"].map((word) => ({ word, help: "RUN solve" }));
        },
    };

    async function offered(words: readonly string[]): Promise<string[]> {
        asked = [];
        const { candidates, files } = await offer(readLine(words, COMMANDS), COMMANDS, lookups);
        return [...candidates.map(({ word }) => word), ...(files ? ["(files)"] : [])];
    }

    const cases: [string[], string[], object[]?][] = [
        [["st"], ["status"]],
        [["r"], ["results", "report", "run", "render"]],
        [["__"], []],
        [["-n", "hpc", "wa"], ["wake"]],
        [["--names"], ["--namespace"]],
        [["status", ""], ["lammps", "flux"], [{}]],
        [["-nhpc", "status", "--context=far", "l"], ["lammps"], [{ namespace: "hpc", context: "far" }]],
        [["status", "lammps", ""], []],
        [["status", "-c", ""], ["lammps", "flux"], [{}]],
        [["attach", "lammps", "f2"], ["f26Zqx", "f26Zqy"], [{ cluster: "lammps" }]],
        [["attach", "lammps", "f26Zqx", ""], []],
        [["cancel", "lammps", "f26Zqx", "f2"], ["f26Zqy"], [{ cluster: "lammps" }]],
        [["logs", "-c", "lammps", "f3"], ["f3"], [{ cluster: "lammps" }]],
        [["jobs", "lammps", "--filter", "pend"], ["pending"]],
        [["jobs", "lammps", "--filter=failed,time"], ["--filter=failed,timeout"]],
        [["jobs", "lammps", "--filter", "=", "pend"], ["pending"]],
        [
            ["jobs", "lammps", "--filter", "=", "pending", "--na"],
            ["--name", "--namespace"],
        ],
        [["submit", "--tasks-"], ["--tasks-per-node"]],
        [["submit", "-N", "2", "./solve", "--ta"], ["(files)"]],
        [["submit", "--", "./solve", ""], ["(files)"]],
        [["plan", "--no-kill", ""], ["(files)"]],
        [["cp", "la"], ["lammps:", "(files)"], [{}]],
        [["cp", "./la"], ["(files)"]],
        [["cp", "lammps:/da"], []],
        [["cp", "lammps", ":", "/da"], []],
        [["cp", "lammps", ":", "/data", "re"], ["(files)"], [{}]],
        [["cp", ":", "/data", "re"], ["(files)"], [{}]],
        [["cp", "lammps:/data", ".", ""], []],
        [
            ["completion", ""],
            ["bash", "zsh", "fish"],
        ],
        [["nonsense", ""], []],
    ];
    for (const [words, expected, lookedUp = []] of cases) {
        it(`offers what can stand at the end of "${words.join(" ")}"`, async () => {
            const found = await offered(words);
            assert.deepEqual([found, asked], [expected, lookedUp]);
        });
    }

    it("is silent without a cluster, and asks none for commands and options", () => {
        const main = join(root, "dist", "cli", "main.js");
        const env = { ...process.env, KUBECONFIG: "/nonexistent" };
        const run = (...words: string[]) =>
            spawnSync(process.execPath, [main, "__complete", ...words], { env, encoding: "utf8" });
        const [clusters, commands] = [run("status", ""), run("sta")];
        assert.deepEqual([clusters.status, clusters.stdout, clusters.stderr], [0, ":4\n", ""]);
        assert.deepEqual([commands.status, commands.stdout], [0, "status\tshow ranks, nodes and phases\n:4\n"]);
    });

    it("takes the words of bash, also --name=value, which bash splits", () => {
        const folder = mkdtempSync(join(tmpdir(), "completion-"));
        try {
            const program = join(folder, "minicluster");
            writeFileSync(
                program,
                `#!/bin/sh\nexec '${process.execPath}' '${join(root, "dist", "cli", "main.js")}' "$@"\n`,
            );
            chmodSync(program, 0o755);
            const env = { ...process.env, PATH: `${folder}${delimiter}${process.env.PATH}` };
            const complete = (words: string) =>
                execFileSync(
                    "bash",
                    [
                        "-c",
                        `${SCRIPTS.bash}\nCOMP_WORDS=(${words}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _minicluster; echo "\${COMPREPLY[@]}"`,
                    ],
                    { env, encoding: "utf8" },
                );
            assert.equal(complete("minicluster shel"), "shell\n");
            assert.equal(complete("minicluster jobs lammps --filter = pend"), "pending\n");
            assert.equal(complete("minicluster submit --exc"), "--exclusive\n");
        } finally {
            rmSync(folder, { recursive: true });
        }
    });

    for (const shell of ["bash", "zsh", "fish"]) {
        it(`is a script that ${shell} can read`, function () {
            const folder = mkdtempSync(join(tmpdir(), "completion-"));
            const file = join(folder, "script");
            writeFileSync(file, SCRIPTS[shell]);
            const { error, status, stderr } = spawnSync(shell, ["-n", file], { encoding: "utf8" });
            rmSync(folder, { recursive: true });
            if (error !== undefined && "code" in error && error.code === "ENOENT" && shell !== "bash") {
                // A plain Debian has bash only.
                this.skip();
            }
            assert.deepEqual([status, stderr], [0, ""]);
        });
    }
});

import assert from "node:assert/strict";

import { MiniCluster } from "flux-minicluster";

import type { Look } from "./look";

export const shape: Look = {
    subject: "with a topology or a launcher",

    clusters({ image }) {
        const args = { image, size: 4, launcher: true };
        return {
            flat: new MiniCluster("flat", {
                ...args,
                command: ["flux", "overlay", "status", "--timeout=30s", "--no-pretty"],
            }).output,
            tree: new MiniCluster("tree", {
                ...args,
                broker: { topology: "kary:2" },
                command: ["flux", "overlay", "status", "--timeout=30s"],
            }).output,
            launcher: new MiniCluster("launcher", {
                ...args,
                size: 2,
                broker: { extraConfig: '[tbon]\ntorpid_max = "7s"' },
                command: [
                    "bash",
                    "-c",
                    "flux submit --wait -N2 hostname >/dev/null; flux run -N2 hostname; echo $#; flux config get tbon",
                    "zero",
                    "one two",
                    "three",
                ],
            }).output,
        };
    },

    tests(outputs) {
        it("connects all followers to the lead by default", () => {
            const lines = outputs.flat.trim().split("\n");
            assert.deepEqual(
                lines.map((line) => line.trim().split(" ")[0]),
                ["0", "1", "2", "3"],
            );
            assert(
                lines.every((line) => /: full/.test(line)),
                outputs.flat,
            );
        });

        it("forms a tree with the topology kary:2", () => {
            assert.match(outputs.tree, /├─ 1 tree-1: full[^]*\n│ +└─ 3 tree-3: full[^]*\n└─ 2 tree-2: full/);
        });

        it("runs the launcher once, and the launcher's jobs on all ranks", () => {
            const lines = outputs.launcher
                .trim()
                .split("\n")
                .filter((line) => !/^[ƒ{]/.test(line));
            assert.deepEqual(lines.sort(), ["2", "launcher-0", "launcher-1"]);
        });

        it("merges the further configuration with its own", () => {
            const tbon = JSON.parse(/^\{.*\}$/m.exec(outputs.launcher)?.[0] ?? "{}");
            assert.deepEqual([tbon.torpid_min, tbon.torpid_max], ["2s", "7s"]);
        });
    },
};

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(__dirname, "../../..");

/** Names in back quotes in the first two columns of the table. */
function documented(): Set<string> {
    const [, section] = readFileSync(join(root, "docs/kubeconfigs.md"), "utf8").split(
        "## Options of the Kubernetes provider",
    );
    const rows = section.split("\n").filter((line) => line.startsWith("| "));
    const cells = rows.flatMap((row) => row.split("|").slice(1, 3));
    return new Set(cells.flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name)));
}

describe("The options of the Kubernetes provider", () => {
    const code = ["provider.js", "types/input.js"]
        .map((file) => readFileSync(join(root, "node_modules/@pulumi/kubernetes", file), "utf8"))
        .join("");
    /** What the package for Node doesn't name: options of the stack's configuration alone, and variables that the plugin reads. */
    const others = {
        option: ["enableReplaceCRD", "strictMode"],
        variable: [
            "PULUMI_K8S_AWAIT_ALL",
            "PULUMI_K8S_ENABLE_PATCH_FORCE",
            "PULUMI_K8S_KUSTOMIZE_HELM",
            "PULUMI_KUBERNETES_MANAGED_BY_LABEL",
        ],
    } as const;
    const named = (pattern: RegExp) => [...new Set([...code.matchAll(pattern)].map(([, name]) => name))];

    for (const [what, names, least] of [
        ["option", named(/resourceInputs\["(\w+)"\]/g), 15],
        ["variable", named(/getEnv\w*\("(\w+)"\)/g), 16],
    ] as const) {
        it(`have a row in docs/kubeconfigs.md for each ${what} of the installed provider`, () => {
            assert.ok(names.length >= least, names.join(" "));
            const known = documented();
            assert.deepEqual(
                [...names, ...others[what]].filter((name) => !known.has(name)),
                [],
            );
        });
    }
});

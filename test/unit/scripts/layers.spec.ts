import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const ROOT = join(__dirname, "../../..");

interface Imports {
    /** The file that imports. */
    readonly of: string;
    readonly refused: readonly string[];
    /** A name after "type " is imported as a type. */
    readonly allowed: readonly string[];
}

const PURE = ["@pulumi/pulumi", "@pulumi/kubernetes", "@kubernetes/client-node"];
const TYPES = PURE.map((name) => `type ${name}`);

const LAYERS: readonly Imports[] = [
    {
        of: "components/features/munge/planted.ts",
        refused: [
            ...PURE,
            "../../../provider/kubernetes/client",
            "../../../provider/indexedJob/verbs",
            "../../../provider/curveKey/resource",
            "type ../../../provider/curveKey/resource",
            "../../children/family",
            "type ../../children/family",
            "../../fluxJob/fluxJob",
            "../../../convert",
            "../../arguments/shape",
            "../../miniCluster",
            "../../pod/job",
            "../key/parts",
            "../munge/children",
            "../../features/key/parts",
            "type ../security/podAccount",
            "node:net",
        ],
        allowed: [
            ...TYPES,
            "./key",
            "../key",
            "type ../security",
            "type ../feature",
            "type ../../spec",
            "../../parts/mount",
            "../../rules/names",
            "../../../provider/contract/names",
        ],
    },
    {
        of: "convert/planted.ts",
        refused: [
            "@kubernetes/client-node",
            "../provider/kubernetes/client",
            "../provider/indexedJob/resource",
            "../cli/flux",
            "../plugin/functions",
        ],
        allowed: ["../components/arguments/decide", "type ../components/args", "../provider/contract/names", "yaml"],
    },
    {
        of: "components/index.ts",
        refused: ["../convert/operator/resource", "../cli/flux", "../provider/kubernetes/client"],
        allowed: ["../convert", "./miniCluster", "../provider/jobStatus/resource"],
    },
    {
        of: "components/features/restful/children.ts",
        refused: [
            "@kubernetes/client-node",
            "../../../provider/kubernetes/client",
            "../../../provider/indexedJob/verbs",
            "type ../security/podAccount",
            "../key/parts",
            "../../miniCluster",
            "../../../convert",
        ],
        allowed: [
            ...TYPES,
            "@pulumi/pulumi",
            "@pulumi/kubernetes",
            "type .",
            "../key",
            "./parts",
            "../../children/family",
            "../../../provider/keygenPod/resource",
        ],
    },
    {
        of: "provider/plan/planted.ts",
        refused: [
            ...PURE,
            "../../components/spec",
            "../../cli/target",
            "../indexedJob/resource",
            "../host/shim",
            "../guard/work",
            "node:net",
        ],
        allowed: ["type @kubernetes/client-node", "./digest", "../guard/guard", "../host/shimText"],
    },
    {
        of: "provider/guard/planted.ts",
        refused: [...PURE, "node:net"],
        allowed: ["type @kubernetes/client-node", "./work", "../contract/operation", "../kubernetes/client"],
    },
    {
        of: "provider/indexedJob/planted.ts",
        refused: ["../guard/work", "../guard/deletion", "type ../guard/change", "../../cli/flux"],
        allowed: ["../guard/guard", "type ../guard/guard", "../kubernetes/client", "./properties"],
    },
    {
        of: "plugin/server/planted.ts",
        refused: [
            ...PURE,
            "@grpc/grpc-js",
            "../construct",
            "../../provider/host/shim",
            "../../provider/indexedJob/verbs",
            "../../provider/kubernetes/client",
            "../../provider/index",
            "../../components/args",
        ],
        allowed: ["type @grpc/grpc-js", "./grpcNode", "../../provider/host/engine", "../../provider/host/verbs"],
    },
    {
        of: "plugin/planted.ts",
        refused: [
            ...PURE,
            "@grpc/grpc-js",
            "../cli/flux",
            "../provider/indexedJob/verbs",
            "../provider/curveKey/resource",
        ],
        allowed: [
            ...TYPES,
            "./schema",
            "../convert/operator/resource",
            "./server/grpcNode",
            "../provider/kubernetes/client",
        ],
    },
    {
        of: "plugin/construct.ts",
        refused: ["@kubernetes/client-node", "@pulumi/kubernetes", "../cli/flux", "../provider/kubernetes/client"],
        allowed: ["@pulumi/pulumi", "../components/miniCluster", "type ../provider/contract/object"],
    },
    ...["parts", "rules"].map((folder) => ({
        of: `components/${folder}/planted.ts`,
        refused: [
            ...PURE,
            "../../provider/kubernetes/client",
            "../../provider/curveKey/resource",
            "../features",
            "../features/key/parts",
            "../pod/job",
            "../children/family",
            "../arguments/shape",
            "../fluxJob/fluxJob",
            "../../convert",
            "../miniCluster",
            "../args",
        ],
        allowed: [
            ...TYPES,
            "./names",
            "../parts/program",
            "../rules/words",
            "type ../spec",
            "../../provider/contract/names",
        ],
    })),
    {
        of: "components/pod/planted.ts",
        refused: [
            ...PURE,
            "../../provider/kubernetes/client",
            "../features/key/parts",
            "../children/family",
            "../miniCluster",
        ],
        allowed: [...TYPES, "./template", "../features", "../parts/mount", "../../provider/contract/object"],
    },
    {
        of: "components/children/planted.ts",
        refused: [
            "@kubernetes/client-node",
            "../../provider/kubernetes/client",
            "../../provider/indexedJob/verbs",
            "../../cli/flux",
        ],
        allowed: [
            ...TYPES,
            "@pulumi/pulumi",
            "../pod/job",
            "../../provider/indexedJob/resource",
            "../../provider/contract/names",
        ],
    },
    {
        of: "provider/planted.ts",
        refused: [...PURE, "./curveKey/resource", "./host/shim", "../components/spec", "../cli/flux"],
        allowed: [...TYPES, "type ./curveKey/resource", "type ./host/shim", "./host/verbs", "node:util"],
    },
    {
        of: "provider/jobStatus/planted.ts",
        refused: [...PURE, "./resource", "../host/shim", "../curveKey/resource", "../../components/spec"],
        allowed: [...TYPES, "type ./resource", "./wait", "../kubernetes/client"],
    },
    {
        of: "provider/jobStatus/resource.ts",
        refused: [
            "@kubernetes/client-node",
            "./wait",
            "./verbs",
            "../kubernetes/client",
            "../../components/spec",
            "../../cli/flux",
            "../host/unknown",
        ],
        allowed: [
            ...TYPES.slice(0, 1),
            "type @kubernetes/client-node",
            "./properties",
            "../host/shim",
            "type ../contract/object",
        ],
    },
    {
        of: "provider/kubernetes/clientNode.ts",
        refused: ["@pulumi/pulumi", "./client", "../contract/names"],
        allowed: ["@kubernetes/client-node"],
    },
    {
        of: "provider/observe/causes/planted.ts",
        refused: ["../pods/pod", "../../kubernetes/client", "../../../components/spec"],
        allowed: ["type @kubernetes/client-node", "./pods", "../../contract/quantity"],
    },
    {
        of: "provider/contract/planted.ts",
        refused: [...PURE, ...TYPES],
        allowed: ["./names", "node:crypto"],
    },
    {
        of: "cli/target/planted.ts",
        refused: [
            "@kubernetes/client-node",
            "../submit/action",
            "type ../submit/runOptions",
            "../commands",
            "../../provider/indexedJob/verbs",
        ],
        allowed: [
            "type @kubernetes/client-node",
            "./stack",
            "../definition/arguments",
            "../../provider/kubernetes/client",
            "node:path",
        ],
    },
    {
        of: "cli/planted.ts",
        refused: [
            "@kubernetes/client-node",
            "../provider/fluxSubmission/verbs",
            "type ../provider/jobStatus/properties",
        ],
        allowed: [
            "type @kubernetes/client-node",
            "../provider/flux/queue",
            "../provider/kubernetes/client",
            "../components/spec",
        ],
    },
];

interface Report {
    readonly diagnostics: readonly {
        readonly code: string;
        readonly filename: string;
        readonly labels: readonly { readonly span: { readonly line: number } }[];
    }[];
}

const importLine = (name: string, index: number): string =>
    name.startsWith("type ")
        ? `import { type Name${index} } from "${name.slice("type ".length)}";`
        : `import { name${index} } from "${name}";`;

/** The imports that oxlint refuses, by file: it checks a folder with one file for each layer. */
function refusals(): Map<string, string[]> {
    const folder = mkdtempSync(join(tmpdir(), "layers-"));
    try {
        copyFileSync(join(ROOT, ".oxlintrc.json"), join(folder, ".oxlintrc.json"));
        for (const { of, refused, allowed } of LAYERS) {
            mkdirSync(join(folder, dirname(of)), { recursive: true });
            writeFileSync(join(folder, of), [...refused, ...allowed].map(importLine).join("\n"));
        }
        const oxlint = join(ROOT, "node_modules/oxlint/bin/oxlint");
        const { stdout } = spawnSync(process.execPath, [oxlint, "--format=json"], { cwd: folder, encoding: "utf8" });
        const lines = (JSON.parse(stdout) as Report).diagnostics
            .filter(({ code }) => code === "eslint(no-restricted-imports)")
            .map(({ filename, labels }) => ({ filename, line: labels[0]?.span.line ?? 0 }));
        return new Map(
            LAYERS.map(({ of, refused, allowed }) => {
                const found = new Set(lines.filter(({ filename }) => filename === of).map(({ line }) => line));
                return [of, [...refused, ...allowed].filter((_, index) => found.has(index + 1))];
            }),
        );
    } finally {
        rmSync(folder, { recursive: true });
    }
}

describe("the layers that the linter checks", () => {
    let found: Map<string, string[]>;

    before(() => (found = refusals()));

    for (const { of, refused } of LAYERS) {
        it(`refuse imports of ${of} from higher layers, and no others`, () => {
            assert.deepEqual(found.get(of), refused);
        });
    }
});

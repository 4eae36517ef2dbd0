import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { Analyzer } from "@pulumi/pulumi/provider/experimental/analyzer";

import type { Shape } from "../../../components/arguments/fields";
import { ARGUMENTS, JOB_ARGUMENTS } from "../../../components/generated/shapes";

const root = join(__dirname, "../../..");

type Analysis = ReturnType<Analyzer["analyze"]>;

/** Runs Pulumi's analyzer, which makes the schema for Python, Go and YAML from the class and its arguments. */
function analyze(): Analysis {
    const folder = mkdtempSync(join(root, "node_modules", ".analyzer-"));
    try {
        const compilerOptions = {
            module: "nodenext",
            moduleResolution: "nodenext",
            strict: true,
            skipLibCheck: true,
            types: ["node"],
        };
        writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["index.ts"] }));
        writeFileSync(join(folder, "index.ts"), 'export * from "../../index";\n');
        return new Analyzer(
            folder,
            "flux-minicluster",
            { main: "index.ts" },
            new Set(["MiniCluster", "FluxJob"]),
        ).analyze();
    } finally {
        rmSync(folder, { recursive: true });
    }
}

describe("the Pulumi schema for other languages", function () {
    this.timeout(60_000);
    let analysis: Analysis;

    before(() => {
        analysis = analyze();
    });

    const inputs = () => analysis.components.MiniCluster.inputs;

    /** Fields of the type that a property refers to. */
    function fieldsOf(property: any): string[] {
        const name = property.$ref.split(":").at(-1);
        return Object.keys(analysis.typeDefinitions[name].properties ?? {}).sort();
    }

    it("has the same arguments as the runtime check", () => {
        assert.deepEqual(Object.keys(inputs()).sort(), Object.keys(ARGUMENTS).sort());
    });

    it("has the same fields of nested arguments as the runtime check", () => {
        for (const [name, shape] of Object.entries(ARGUMENTS)) {
            compare(name, inputs()[name], shape);
        }
    });

    function compare(name: string, property: any, shape: Shape): void {
        if (typeof shape === "string" || "choice" in shape) {
            return;
        }
        if ("fields" in shape) {
            assert.deepEqual(fieldsOf(property), Object.keys(shape.fields).sort(), name);
        } else if ("list" in shape) {
            assert.equal(property.type, "array", name);
            compare(`${name}[]`, property.items, shape.list);
        } else {
            assert.deepEqual([property.type, property.additionalProperties?.type], ["object", "string"], name);
        }
    }

    it("has the same types of values as the runtime check", () => {
        const kinds: Partial<Record<string, string>> = {
            boolean: "boolean",
            integer: "number",
            secret: "string",
            text: "string",
            object: "object",
        };
        for (const [name, shape] of Object.entries(ARGUMENTS)) {
            // A schema can't describe an argument of two types.
            if (typeof shape === "string" && shape !== "any" && shape !== "kubeconfig") {
                const { $ref, type } = inputs()[name] as any;
                // Kubernetes' own types are named types of objects.
                assert.equal($ref === undefined ? type : "object", kinds[shape], name);
            }
        }
    });

    it("has an enum for each argument with a choice of values", () => {
        const { Interrupt, Placement, WaitFor } = analysis.typeDefinitions;
        const values = (type: typeof Placement) => type.enum?.map(({ name, value }) => `${name}=${value}`);
        assert.deepEqual(values(Placement), ["Spread=spread", "Exclusive=exclusive", "Pack=pack"]);
        assert.deepEqual(values(WaitFor), ["Ready=ready", "Completed=completed", "None=none"]);
        assert.deepEqual(values(Interrupt), ["Refuse=refuse", "Allow=allow"]);
        for (const name of ["interrupt", "keygen", "network", "placement", "waitFor"]) {
            assert.match((inputs()[name] as any).$ref, /^#\/types\/flux-minicluster:index:/);
        }
    });

    it("requires only the image", () => {
        const required = Object.entries(inputs()).filter(([, property]) => !property.optional);
        assert.deepEqual(
            required.map(([name]) => name),
            ["image"],
        );
    });

    it("has every output, and no dynamic resource among the outputs", () => {
        assert.deepEqual(Object.keys(analysis.components.MiniCluster.outputs).sort(), [
            "attachCommand",
            "endpoint",
            "exitCode",
            "forwardCommand",
            "hosts",
            "logsCommand",
            "name",
            "namespace",
            "nodes",
            "output",
            "phase",
            "restfulSecretKey",
            "restfulToken",
            "restfulUser",
            "slowestRank",
            "timings",
            "uid",
        ]);
    });

    it("has a FluxJob with its outputs and the runtime check's arguments", () => {
        const { inputs: jobInputs, outputs } = analysis.components.FluxJob;
        assert.deepEqual(Object.keys(jobInputs).sort(), Object.keys(JOB_ARGUMENTS).sort());
        for (const [name, shape] of Object.entries(JOB_ARGUMENTS)) {
            compare(name, jobInputs[name], shape);
        }
        const required = Object.entries(jobInputs).filter(([, property]) => !property.optional);
        assert.deepEqual(
            required.map(([name]) => name),
            ["cluster", "command"],
        );
        assert.deepEqual(Object.keys(outputs).sort(), ["exitCode", "jobId", "output", "phase"]);
    });

    it("has a description of every argument and every field", () => {
        const nameless = (properties: object = {}) =>
            Object.entries(properties)
                .filter(([, { description }]) => !description)
                .map(([name]) => name);
        assert.deepEqual(nameless(inputs()), []);
        assert.deepEqual(nameless(analysis.components.FluxJob.inputs), []);
        for (const [type, { properties }] of Object.entries(analysis.typeDefinitions)) {
            assert.deepEqual(nameless(properties), [], type);
        }
    });
});

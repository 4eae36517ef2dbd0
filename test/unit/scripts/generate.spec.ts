import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { generated } from "../../../scripts/generate";
import { withAddresses } from "../../../scripts/generate/manifest";
import { withTables } from "../../../scripts/generate/tables";

const ROOT = join(__dirname, "../../..");

describe("files generated from arguments and outputs", function () {
    this.timeout(60_000);
    let files: Map<string, string>;

    before(() => (files = generated()));

    it("are up to date with `npm run generate`", () => {
        for (const [file, text] of files) {
            assert.equal(readFileSync(join(ROOT, file), "utf8"), text, `${file} is stale: npm run generate`);
        }
    });

    it("have a text for each argument and each field", () => {
        const rows = [...files.values()].flatMap((text) => text.match(/^\| `.*$/gm) ?? []);
        assert.deepEqual(
            rows.filter((row) => row.endsWith("|  |")),
            [],
        );
    });

    it("have the default of each argument that isn't required", () => {
        const tables = [...files.values()].flatMap((text) => text.match(/<!-- arguments: [\s\S]*?<!-- end -->/g) ?? []);
        assert.deepEqual(
            tables
                .join("\n")
                .split("\n")
                .filter((row) => /^\| `[^|]*\|  \|/.test(row)),
            [],
        );
    });

    it("name each argument of a MiniCluster in docs/arguments.md", () => {
        const shapes = files.get("components/generated/shapes.ts") ?? "";
        const [cluster] = shapes.split("export const JOB_ARGUMENTS");
        const names = [...cluster.matchAll(/^ {4}(\w+):/gm)].map(([, name]) => name);
        const text = files.get("docs/arguments.md") ?? "";
        assert.deepEqual(
            names.filter((name) => !new RegExp(`\\b${name}\\b`).test(text)),
            [],
        );
    });
});

describe("a generated table", () => {
    const size = {
        name: "size",
        feature: "size",
        text: "Number of ranks. Each is a pod.",
        default: "1",
        required: false,
        immediate: false,
        secret: false,
        shape: "integer",
        choices: [],
        fields: [],
    } as const;

    it("of arguments replaces the previous table", () => {
        const document = "Before.\n<!-- arguments: size -->\nold\n<!-- end -->\nAfter.";
        const table =
            "| argument | default | description |\n|---|---|---|\n| `size` | 1 | Number of ranks. Each is a pod. |\n";
        assert.equal(
            withTables(document, { arguments: [size] }),
            `Before.\n<!-- arguments: size -->\n${table}<!-- end -->\nAfter.`,
        );
    });

    it("of a feature has all its arguments, with their fields", () => {
        const field = { ...size, name: "port" };
        const broker = {
            ...size,
            name: "broker",
            feature: "broker",
            shape: { fields: { port: "integer" } },
            fields: [field],
        } as const;
        const rows = withTables("<!-- arguments: broker/* -->\n<!-- end -->", { arguments: [size, broker] }).match(
            /^\| `\S+`/gm,
        );
        assert.deepEqual(rows, ["| `broker`", "| `broker.port`"]);
    });

    it("of an unknown argument throws an error", () => {
        assert.throws(() => withTables("<!-- arguments: sise -->\n<!-- end -->", { arguments: [size] }), {
            message: "There is no argument sise.",
        });
    });

    it("of outputs has all of them with their whole texts", () => {
        const outputs = [{ ...size, name: "phase", text: "Phase of the cluster. It changes." }];
        assert.equal(
            withTables("<!-- outputs -->\nold\n<!-- end -->", { arguments: [], outputs }),
            "<!-- outputs -->\n| output | description |\n|---|---|\n| `phase` | Phase of the cluster. It changes. |\n<!-- end -->",
        );
    });
});

describe("the addresses in package.json", () => {
    const without = '{\n  "license": "Apache-2.0",\n  "main": "dist/index.js"\n}\n';
    const withOnes =
        '{\n  "license": "Apache-2.0",\n  "homepage": "https://docs.example/",\n  "bugs": "https://git.example/issues",\n' +
        '  "main": "dist/index.js"\n}\n';

    it("are added, changed and removed", () => {
        const fields = { homepage: "https://docs.example/", bugs: "https://git.example/issues" };
        assert.equal(withAddresses(without, {}), without);
        assert.equal(withAddresses(without, fields), withOnes);
        assert.equal(withAddresses(withOnes, fields), withOnes);
        assert.equal(withAddresses(withOnes, {}), without);
    });
});

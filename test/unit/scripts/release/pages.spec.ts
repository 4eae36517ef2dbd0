import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { parse } from "yaml";

import { MINIMUM } from "../../../../provider/contract/versions";
import { root } from "../../../../scripts/local/paths";

const read = (file: string) => readFileSync(join(root, file), "utf8");

describe("the pages for Pulumi's registry", () => {
    for (const file of ["docs/_index.md", "docs/installation-configuration.md"]) {
        it(`${file} begins with the fields that the registry reads`, () => {
            const [, fields = ""] = read(file).split("---\n");
            const { layout, meta_desc: description, title } = parse(fields) as Record<string, string>;
            assert.equal(layout, "package");
            assert.match(title, /^Flux MiniCluster/);
            assert.match(description, /\.$/);
        });
    }

    it("have the programs of docs/languages.md, one in each language", () => {
        const [page, programs] = [read("docs/_index.md"), read("docs/languages.md")];
        const blocks = [...page.matchAll(/```(python|go|yaml)\n([\s\S]*?)```/g)];
        assert.deepEqual(
            blocks.map(([, language]) => language),
            ["python", "go", "yaml"],
        );
        for (const [, language, program] of blocks) {
            assert(
                programs.includes(program),
                `${language}: the program of docs/_index.md is not in docs/languages.md`,
            );
        }
        assert.match(page, /```ts\nimport/);
    });

    it("name the versions that the package accepts", () => {
        const { peerDependencies } = JSON.parse(read("package.json")) as Record<string, Record<string, string>>;
        const page = read("docs/installation-configuration.md");
        for (const [name, range] of [
            ["Pulumi", peerDependencies["@pulumi/pulumi"].replace(/^\^|\.0$/g, "")],
            ["Pulumi's Kubernetes provider", peerDependencies["@pulumi/kubernetes"].replace(/^\^|\.0$/g, "")],
            ["Node", MINIMUM.node],
            ["Kubernetes", MINIMUM.kubernetes],
            ["Flux Framework (flux-core), in the image", MINIMUM.flux],
        ]) {
            assert(page.includes(`| ${name} | ${range} or later |`), `${name} ${range}`);
        }
    });
});

describe("the templates for `pulumi new`", () => {
    const templates = readdirSync(join(root, "templates"));

    it("are in three languages", () => assert.deepEqual(templates, ["python", "typescript", "yaml"]));

    for (const template of templates) {
        it(`${template} takes the user's name and describes each value that it asks for`, () => {
            const project = parse(read(`templates/${template}/Pulumi.yaml`));
            assert.equal(project.name, "${PROJECT}");
            assert.equal(project.description, "${DESCRIPTION}");
            assert.deepEqual(Object.keys(project.template.config), ["image", "size"]);
            for (const { default: value, description } of Object.values<Record<string, string>>(
                project.template.config,
            )) {
                assert.equal(typeof value, "string");
                assert.match(description, /^The /);
            }
        });
    }
});

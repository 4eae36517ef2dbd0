import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import type { Fields, Shape } from "../../../components/arguments/fields";
import { ARGUMENTS, ARGUMENTS_IMMEDIATE, JOB_ARGUMENTS } from "../../../components/generated/shapes";
import { documents } from "../docs/documents";
import { Compiler, ROOT } from "./support";

const schema = JSON.parse(readFileSync(join(ROOT, "plugin/schema.json"), "utf8"));

/** An argument that takes only some texts. */
interface Choice {
    readonly args: string;
    /** The fields that lead to it, `view` and `method` for example. */
    readonly path: readonly string[];
    readonly values: readonly string[];
    /** The constant that has the values; undefined for a plain text. */
    readonly type?: string;
    /** The constant's names of the values. */
    readonly names: readonly string[];
}

/** The members of a constant. */
function membersOf(type: string): Pick<Choice, "names" | "values"> {
    const members: { name: string; value: string }[] = schema.types[`flux-minicluster:index:${type}`].enum;
    return { names: members.map(({ name }) => name), values: members.map(({ value }) => value) };
}

const inner = (shape: Shape): Shape => (typeof shape === "object" && "list" in shape ? inner(shape.list) : shape);

function choicesOf(args: string, fields: Fields, properties: any, path: readonly string[] = []): Choice[] {
    return Object.entries(fields).flatMap(([name, shape]) => {
        const found = inner(shape);
        const { items, $ref } = properties[name];
        const type = ($ref ?? items?.$ref)?.replace("#/types/flux-minicluster:index:", "");
        const named = schema.types[`flux-minicluster:index:${type}`];
        if (typeof found === "string") {
            return [];
        }
        if ("choice" in found) {
            const members = named === undefined ? { names: [], values: found.choice } : membersOf(type);
            return [{ args, path: [...path, name], type, ...members }];
        }
        return "fields" in found ? choicesOf(args, found.fields, named.properties, [...path, name]) : [];
    });
}

const propertiesOf = (name: string) => schema.resources[`flux-minicluster:index:${name}`].inputProperties;

const CHOICES = [
    ...choicesOf("MiniClusterArgs", ARGUMENTS, propertiesOf("MiniCluster")),
    ...choicesOf("FluxJobArgs", JOB_ARGUMENTS, propertiesOf("FluxJob")),
    // The runtime check doesn't know the fields of this object.
    { args: "AfterArgs", path: ["end"], type: "AfterEnd", ...membersOf("AfterEnd") },
] satisfies Choice[];

const REQUIRED: Readonly<Record<string, string>> = {
    AfterArgs: 'jobId: "ƒ1"',
    FluxJobArgs: 'cluster: { name: "hpc", namespace: "default" }, command: ["true"]',
    MiniClusterArgs: 'image: "flux"',
};

/** What else an object of the arguments needs. */
const BESIDE: Readonly<Record<string, string>> = { results: 'paths: ["out/"], ', view: 'image: "flux", ' };

/** An object of the arguments with this value. */
function objectOf({ args, path }: Choice, value: string): string {
    const [field, ...outer] = [...path].reverse();
    const given = outer.reduce((all, name) => `${name}: { ${BESIDE[name] ?? ""}${all} }`, `${field}: ${value}`);
    return `({ ${REQUIRED[args]}, ${given} }) satisfies ${args};`;
}

const IMPORTS = `import * as pulumi from "@pulumi/pulumi";
import * as package_ from "flux-minicluster";
import type { AfterArgs, FluxJobArgs, MiniClusterArgs } from "flux-minicluster";
`;

/** Statements that compile, for one argument. */
function rightOf(choice: Choice): string[] {
    const { names, type, values } = choice;
    const immediate = ARGUMENTS_IMMEDIATE.includes(choice.path.join("."));
    const texts = values.map((value) => JSON.stringify(value));
    const constants = names.map((name) => `package_.${type}.${name}`);
    const given = [...texts, ...constants];
    const later = immediate ? [] : given.flatMap((value) => [`Promise.resolve(${value})`, `pulumi.output(${value})`]);
    const typed =
        type === undefined
            ? []
            : [
                  ...names.map(
                      (name, index) => `const ${name}: package_.${type}.${name} = ${texts[index]}; void ${name};`,
                  ),
                  ...texts.map((text) => `void (${text} satisfies package_.${type});`),
                  ...names.map((name, index) => `void (package_.${type}.${name} satisfies ${texts[index]});`),
                  `{ const each: package_.${type}[] = Object.values(package_.${type}); void each; }`,
                  ...(immediate ? [] : [objectOf(choice, `new pulumi.Config().require<package_.${type}>("value")`)]),
              ];
    const chosen = `Math.random() > 0.5 ? ${texts[0]} : ${texts[1]}`;
    return [
        ...[...given, ...later, chosen].map((value) => objectOf(choice, value)),
        ...typed.map((text) => `{ ${text} }`),
    ];
}

describe("the values of arguments", function () {
    this.timeout(120_000);
    let compiler: Compiler;

    before(() => (compiler = new Compiler()));

    it("compile as the texts of the documentation, as constants, Promises and Outputs", () => {
        assert.ok(CHOICES.length >= 12, `only ${CHOICES.length} arguments`);
        const programs = CHOICES.map((choice) => [
            `right-${choice.args}-${choice.path.join("-")}`,
            IMPORTS + rightOf(choice).join("\n"),
        ]);
        assert.deepEqual(compiler.errorsOf(Object.fromEntries(programs)), []);
    });

    it("don't compile as another text", () => {
        const typed = CHOICES.filter(({ type }) => type !== undefined);
        const statements = typed.map((choice) => objectOf(choice, '"other"'));
        const errors = compiler.errorsOf({ wrong: IMPORTS + statements.join("\n") });
        const refused = statements.filter((statement) => errors.some((error) => error.startsWith(statement)));
        assert.deepEqual(refused, statements);
    });

    it("exist if a document names them", () => {
        const known = new Map<string, string[]>();
        for (const { path, values } of CHOICES) {
            known.set(path.at(-1)!, [...(known.get(path.at(-1)!) ?? []), ...values]);
        }
        const text = documents()
            .map(({ text: content }) => content)
            .join("\n");
        const named = [...text.matchAll(/\b(\w+): "(\w+)"/g)].filter(([, name]) => known.has(name));
        assert.ok(named.length >= 20, `only ${named.length} values`);
        assert.deepEqual(
            named.filter(([, name, value]) => !known.get(name)!.includes(value)).map(([all]) => all),
            [],
        );
    });
});

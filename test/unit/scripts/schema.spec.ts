import * as pulumi from "@pulumi/pulumi";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import type { Fields, Shape } from "../../../components/arguments/fields";
import {
    ARGUMENTS,
    ARGUMENTS_IMMEDIATE,
    JOB_ARGUMENTS,
    JOB_ARGUMENTS_IMMEDIATE,
} from "../../../components/generated/shapes";
import { MiniCluster } from "../../../components/miniCluster";
import { answers } from "../support/cluster";
import { mockPulumi, settled } from "../support/pulumi";

const schema = JSON.parse(readFileSync(join(__dirname, "../../../plugin/schema.json"), "utf8"));
const token = (name: string) => `flux-minicluster:index:${name}`;
const cluster = schema.resources[token("MiniCluster")];
const job = schema.resources[token("FluxJob")];
const fromMPIJob = schema.functions[token("fromMPIJob")];
const fromOperator = schema.functions[token("fromOperator")];
const getMiniCluster = schema.functions[token("getMiniCluster")];

const typeOf = ({ $ref }: any) => schema.types[$ref.replace("#/types/", "")];

/** The names of the properties that a test selects. */
const select = (properties: Record<string, any>, test: (property: any) => boolean) =>
    Object.keys(properties).filter((name) => test(properties[name]));

/** What the schema says of a shape. */
function expected(shape: Shape): object {
    if (typeof shape === "string") {
        return SIMPLE[shape];
    }
    if ("list" in shape) {
        return { type: "array", items: expected(shape.list) };
    }
    if ("map" in shape) {
        return { type: "object", additionalProperties: expected(shape.map) };
    }
    return "choice" in shape ? { choice: shape.choice } : { fields: Object.keys(shape.fields).sort() };
}

const ANY = { $ref: "pulumi.json#/Any" };

const SIMPLE = {
    any: ANY,
    boolean: { type: "boolean" },
    integer: { type: "integer" },
    kubeconfig: ANY,
    number: { type: "number" },
    object: ANY,
    script: { type: "string" },
    seconds: { type: "integer" },
    secret: { type: "string" },
    text: { type: "string" },
};

/** The same of a property, with the content of its named type. */
function found({ additionalProperties, items, $ref, type }: any): object {
    if ($ref?.startsWith("#")) {
        const named = typeOf({ $ref });
        return named.enum === undefined
            ? { fields: Object.keys(named.properties).sort() }
            : { choice: named.enum.map(({ value }: any) => value) };
    }
    return JSON.parse(
        JSON.stringify({
            $ref,
            type,
            items: items && found(items),
            additionalProperties: additionalProperties && found(additionalProperties),
        }),
    );
}

/** Arguments that have tests of their own, because the schema says more or less of them than the runtime check. */
const TOLD_APART = ["after", "cluster", "imagePullPolicy"];

function compare(properties: Record<string, any>, fields: Fields, path = ""): void {
    assert.deepEqual(Object.keys(properties).sort(), Object.keys(fields).sort(), path);
    for (const [name, shape] of Object.entries(fields)) {
        const property = properties[name];
        if (TOLD_APART.includes(name)) {
            continue;
        }
        assert.deepEqual(found(property), expected(shape), path + name);
        const inner = typeof shape === "object" && "list" in shape ? shape.list : shape;
        if (typeof inner === "object" && "fields" in inner) {
            compare(typeOf(property.items ?? property).properties, inner.fields, `${path}${name}.`);
        }
    }
}

describe("the schema for other languages", () => {
    it("has two components and three functions, and no other resource", () => {
        assert.deepEqual(Object.keys(schema.resources), [token("MiniCluster"), token("FluxJob")]);
        assert.deepEqual(Object.keys(schema.functions), [
            token("fromMPIJob"),
            token("fromOperator"),
            token("getMiniCluster"),
        ]);
        assert.deepEqual([cluster.isComponent, job.isComponent], [true, true]);
    });

    it("has each argument and each field, with the type of the runtime check", () => {
        compare(cluster.inputProperties, ARGUMENTS);
        compare(job.inputProperties, JOB_ARGUMENTS);
        assert.deepEqual(cluster.requiredInputs, ["image"]);
        assert.deepEqual(job.requiredInputs, ["cluster", "command"]);
    });

    it("has a type for the objects in a list that may have more fields", () => {
        assert.deepEqual(found(job.inputProperties.after.items), { fields: ["end", "jobId", "jobIds", "phase"] });
    });

    it("has a text for an argument with some values but without an enumeration", () => {
        assert.equal(cluster.inputProperties.imagePullPolicy.type, "string");
    });

    it("takes the outputs of a MiniCluster as the cluster of a FluxJob", () => {
        const { properties, required } = typeOf(job.inputProperties.cluster);
        assert.deepEqual(
            [Object.keys(properties), required],
            [
                ["name", "namespace", "uid"],
                ["name", "namespace"],
            ],
        );
    });

    it("has numbers that are integers, except for seconds with fractions", () => {
        const { exitCode, timings } = cluster.properties;
        assert.equal(cluster.inputProperties.size.type, "integer");
        assert.deepEqual([exitCode.type, job.properties.exitCode.type], ["integer", "integer"]);
        assert.equal(timings.additionalProperties.type, "number");
        assert.equal(schema.types[token("Broker")].properties.connectTimeout.type, "number");
    });

    it("has the programs of examples as they are written, with their indentation", () => {
        assert.match(cluster.description, /^ {4}image: "fluxrm[^]*^ {4}command: \["hostname"\],\n\}\);\n/m);
    });

    it("has no type whose name ends with Args, which the generators add", () => {
        assert.deepEqual(
            Object.keys(schema.types).filter((name) => name.endsWith("Args")),
            [],
        );
    });

    it("has a type for each reference", () => {
        const names = [...JSON.stringify(schema).matchAll(/"#\/types\/([^"]*)"/g)].map(([, name]) => name);
        assert.deepEqual(new Set(names), new Set(Object.keys(schema.types)));
    });

    it("marks the arguments that can't be Outputs, and no input of a function", () => {
        const plain = (properties: Record<string, any>) => select(properties, (property) => property.plain);
        const nested = (properties: Record<string, any>) =>
            plain(properties).flatMap((name) => [
                name,
                ...plain(properties[name].$ref ? (typeOf(properties[name]).properties ?? {}) : {}).map(
                    (field) => `${name}.${field}`,
                ),
            ]);
        assert.deepEqual(nested(cluster.inputProperties).sort(), [...ARGUMENTS_IMMEDIATE].sort());
        assert.deepEqual(nested(job.inputProperties).sort(), [...JOB_ARGUMENTS_IMMEDIATE].sort());
        const functions = [fromMPIJob, fromOperator, getMiniCluster];
        assert.deepEqual(
            functions.flatMap(({ inputs }) => plain(inputs.properties)),
            [],
        );
    });

    const secrets = (properties: Record<string, any>) => select(properties, (property) => property.secret);

    it("marks the arguments that are secrets", () => {
        assert.deepEqual(secrets(cluster.inputProperties).sort(), ["certificate", "kubeconfig"]);
        assert.deepEqual(secrets(job.inputProperties), ["kubeconfig"]);
        assert.deepEqual(secrets(getMiniCluster.inputs.properties), ["kubeconfig"]);
    });

    it("marks the outputs that a MiniCluster always makes secrets", async () => {
        await mockPulumi(answers);
        const made = new MiniCluster("lammps", { image: "registry.example/lammps:1" });
        await settled();
        const names = Object.keys(cluster.properties) as (keyof MiniCluster)[];
        const found = await Promise.all(names.map((name) => pulumi.isSecret(made[name] as pulumi.Output<unknown>)));
        assert.deepEqual(
            secrets(cluster.properties),
            names.filter((_, index) => found[index]),
        );
    });

    it("requires the outputs that are always defined", () => {
        const optional = ({ properties, required }: any) =>
            Object.keys(properties).filter((name) => !required.includes(name));
        assert.deepEqual(optional(cluster), [
            "exitCode",
            "restfulUser",
            "restfulToken",
            "restfulSecretKey",
            "results",
            "record",
        ]);
        assert.deepEqual(optional(job), ["exitCode", "elements", "results", "record"]);
        assert.deepEqual(optional(getMiniCluster.outputs), []);
    });

    it("has the arguments of a MiniCluster as a result of each conversion, so that a program can pass them on", () => {
        for (const { outputs } of [fromMPIJob, fromOperator]) {
            const { properties } = typeOf(outputs.properties.args);
            assert.deepEqual(Object.keys(properties), Object.keys(cluster.inputProperties));
        }
    });

    it("has a text for each property, type and member of an enumeration", () => {
        const types = Object.values<any>(schema.types);
        const functions = [fromMPIJob, fromOperator, getMiniCluster];
        const holders = [cluster, job, ...functions, ...types];
        const bags = functions.flatMap(({ inputs, outputs }) => [inputs, outputs]);
        const properties = [cluster, job, ...bags, ...types].flatMap((of) =>
            Object.values<any>({ ...of.inputProperties, ...of.properties }),
        );
        const members = types.flatMap((type) => type.enum ?? []);
        const nameless = [...holders, ...properties, ...members].filter(({ description }) => !description);
        assert.deepEqual(nameless, []);
    });

    it("names the default of an argument by the value of the enumeration", () => {
        assert.match(cluster.inputProperties.keygen.description, / Default: `native`\.$/);
    });
});

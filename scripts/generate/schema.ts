import { readFileSync } from "node:fs";
import { join } from "node:path";

import type { Shape } from "../../components/arguments/fields";
import { ADDRESSES, goModule, schemaFields } from "../release/addresses";
import type { Argument, Description } from "./describe";
import { exampleSection, programs } from "./examples";

const ROOT = join(__dirname, "../..");

/** The package in Pulumi's schema, from which the SDKs of other languages are made. */
export function schemaFile(description: Description): string {
    return `${JSON.stringify(schema(description), undefined, 4)}\n`;
}

function schema(description: Description): object {
    const clusterArgs = description.of("MiniClusterArgs");
    const jobArgs = description.of("FluxJobArgs");
    const clusterOutputs = description.outputsOf("MiniCluster").map(notPlain);
    const jobOutputs = description.outputsOf("FluxJob").map(notPlain);
    const mpiJob = description.of("MPIJobResource");
    const operator = description.of("OperatorResource");
    const { description: text, keywords, license, name, version } = manifest();
    const component = (className: string, args: readonly Argument[], others?: ReturnType<typeof programs>) => ({
        isComponent: true,
        description: description.textOf(className) + exampleSection(description.exampleOf(className), others),
        ...object(description.outputsOf(className)),
        inputProperties: properties(args),
        requiredInputs: requiredOf(args),
    });
    const functionOf = (typeName: string, inputs: readonly Argument[], outputs: readonly Argument[]) => ({
        description: description.textOf(typeName),
        inputs: object(inputs.map(notPlain)),
        outputs: object(outputs.map(notPlain)),
    });
    return {
        name,
        displayName: "Flux MiniCluster",
        version,
        description: text,
        keywords,
        license,
        ...schemaFields(ADDRESSES),
        meta: { supportPack: true },
        language: LANGUAGES,
        types: Object.fromEntries(
            [...clusterArgs, ...clusterOutputs, ...jobArgs, ...jobOutputs, ...mpiJob, ...operator].flatMap(typesIn),
        ),
        resources: {
            [token("MiniCluster")]: component("MiniCluster", clusterArgs, programs()),
            [token("FluxJob")]: component("FluxJob", jobArgs),
        },
        functions: {
            [token("fromMPIJob")]: functionOf(
                "fromMPIJob",
                // The options are inputs themselves.
                [...description.parametersOf("fromMPIJob").slice(0, 1), ...description.of("MPIJobOptions")],
                mpiJob,
            ),
            [token("fromOperator")]: functionOf("fromOperator", description.parametersOf("fromOperator"), operator),
            [token("getMiniCluster")]: functionOf(
                "GetMiniCluster",
                description.of("GetMiniClusterArgs"),
                description.of("GetMiniClusterResult"),
            ),
        },
    };
}

const LANGUAGES = {
    go: {
        importBasePath: goModule(ADDRESSES),
        generateResourceContainerTypes: false,
        respectSchemaVersion: true,
    },
    nodejs: { respectSchemaVersion: true },
    python: { pyproject: { enabled: true }, respectSchemaVersion: true },
};

interface Manifest {
    readonly description: string;
    readonly keywords: readonly string[];
    readonly license: string;
    readonly name: string;
    readonly version: string;
}

function manifest(): Manifest {
    return JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as Manifest;
}

function token(name: string): string {
    return `flux-minicluster:index:${name}`;
}

/** The named types of an argument and of its fields, by their tokens. */
function typesIn(argument: Argument): [string, object][] {
    const { choices, fields, type } = argument;
    if (type === undefined) {
        return [];
    }
    const members = choices.map((member) => ({ name: member.name, value: member.value, description: member.text }));
    const content = members.length > 0 ? { type: "string", enum: members } : object(fields);
    return [[typeToken(type.name), { description: type.text, ...content }], ...fields.flatMap(typesIn)];
}

/** The generators add `Args` to the types of inputs. A type can't have the name of a component. */
function typeToken(name: string): string {
    return token(name === "MiniClusterArgs" ? "MiniClusterArguments" : name.replace(/Args$/, ""));
}

function object(all: readonly Argument[]): object {
    return { type: "object", properties: properties(all), required: requiredOf(all) };
}

function properties(all: readonly Argument[]): Record<string, object> {
    return Object.fromEntries(all.map((argument) => [argument.name, property(argument)]));
}

/**
 * The types of a function, and those inside of an output, have no `Input`. Their forms for Outputs take Outputs
 * nevertheless.
 */
function notPlain(argument: Argument): Argument {
    return { ...argument, immediate: false, fields: argument.fields.map(notPlain) };
}

function requiredOf(all: readonly Argument[]): string[] {
    return all.filter(({ required }) => required).map(({ name }) => name);
}

function property(argument: Argument): object {
    const { immediate, secret, shape } = argument;
    return {
        ...typeOf(argument, shape),
        plain: immediate || undefined,
        secret: secret || undefined,
        description: descriptionOf(argument),
    };
}

function typeOf(argument: Argument, shape: Shape): object {
    if (typeof shape === "object" && "list" in shape) {
        return { type: "array", items: typeOf(argument, shape.list) };
    }
    if (typeof shape === "object" && "map" in shape) {
        return { type: "object", additionalProperties: typeOf(argument, shape.map) };
    }
    if (argument.type !== undefined) {
        return { $ref: `#/types/${typeToken(argument.type.name)}` };
    }
    return typeof shape === "string" ? TYPES[shape] : TYPES.text;
}

const ANY = { $ref: "pulumi.json#/Any" };

const TYPES = {
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
} satisfies Record<Extract<Shape, string>, object>;

/** The text and the default. Each language has its own name for a member of an enumeration, but the same value. */
function descriptionOf({ choices, default: text, text: description, type }: Argument): string {
    const value = choices.reduce(
        (all, choice) => all.replaceAll(`${type?.name}.${choice.name}`, `\`${choice.value}\``),
        text ?? "",
    );
    return value === "" ? description : `${description} Default: ${value}.`;
}

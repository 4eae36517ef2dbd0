import { readFileSync } from "node:fs";
import { join } from "node:path";

import { root } from "../local/paths";

interface Property {
    readonly type?: string;
    readonly $ref?: string;
    readonly description?: string;
    readonly items?: Property;
    readonly additionalProperties?: Property;
    readonly secret?: boolean;
}

interface Members {
    readonly description?: string;
    readonly properties?: Readonly<Record<string, Property>>;
    readonly required?: readonly string[];
    readonly enum?: readonly { readonly name: string; readonly value: string; readonly description?: string }[];
}

interface Resource extends Members {
    readonly inputProperties: Readonly<Record<string, Property>>;
    readonly requiredInputs?: readonly string[];
}

interface Schema {
    readonly resources: Readonly<Record<string, Resource>>;
    readonly functions: Readonly<Record<string, { description: string; inputs: Members; outputs: Members }>>;
    readonly types: Readonly<Record<string, Members>>;
}

const nameOf = (token: string) => token.split(":").at(-1)!;

/** The pages of the schema, by their places: what programs in Python, Go and YAML call each argument and output. */
export function references(): Record<string, string> {
    const schema = JSON.parse(readFileSync(join(root, "plugin/schema.json"), "utf8")) as Schema;
    const resources = Object.entries(schema.resources).map(([token, resource]): [string, string] => [
        `reference/${nameOf(token)}.md`,
        [
            `# ${nameOf(token)} in Python, Go and YAML`,
            described(resource.description),
            `The token is \`${token}\`. In YAML, the short form \`flux-minicluster:${nameOf(token)}\` works too.`,
            `## Arguments of ${nameOf(token)}`,
            table(resource.inputProperties, resource.requiredInputs),
            `## Outputs of ${nameOf(token)}`,
            table(resource.properties ?? {}, resource.required),
        ].join("\n\n"),
    ]);
    const functions = Object.entries(schema.functions).map(([token, { description, inputs, outputs }]) =>
        [
            `## ${nameOf(token)}`,
            `${description} The token is \`${token}\`.`,
            `### Inputs of ${nameOf(token)}`,
            table(inputs.properties ?? {}, inputs.required),
            `### Results of ${nameOf(token)}`,
            table(outputs.properties ?? {}, outputs.required),
        ].join("\n\n"),
    );
    const types = Object.entries(schema.types).map(([token, members]) =>
        [
            `## ${nameOf(token)}`,
            members.description ?? "",
            members.enum ? values(members.enum) : table(members.properties ?? {}, members.required),
        ].join("\n\n"),
    );
    return {
        ...Object.fromEntries(resources),
        "reference/functions.md": ["# Functions in Python, Go and YAML", ...functions].join("\n\n"),
        "reference/types.md": ["# Types in Python, Go and YAML", TYPES, ...types].join("\n\n"),
    };
}

const TYPES =
    "The objects and texts that arguments and outputs consist of. Python and Go add `Args` to the names of the inputs' types.";

/** The text of a component: the example keeps its fences, without the marks for the generators of SDKs. */
function described(text = ""): string {
    return text.replaceAll(/\{\{% [^%]*%\}\}\n?/g, "").replace(/^## Example Usage$/m, "## Example");
}

function table(properties: Readonly<Record<string, Property>>, required: readonly string[] = []): string {
    const rows = Object.entries(properties).map(([name, property]) => {
        const marks = [required.includes(name) ? "required" : "", property.secret ? "secret" : ""]
            .filter(Boolean)
            .join(", ");
        const names = [name, snake(name), pascal(name)].map((each) => `\`${each}\``);
        return `| ${[...names, typeOf(property), marks, cell(property.description)].join(" | ")} |`;
    });
    return ["| YAML | Python | Go | type | mark | description |", "|---|---|---|---|---|---|", ...rows].join("\n");
}

function values(members: NonNullable<Members["enum"]>): string {
    const rows = members.map(({ description, name, value }) => `| \`${value}\` | \`${name}\` | ${cell(description)} |`);
    return ["| text | name | description |", "|---|---|---|", ...rows].join("\n");
}

function typeOf({ $ref, additionalProperties, items, type }: Property): string {
    if ($ref?.startsWith("#/types/")) {
        const name = nameOf($ref);
        return `[${name}](/reference/types#${name.toLowerCase()})`;
    }
    if (items !== undefined) {
        return `list of ${typeOf(items)}`;
    }
    return additionalProperties === undefined
        ? $ref === undefined
            ? (type ?? "any")
            : "any"
        : `map of ${typeOf(additionalProperties)}`;
}

const cell = (text = "") => text.replaceAll("|", "\\|").replaceAll("\n", " ");

const snake = (name: string) => name.replaceAll(/[A-Z]+(?![a-z])|[A-Z]/g, (letters) => `_${letters.toLowerCase()}`);

const pascal = (name: string) => name.charAt(0).toUpperCase() + name.slice(1);

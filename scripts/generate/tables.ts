import type { Argument } from "./describe";

const TABLE = /(<!-- arguments: (.*?) -->\n)[\s\S]*?(<!-- end -->)/g;
const OUTPUTS = /(<!-- outputs -->\n)[\s\S]*?(<!-- end -->)/g;

/** What the tables of a document describe. */
export interface Subject {
    readonly arguments: readonly Argument[];
    readonly outputs?: readonly Argument[];
}

/**
 * A document with new tables. A table of arguments stands between `<!-- arguments: size, security/* -->` and
 * `<!-- end -->`. `security/*` stands for all arguments of that feature with their fields, `volumes[]` for the
 * fields of the items of `volumes`. The table of all outputs stands between `<!-- outputs -->` and `<!-- end -->`.
 */
export function withTables(document: string, { arguments: all, outputs = [] }: Subject): string {
    return document
        .replaceAll(TABLE, (...[, begin, names, end]: string[]) => {
            const rows = names.split(", ").flatMap((name) => rowsOf(name, all));
            return `${begin}${rows.length > 0 ? table(rows) : ""}${end}`;
        })
        .replaceAll(OUTPUTS, (...[, begin, end]: string[]) => `${begin}${outputsTable(outputs)}${end}`);
}

function outputsTable(outputs: readonly Argument[]): string {
    const lines = outputs.map(({ name, text }) => `| \`${name}\` | ${text} |\n`);
    return `| output | description |\n|---|---|\n${lines.join("")}`;
}

interface Row {
    readonly name: string;
    readonly argument: Argument;
}

function rowsOf(name: string, all: readonly Argument[]): Row[] {
    const isFeature = name.endsWith("/*");
    const found = all.filter((argument) =>
        isFeature ? `${argument.feature}/*` === name : argument.name === name.replace("[]", ""),
    );
    if (found.length === 0) {
        throw new Error(`There is no argument ${name}.`);
    }
    if (name.endsWith("[]")) {
        return found[0].fields.flatMap((field) => withFields(field, ""));
    }
    return found.flatMap((argument) => (isFeature ? withFields(argument, "") : [{ name, argument }]));
}

/** An argument and its fields. */
function withFields(argument: Argument, prefix: string): Row[] {
    const name = prefix + argument.name;
    const below = isList(argument) ? `${name}[].` : `${name}.`;
    // The text of an argument with the tag `@open` names the fields that matter.
    const fields = argument.shape === "object" ? [] : argument.fields;
    return [{ name, argument }, ...fields.flatMap((field) => withFields(field, below))];
}

function isList({ shape }: Argument): boolean {
    return typeof shape === "object" && "list" in shape;
}

function table(rows: readonly Row[]): string {
    const lines = rows.map(({ argument, name }) => `| \`${name}\` | ${defaultOf(argument)} | ${textOf(argument)} |\n`);
    return `| argument | default | description |\n|---|---|---|\n${lines.join("")}`;
}

function defaultOf({ default: text, required }: Argument): string {
    // The TSDoc names a member of an enumeration, which the table shows as code.
    const plain = text?.replaceAll(/\b(?!Kubernetes\b)([A-Z]\w+\.[A-Z]\w+)\b/g, "`$1`") ?? "";
    return required ? "required" : plain;
}

function textOf({ choices, text }: Argument): string {
    const values = choices.map((choice) => `\`${choice.value}\`: ${choice.text}`);
    return [text, ...values].join(" ");
}

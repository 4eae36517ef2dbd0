import type { Argument } from "./describe";

const TABLE = /(<!-- arguments: (.*?)( \(short\))? -->\n)[\s\S]*?(<!-- end -->)/g;

/**
 * A document with its tables of arguments made anew. A table stands between `<!-- arguments: size, broker.* -->` and
 * `<!-- end -->`: `broker.*` stands for the fields of `broker`, `volumes[]` for those of the items of `volumes`.
 */
export function withTables(document: string, all: readonly Argument[]): string {
    return document.replaceAll(TABLE, (...[, begin, names, short, end]: string[]) => {
        const rows = names.split(", ").flatMap((name) => rowsOf(name, all));
        return `${begin}${rows.length > 0 ? table(rows, short !== undefined) : ""}${end}`;
    });
}

interface Row {
    readonly name: string;
    readonly argument: Argument;
}

function rowsOf(name: string, all: readonly Argument[]): Row[] {
    const [first] = name.split(/[.[]/);
    const argument = all.find((candidate) => candidate.name === first);
    if (argument === undefined) {
        throw new Error(`There is no argument ${name}.`);
    }
    if (name === first) {
        return [{ name, argument }];
    }
    const prefix = name.endsWith("[]") ? "" : `${first}.`;
    return argument.fields.flatMap((field) => nested(field, prefix));
}

/** A field, or where it has fields itself, those. */
function nested(field: Argument, prefix: string): Row[] {
    const name = prefix + field.name;
    return field.fields.length === 0 ? [{ name, argument: field }] : field.fields.flatMap((inner) => nested(inner, `${name}.`));
}

function table(rows: readonly Row[], short: boolean): string {
    const lines = rows.map(({ argument, name }) => `| \`${name}\` | ${defaultOf(argument)} | ${textOf(argument, short)} |\n`);
    return `| argument | default | what it is |\n|---|---|---|\n${lines.join("")}`;
}

function defaultOf({ default: text, required }: Argument): string {
    // Code gives an enumeration's member where its name says more than its value.
    const plain = text?.replaceAll(/\b(?!Kubernetes\b)([A-Z]\w+\.[A-Z]\w+)\b/g, "`$1`") ?? "";
    return required ? "required" : plain;
}

function textOf({ choices, text }: Argument, short: boolean): string {
    const [sentence] = text.split(/(?<=[.])\s/);
    const values = choices.map((choice) => `\`${choice.value}\`: ${choice.text}`);
    return short ? sentence : [text, ...values].join(" ");
}

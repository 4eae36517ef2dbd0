import { readFileSync } from "node:fs";
import { join } from "node:path";

interface Schema {
    readonly version: string;
    readonly resources: Readonly<Record<string, { readonly properties: object }>>;
}

let text: string | undefined;
let parsed: Schema | undefined;

/** The text of the package's schema. */
export function schema(): string {
    text ??= readFileSync(join(__dirname, "schema.json"), "utf8");
    return text;
}

/** The version of the package, which the SDKs have too. */
export function version(): string {
    return open().version;
}

/** The names of a component's outputs. */
export function outputsOf(type: string): string[] {
    return Object.keys(open().resources[type].properties);
}

function open(): Schema {
    parsed ??= JSON.parse(schema()) as Schema;
    return parsed;
}

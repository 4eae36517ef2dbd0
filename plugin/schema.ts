import { readFileSync } from "node:fs";
import { join } from "node:path";

interface Schema {
    readonly resources: Readonly<Record<string, { readonly properties: object }>>;
}

let text: string | undefined;

/** The text of the package's schema. */
export function schema(): string {
    text ??= readFileSync(join(__dirname, "schema.json"), "utf8");
    return text;
}

/** The names of a component's outputs. */
export function outputsOf(type: string): string[] {
    return Object.keys((JSON.parse(schema()) as Schema).resources[type].properties);
}

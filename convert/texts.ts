import type { Fields } from "./reader";

/** All texts in a value with their paths, except in the fields of these names. */
export function textsIn(path: string, value: unknown, without: readonly string[]): [path: string, text: string][] {
    if (typeof value === "string") {
        return [[path, value]];
    }
    if (Array.isArray(value)) {
        return value.flatMap((item, index) => textsIn(`${path}[${index}]`, item, without));
    }
    const fields = Object.entries((value ?? {}) as Fields).filter(([name]) => !without.includes(name));
    return fields.flatMap(([name, field]) => textsIn(`${path}.${name}`, field, without));
}

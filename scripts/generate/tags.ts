import ts from "typescript";

import type { Shape } from "../../components/arguments/fields";

/** The texts of a TSDoc's tags, by their names. */
export type Tags = ReadonlyMap<string, string>;

export function oneLine(text: string): string {
    return text.replaceAll(/\s+/g, " ").trim();
}

/** The form that a tag gives, where the type can't express it. */
export function taggedShape(node: ts.TypeNode, tags: Tags): Shape | undefined {
    if (tags.has("values")) {
        return { choice: oneLine(tags.get("values") ?? "").split(", ") };
    }
    if (!tags.has("open")) {
        return undefined;
    }
    return ts.isArrayTypeNode(node) ? { list: "object" } : "object";
}

/** A number whose text begins with its unit. */
export function inSeconds(shape: Shape, text: string): Shape {
    return shape === "integer" && text.startsWith("Seconds ") ? "seconds" : shape;
}

export function taggedKeyword(keyword: Shape, tags: Tags): Shape {
    if (keyword === "integer" && tags.has("fractional")) {
        return "number";
    }
    const kind = (["script", "secret"] as const).find((tag) => tags.has(tag));
    return keyword === "text" && kind !== undefined ? kind : keyword;
}

import fc from "fast-check";

import type { PlainArgs } from "../../../components/args";
import type { Shape } from "../../../components/arguments/fields";
import { ARGUMENTS } from "../../../components/generated/shapes";

/** Texts of all kinds, also those that have a meaning for Kubernetes, bash or TOML. */
export const text = fc.oneof(
    fc.string(),
    fc.string({ unit: "grapheme" }),
    fc.constantFrom("$", "$$", "$(HOME)", "$(", "$)", "${A}", "`x`", '"', "'", "\\", "\n", "*", " ", "a\nb", "-", "--"),
    fc.array(fc.constantFrom("$", "(", ")", "A", "$$", "\\", "'"), { maxLength: 8 }).map((parts) => parts.join("")),
);

const name = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,8}$/);

/** Any value of a shape. */
export function valueOf(shape: Shape): fc.Arbitrary<unknown> {
    if (typeof shape === "string") {
        return SIMPLE[shape];
    }
    if ("choice" in shape) {
        return fc.constantFrom(...shape.choice);
    }
    if ("list" in shape) {
        return fc.array(valueOf(shape.list), { maxLength: 3 });
    }
    return "fields" in shape ? recordOf(shape.fields) : fc.dictionary(name, valueOf(shape.map), { maxKeys: 3 });
}

/** Values that JSON keeps unchanged, so no negative zero. */
const json = fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as unknown);

const SIMPLE = {
    any: json,
    boolean: fc.boolean(),
    integer: fc.oneof(fc.integer({ min: -2, max: 12 }), fc.maxSafeInteger()),
    number: fc.integer({ min: -16, max: 96 }).map((eighths) => eighths / 8),
    object: fc.dictionary(name, json, { maxKeys: 3 }),
    kubeconfig: fc.oneof(text, fc.dictionary(name, json, { maxKeys: 3 })),
    script: text,
    seconds: fc.integer({ min: -2, max: 900 }),
    secret: text,
    text,
};

function recordOf(fields: Readonly<Record<string, Shape>>): fc.Arbitrary<Record<string, unknown>> {
    const all = Object.fromEntries(Object.entries(fields).map(([key, shape]) => [key, valueOf(shape)]));
    return fc.record(all, { requiredKeys: [] });
}

/** Any arguments of the right shape, sensible or not. */
export const anyArgs: fc.Arbitrary<PlainArgs> = fc
    .tuple(recordOf(ARGUMENTS), text)
    .map(([args, image]) => ({ ...args, image }));

/** The same object with its keys, at every depth, in the opposite order. */
export function reversed<T>(value: T): T {
    if (Array.isArray(value)) {
        return value.map((item) => reversed(item)) as T;
    }
    if (typeof value !== "object" || value === null) {
        return value;
    }
    return Object.fromEntries(
        Object.entries(value)
            .reverse()
            .map(([key, item]) => [key, reversed(item)]),
    ) as T;
}

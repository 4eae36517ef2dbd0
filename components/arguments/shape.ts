import { suggestionFor } from "../../provider/contract/suggestion";
import { ARGUMENTS } from "../generated/shapes";
import type { Problem } from "../rules/problem";
import type { Fields, Shape } from "./fields";
import { isLater } from "./outputs";
import { SYNONYMS } from "./synonyms";
import { windowsProblems } from "./windows";

/** All values that have the wrong shape, and all fields that don't exist. Outputs are checked when they are known. */
export function checkArguments(args: object, shapes = ARGUMENTS): Problem[] {
    return checkFields(args, shapes, "");
}

function checkFields(value: object, fields: Fields, path: string): Problem[] {
    return Object.entries(value).flatMap(([name, item]) => {
        const property = path === "" ? name : `${path}.${name}`;
        return Object.hasOwn(fields, name)
            ? checkOptional(item, fields[name], property)
            : [unknownField(property, name, Object.keys(fields))];
    });
}

/** Accepts an absent field. An absent item of a list or a map is refused. */
function checkOptional(value: unknown, shape: Shape, property: string): Problem[] {
    return value === undefined || value === null ? [] : check(value, shape, property);
}

function check(value: unknown, shape: Shape, property: string): Problem[] {
    if (isLater(value)) {
        return [];
    }
    if (typeof shape === "string") {
        return checkSimple(value, shape, property);
    }
    if ("choice" in shape) {
        const expected = shape.choice.map((choice) => `"${choice}"`).join(", ");
        return shape.choice.includes(value as string) ? [] : [wrong(property, value, `one of ${expected}`)];
    }
    if ("list" in shape) {
        return Array.isArray(value)
            ? Array.from(value).flatMap((item, index) => check(item, shape.list, `${property}[${index}]`))
            : [wrong(property, value, "a list")];
    }
    if (!isObject(value)) {
        return [wrong(property, value, expectedObject(value, shape))];
    }
    return "fields" in shape
        ? checkFields(value as object, shape.fields, property)
        : Object.entries(value as object).flatMap(([key, item]) => check(item, shape.map, `${property}.${key}`));
}

function checkSimple(value: unknown, shape: keyof typeof NAMES, property: string): Problem[] {
    if (!FITS[shape](value)) {
        return [mismatch(property, value, shape)];
    }
    return shape === "text" ? windowsProblems(property, value as string) : [];
}

/**
 * The expected value in words: `{ enabled: false }` for a plain `false`. An argument can't take both, because Pulumi's
 * schemas have no arguments of two types.
 */
function expectedObject(value: unknown, shape: Shape): string {
    const hasSwitch = typeof shape === "object" && "fields" in shape && Object.hasOwn(shape.fields, "enabled");
    return hasSwitch && typeof value === "boolean" ? `{ enabled: ${value} }` : "an object";
}

const NAMES = {
    any: "anything",
    boolean: "true or false",
    integer: "a whole number",
    kubeconfig: "a string or an object",
    number: "a number",
    object: "an object",
    script: "a string",
    seconds: "a whole number of seconds",
    secret: "a string",
    text: "a string",
} as const;

/** Shapes whose values no error shows. */
const SECRET: readonly (keyof typeof NAMES)[] = ["kubeconfig", "secret"];

const isText = (value: unknown): boolean => typeof value === "string";

const isObject = (value: unknown): boolean => typeof value === "object" && value !== null && !Array.isArray(value);

const FITS: Readonly<Record<keyof typeof NAMES, (value: unknown) => boolean>> = {
    any: () => true,
    boolean: (value) => typeof value === "boolean",
    integer: Number.isSafeInteger,
    kubeconfig: (value) => isText(value) || isObject(value),
    number: Number.isFinite,
    object: isObject,
    script: isText,
    seconds: Number.isSafeInteger,
    secret: isText,
    text: isText,
};

function mismatch(property: string, value: unknown, shape: keyof typeof NAMES): Problem {
    return SECRET.includes(shape) ? unseen(property, NAMES[shape]) : wrong(property, value, NAMES[shape]);
}

function wrong(property: string, value: unknown, expected: string): Problem {
    return { property, reason: `is ${shown(value)}; it must be ${expected}.` };
}

/** A problem that doesn't show the value, which may be a password. */
export function unseen(property: string, expected = "a string"): Problem {
    return { property, reason: `has the wrong type; it must be ${expected}.` };
}

/** A value as errors show it. Some values have no JSON, and JSON.stringify throws for others. */
function shown(value: unknown): string {
    if (typeof value === "number" || typeof value === "bigint" || typeof value === "symbol") {
        return String(value);
    }
    if (typeof value === "function") {
        return "a function";
    }
    try {
        return JSON.stringify(value) ?? String(value);
    } catch {
        return "a value without JSON";
    }
}

function unknownField(property: string, name: string, known: readonly string[]): Problem {
    return { property, reason: `does not exist. ${suggestionFor(name, known, SYNONYMS)}` };
}

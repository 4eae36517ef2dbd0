import { isDeepStrictEqual } from "node:util";

/** The text that `check` and `diff` receive in a preview in place of an unknown value of any type. */
export const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** True if a value, or any part of it, is unknown in this preview. */
export function isUnknown(value: unknown): boolean {
    if (typeof value === "object" && value !== null) {
        return Object.values(value).some(isUnknown);
    }
    return value === UNKNOWN;
}

/** True if a value may be the old one: everything in it that is known equals it. An unknown part matches anything. */
export function mayEqual(old: unknown, wanted: unknown): boolean {
    if (wanted === UNKNOWN) {
        return true;
    }
    if (Array.isArray(old) && Array.isArray(wanted)) {
        return old.length === wanted.length && old.every((item, index) => mayEqual(item, wanted[index]));
    }
    if (isObject(old) && isObject(wanted)) {
        const keys = new Set([...Object.keys(old), ...Object.keys(wanted)]);
        return [...keys].every((key) => mayEqual(old[key], wanted[key]));
    }
    return isDeepStrictEqual(old, wanted);
}

function isObject(value: unknown): value is Record<string, unknown> {
    return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The text that `check` and `diff` receive in a preview in place of an unknown value of any type. */
export const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** True if a value, or any part of it, is unknown in this preview. */
export function isUnknown(value: unknown): boolean {
    if (typeof value === "object" && value !== null) {
        return Object.values(value).some(isUnknown);
    }
    return value === UNKNOWN;
}

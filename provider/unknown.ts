/** What `check` and `diff` get in a preview for a value that isn't known yet, whatever its type. */
export const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** True where a value, or anything in it, isn't known yet. */
export function isUnknown(value: unknown): boolean {
    if (typeof value === "object" && value !== null) {
        return Object.values(value).some(isUnknown);
    }
    return value === UNKNOWN;
}

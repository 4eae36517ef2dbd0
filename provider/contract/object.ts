/** A JSON value of a shape that the compiler doesn't know. */
// oxlint-disable-next-line no-explicit-any -- the only one; all other code takes this type
export type Json = any;

/** A value of a Kubernetes manifest. */
export type KubernetesObject = Record<string, Json>;

/** Leaves out undefined and empty fields; one level only, because deeper down `{}` has a meaning (`emptyDir: {}`). */
export function compact<T extends KubernetesObject>(object: T): T {
    return Object.fromEntries(Object.entries(object).filter(([, value]) => !isEmpty(value))) as T;
}

function isEmpty(value: unknown): boolean {
    if (value === undefined || value === null) {
        return true;
    }
    if (Array.isArray(value)) {
        return value.length === 0;
    }
    return typeof value === "object" && Object.keys(value).length === 0;
}

/** A copy with the keys sorted on every level, so that equal objects become equal text. */
export function sortKeys<T>(value: T): T {
    if (Array.isArray(value)) {
        return value.map((item) => sortKeys(item)) as T;
    }
    if (typeof value !== "object" || value === null) {
        return value;
    }
    const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(entries.map(([key, item]) => [key, sortKeys(item)])) as T;
}

/**
 * Merges `patch` into `base`: objects are merged, lists of named items are merged by name, other lists and values are
 * replaced, and null removes a field.
 */
export function mergePatch(base: Json, patch: Json): Json {
    if (isNamedList(base) && isNamedList(patch)) {
        return mergeNamed(base, patch);
    }
    if (!isObject(patch)) {
        return patch;
    }
    const merged: KubernetesObject = isObject(base) ? { ...base } : {};
    for (const [key, value] of Object.entries(patch)) {
        if (value === null) {
            delete merged[key];
        } else {
            merged[key] = mergePatch(merged[key], value);
        }
    }
    return merged;
}

function mergeNamed(base: readonly KubernetesObject[], patch: readonly KubernetesObject[]): KubernetesObject[] {
    const patches = new Map(patch.map((item) => [keyOf(item), item]));
    const kept = base.map((item) => (patches.has(keyOf(item)) ? mergePatch(item, patches.get(keyOf(item))) : item));
    const keys = new Set(base.map(keyOf));
    return [...kept, ...patch.filter((item) => !keys.has(keyOf(item)))];
}

/**
 * Identifies an item of a list: a mount by its path, because its name is its volume's and a volume can have several
 * mounts.
 */
function keyOf(item: KubernetesObject): unknown {
    return item.mountPath ?? item.name;
}

export function isObject(value: unknown): value is KubernetesObject {
    return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isNamedList(value: unknown): value is KubernetesObject[] {
    return Array.isArray(value) && value.length > 0 && value.every((item) => isObject(item) && "name" in item);
}

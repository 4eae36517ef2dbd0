export interface KubeObject {
    kind?: string;
    metadata: {
        name: string;
        uid?: string;
        resourceVersion?: string;
        labels?: Record<string, string>;
        [key: string]: any;
    };
    [key: string]: any;
}

/** Whether an object has the fields and labels that a request selects. */
export function selects({ searchParams }: URL, object: KubeObject): boolean {
    return isSelected(searchParams.get("fieldSelector"), searchParams.get("labelSelector"), object);
}

/** Whether an object has the fields and labels of these selectors. */
export function isSelected(
    fieldSelector: string | null | undefined,
    labelSelector: string | null | undefined,
    object: KubeObject,
): boolean {
    const [fields, labels] = [terms(fieldSelector), terms(labelSelector)];
    const at = (path: string) => path.split(".").reduce((value: any, key) => value?.[key], object);
    return (
        fields.every(([path, value]) =>
            path.endsWith("!") ? (at(path.slice(0, -1)) ?? "") !== value : at(path) === value,
        ) && labels.every(([label, value]) => hasLabel(object.metadata.labels ?? {}, label, value))
    );
}

/** A term `label`, `label=value` or `label!=value`. */
function hasLabel(labels: Readonly<Record<string, string>>, label: string, value: string | undefined): boolean {
    if (value === undefined) {
        return label in labels;
    }
    return label.endsWith("!") ? labels[label.slice(0, -1)] !== value : labels[label] === value;
}

function terms(selector: string | null | undefined): [string, string][] {
    return (selector ?? "")
        .split(",")
        .filter(Boolean)
        .map((term) => term.split("=") as [string, string]);
}

/** RFC 7396. */
export function merge(base: any, patch: any): any {
    if (typeof patch !== "object" || patch === null || Array.isArray(patch)) {
        return patch;
    }
    const merged = { ...base };
    for (const [key, value] of Object.entries(patch)) {
        if (value === null) {
            delete merged[key];
        } else {
            merged[key] = merge(merged[key], value);
        }
    }
    return merged;
}

/** Whether an object meets the preconditions of a request. */
export function fits(
    { metadata }: KubeObject,
    { resourceVersion, uid }: { resourceVersion?: string; uid?: string } = {},
): boolean {
    return (
        (uid === undefined || uid === metadata.uid) &&
        (resourceVersion === undefined || resourceVersion === metadata.resourceVersion)
    );
}

import type { V1LabelSelector } from "@kubernetes/client-node";

export type Labels = Readonly<Record<string, string>>;

interface Requirement {
    readonly key: string;
    readonly operator: string;
    readonly values?: readonly string[];
}

/** True if labels meet all requirements of a selector. No selector selects nothing, an empty one everything. */
export function matches(selector: V1LabelSelector | undefined, labels: Labels): boolean {
    if (selector === undefined) {
        return false;
    }
    return (
        Object.entries(selector.matchLabels ?? {}).every(([key, value]) => labels[key] === value) &&
        (selector.matchExpressions ?? []).every((requirement) => meets(requirement, labels))
    );
}

type Meets = (value: string | undefined, values: readonly string[]) => boolean;

const OPERATORS: Readonly<Record<string, Meets>> = {
    In: (value, values) => value !== undefined && values.includes(value),
    NotIn: (value, values) => value === undefined || !values.includes(value),
    Exists: (value) => value !== undefined,
    DoesNotExist: (value) => value === undefined,
    Gt: (value, [limit]) => integer(value) > integer(limit),
    Lt: (value, [limit]) => integer(value) < integer(limit),
};

/** @see https://github.com/kubernetes/apimachinery/blob/master/pkg/labels/selector.go */
export function meets({ key, operator, values = [] }: Requirement, labels: Labels): boolean {
    return OPERATORS[operator]?.(Object.hasOwn(labels, key) ? labels[key] : undefined, values) ?? false;
}

/** NaN, which is neither larger nor smaller, for a text that is no integer. */
function integer(text = ""): number {
    return /^[+-]?\d+$/.test(text) ? Number(text) : NaN;
}

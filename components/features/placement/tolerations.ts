import { KEY } from "../../rules/names";
import { isLabelValue, isQualifiedName } from "../../rules/patterns";
import { broken, type Problem } from "../../rules/problem";
import type { MiniClusterSpec } from "../../spec";

const OPERATORS = ["Equal", "Exists"];
const EFFECTS = ["NoExecute", "NoSchedule", "PreferNoSchedule"];

/** Refuses tolerations that the API server would refuse. */
export function validateTolerations({ tolerations }: MiniClusterSpec): Problem[] {
    return tolerations.flatMap((toleration, index) => {
        const { effect = "", key = "", operator = "Equal", tolerationSeconds, value = "" } = toleration;
        const rules: [boolean, string, string][] = [
            [
                !OPERATORS.includes(operator),
                "operator",
                `is "${operator}"; Kubernetes accepts ${OPERATORS.join(" and ")}.`,
            ],
            [
                effect !== "" && !EFFECTS.includes(effect),
                "effect",
                `is "${effect}"; Kubernetes accepts ${EFFECTS.join(", ")}.`,
            ],
            [
                key === "" && operator !== "Exists",
                "key",
                'is missing; give it, or the operator "Exists" for all taints.',
            ],
            [
                key !== "" && !isQualifiedName(key),
                "key",
                `is "${key}"; the key of a taint has ${KEY}. A domain and '/' may precede it.`,
            ],
            [
                value !== "" && operator === "Exists",
                "value",
                `is "${value}", but the operator is Exists. Remove one of them.`,
            ],
            [!isLabelValue(value), "value", `is "${value}"; the value of a taint has ${KEY}.`],
            [
                tolerationSeconds !== undefined && effect !== "NoExecute",
                "tolerationSeconds",
                `is ${tolerationSeconds}, but only the effect "NoExecute" has seconds. Remove it or change the effect.`,
            ],
        ];
        return broken(rules.map(([isBroken, field, reason]) => [isBroken, `tolerations[${index}].${field}`, reason]));
    });
}

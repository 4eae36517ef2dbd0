import { isLabelValue, isQualifiedName } from "../../rules/patterns";
import type { Problem } from "../../rules/problem";
import type { MiniClusterSpec } from "../../spec";

const OPERATORS = ["Equal", "Exists"];
const EFFECTS = ["NoExecute", "NoSchedule", "PreferNoSchedule"];

/** What the API server refuses of tolerations. */
export function validateTolerations({ tolerations }: MiniClusterSpec): Problem[] {
    return tolerations.flatMap((toleration, index) => {
        const { effect = "", key = "", operator = "Equal", tolerationSeconds, value = "" } = toleration;
        const rules: [boolean, string, string][] = [
            [
                !OPERATORS.includes(operator),
                "operator",
                `is "${operator}"; Kubernetes knows ${OPERATORS.join(" and ")}.`,
            ],
            [
                effect !== "" && !EFFECTS.includes(effect),
                "effect",
                `is "${effect}"; Kubernetes knows ${EFFECTS.join(", ")}.`,
            ],
            [
                key === "" && operator !== "Exists",
                "key",
                'is missing; give it, or the operator "Exists" for all taints.',
            ],
            [key !== "" && !isQualifiedName(key), "key", `is "${key}", which is no name of a taint.`],
            [
                value !== "" && operator === "Exists",
                "value",
                `is "${value}", but the operator is Exists. Remove one of them.`,
            ],
            [!isLabelValue(value), "value", `is "${value}", which is no value of a taint.`],
            [
                tolerationSeconds !== undefined && effect !== "NoExecute",
                "tolerationSeconds",
                'is given, which goes with the effect "NoExecute" only.',
            ],
        ];
        const broken = rules.filter(([isBroken]) => isBroken);
        return broken.map(([, field, reason]) => ({ property: `tolerations[${index}].${field}`, reason }));
    });
}

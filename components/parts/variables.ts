import type { KubernetesObject } from "../../provider/contract/object";
import { SCRIPT_ENVIRONMENT } from "../../provider/contract/scriptVariables";

/**
 * Escapes `$`, because Kubernetes expands $(NAME) in commands and variables, but the user's text must arrive unchanged.
 */
export function escapeExpansion(text: string): string {
    return text.replaceAll("$", "$$$$");
}

/** The user's variables for a container, sorted by name. */
export function variables(texts: Readonly<Record<string, string>>): KubernetesObject[] {
    return Object.entries(texts)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, value]) => ({ name, value: escapeExpansion(value) }));
}

export type Parameters = Partial<Record<keyof typeof SCRIPT_ENVIRONMENT, string | undefined>>;

/** Parameters of the scripts as variables of a container. Empty parameters are left out. */
export function scriptVariables(values: Parameters): KubernetesObject[] {
    const names = Object.keys(SCRIPT_ENVIRONMENT) as (keyof Parameters)[];
    return names.flatMap((key) => {
        const value = values[key];
        return value === undefined || value === ""
            ? []
            : [{ name: SCRIPT_ENVIRONMENT[key], value: escapeExpansion(value) }];
    });
}

/** Key of a secret variable in the cluster's Secret. */
export function secretKey(variable: string): string {
    return `env.${variable}`;
}

import { validateAtLeast } from "../../rules/atLeast";
import { DNS_LABEL } from "../../rules/patterns";
import type { Problem } from "../../rules/problem";
import type { MiniClusterSpec } from "../../spec";

/** Checks the checks. Their size counts with that of all arguments (`validateTexts`). */
export function validatePreflight({ preflight }: MiniClusterSpec): Problem[] {
    return preflight.flatMap(({ name, script, timeout }, index) => {
        const property = `preflight[${index}]`;
        const isTwice = preflight.slice(0, index).some((other) => other.name === name);
        return [
            ...validateName(`${property}.name`, name, isTwice),
            ...validateScript(`${property}.script`, script),
            ...validateAtLeast([[`${property}.timeout`, timeout, 1]]),
        ];
    });
}

function validateName(property: string, name: string, isTwice: boolean): Problem[] {
    if (!DNS_LABEL.test(name)) {
        const rule = "up to 63 lower-case letters, digits and '-', and starts and ends with a letter or a digit";
        const value = name === "" ? "is missing" : `is "${name}"`;
        return [{ property, reason: `${value}; the name of a check has ${rule}.` }];
    }
    const reason = `is "${name}", which is already the name of another check. Change one of them.`;
    return isTwice ? [{ property, reason }] : [];
}

function validateScript(property: string, script: string): Problem[] {
    const reason = "is missing or empty. Give a bash script, or remove the check.";
    return script.trim() === "" ? [{ property, reason }] : [];
}

import type { Problem } from "./problem";
import { isAmount } from "./quantity";
import type { MiniClusterSpec, SidecarSpec } from "./spec";

const LABEL = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** What can't work of the containers beside the broker. */
export function validateSidecars({ sidecars }: MiniClusterSpec): Problem[] {
    return sidecars.flatMap((sidecar, index) => {
        const property = `sidecars[${index}]`;
        const twice = sidecars.slice(0, index).some(({ name }) => name === sidecar.name);
        const problem = { property: `${property}.name`, reason: `is "${sidecar.name}", which another sidecar has. Change one of them.` };
        return [...validateSidecar(sidecar, property), ...(twice ? [problem] : [])];
    });
}

function validateSidecar({ command, image, leadOnly, name, ...rest }: SidecarSpec, property: string): Problem[] {
    const problems: Problem[] = [];
    if (!LABEL.test(name ?? "") || name === "flux" || name.startsWith("flux-")) {
        const rule = "a DNS label that isn't flux and doesn't start with flux-, because those are the cluster's own";
        problems.push({ property: `${property}.name`, reason: `${name === undefined ? "is missing" : `is "${name}"`}; it must be ${rule}.` });
    }
    if (!image) {
        problems.push({ property: `${property}.image`, reason: "is missing; give an image." });
    }
    if (leadOnly && command.length === 0) {
        const reason = "is true, but the other ranks need something to run instead. Give the command.";
        problems.push({ property: `${property}.leadOnly`, reason });
    }
    return [...problems, ...validateVariables(rest, property), ...validateAmounts(rest, property)];
}

function validateVariables({ environment }: Pick<SidecarSpec, "environment">, property: string): Problem[] {
    return Object.keys(environment).flatMap((name) => {
        if (name === "FLUX_URI") {
            return [{ property: `${property}.environment.${name}`, reason: "is set by MiniCluster itself. Use another name." }];
        }
        const reason = "is no name of a variable: letters, digits and '_', the first no digit.";
        return VARIABLE.test(name) ? [] : [{ property: `${property}.environment.${name}`, reason }];
    });
}

function validateAmounts({ resources }: Pick<SidecarSpec, "resources">, property: string): Problem[] {
    return (["limits", "requests"] as const).flatMap((kind) =>
        Object.entries(resources[kind]).flatMap(([name, text]) => {
            const reason = `is "${text}", which is no Kubernetes quantity. Write it like "4", "500m" or "8Gi".`;
            return isAmount(text) ? [] : [{ property: `${property}.resources.${kind}.${name}`, reason }];
        }),
    );
}

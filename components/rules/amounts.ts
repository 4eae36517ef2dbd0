import { isAmount, parseQuantity } from "../../provider/contract/quantity";
import type { MiniClusterSpec } from "../spec";
import { isQualifiedName } from "./patterns";
import type { Problem } from "./problem";

type Resources = MiniClusterSpec["resources"];

/** Container resources whose names have no domain. */
const NATIVE = /^(?:cpu|memory|ephemeral-storage|hugepages-.+)$/;

/** Checks the resources of a container by the rules of the API server. */
export function validateAmounts(resources: Resources, property: string): Problem[] {
    const kinds = ["limits", "requests"] as const;
    const problems = kinds.flatMap((kind) =>
        Object.entries(resources[kind]).flatMap(([name, text]) =>
            validateAmount(`${property}.${kind}.${name}`, name, text),
        ),
    );
    return problems.length > 0 ? problems : validateRequests(resources, `${property}.requests`);
}

function validateAmount(property: string, resource: string, text: string): Problem[] {
    if (!isQualifiedName(resource) || !(resource.includes("/") || NATIVE.test(resource))) {
        const cure = "Use cpu, memory, ephemeral-storage, hugepages-SIZE, or a device such as nvidia.com/gpu.";
        return [{ property, reason: `is not a container resource. ${cure}` }];
    }
    if (resource === "memory" || resource === "ephemeral-storage") {
        return validateBytes(property, text);
    }
    if (!isAmount(text)) {
        return [noQuantity(property, text)];
    }
    // Names of devices, such as GPUs, have a domain.
    const broken = resource.includes("/") && !Number.isInteger(parseQuantity(text));
    return broken
        ? [{ property, reason: `is "${text}"; Kubernetes assigns only whole devices. Write it like "1".` }]
        : [];
}

/** @see https://kubernetes.io/docs/tasks/administer-cluster/extended-resource-node/ */
function validateRequests({ limits, requests }: Resources, property: string): Problem[] {
    return Object.entries(requests).flatMap(([name, text]) => {
        const limit = Object.hasOwn(limits, name) ? limits[name] : undefined;
        const shared = !name.includes("/") && !name.startsWith("hugepages-");
        const wanted = parseQuantity(text) ?? 0;
        const given = limit === undefined ? undefined : parseQuantity(limit);
        if (!shared && wanted !== given) {
            const reason = `is "${text}", but its limit is ${limit === undefined ? "missing" : `"${limit}"`}`;
            const cure = "for this resource they must be equal. Give only the limit.";
            return [{ property: `${property}.${name}`, reason: `${reason}; ${cure}` }];
        }
        const reason = `is "${text}", above its limit "${limit}". Lower it, or raise the limit.`;
        return given !== undefined && wanted > given ? [{ property: `${property}.${name}`, reason }] : [];
    });
}

/** Refuses a text that is not a Kubernetes quantity, or that is a number of bytes without its unit. */
export function validateBytes(property: string, text: string | undefined): Problem[] {
    if (text === undefined) {
        return [];
    }
    if (!isAmount(text)) {
        return [noQuantity(property, text)];
    }
    const bytes = parseQuantity(text) ?? 0;
    const reason = `is "${text}", which is ${bytes} bytes, below 1Mi. Write it with a unit, like "512Mi" or "8Gi".`;
    return bytes > 0 && bytes < 2 ** 20 && /[\d.m]$/.test(text) ? [{ property, reason }] : [];
}

function noQuantity(property: string, text: string): Problem {
    return {
        property,
        reason: `is "${text}", which is not a Kubernetes quantity. Write it like "4", "500m" or "8Gi".`,
    };
}

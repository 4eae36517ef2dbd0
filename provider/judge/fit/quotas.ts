import type {
    V1Container,
    V1PodSpec,
    V1ResourceQuota,
    V1ScopedResourceSelectorRequirement,
} from "@kubernetes/client-node";

import { type Amounts, amountsOf, describeAmount, describePart } from "./amounts";
import { allContainers, hasOwnResources, limitsOf, requestsOf } from "./requests";
import { meets } from "./selectors";

/** What one resource of a ResourceQuota leaves for the pods of a Job. */
export interface Allowance {
    readonly quota: string;
    readonly resource: string;
    /** What each pod takes. */
    readonly amount: number;
    readonly left: number;
    readonly hard: number;
    /** How many pods may start now, and at most. */
    readonly now: number;
    readonly ever: number;
}

/** The pods of the same Job that the update removes before. */
export interface Removed {
    readonly spec: V1PodSpec;
    readonly count: number;
}

/**
 * What the ResourceQuotas of the namespace leave for pods of this spec. Quotas of which the cluster hasn't counted the
 * use yet are left out.
 */
export function allowancesOf(
    spec: V1PodSpec,
    quotas: readonly V1ResourceQuota[],
    removed: Removed | undefined,
): Allowance[] {
    const usage = usageOf(spec);
    return quotas
        .filter((quota) => counts(quota, spec))
        .flatMap((quota) => {
            const freed = removed !== undefined && counts(quota, removed.spec) ? usageOf(removed.spec) : {};
            const used = amountsOf(quota.status?.used);
            return Object.entries(amountsOf(quota.status?.hard))
                .filter(([name]) => (usage[name] ?? 0) > 0 && used[name] !== undefined)
                .map(([name, hard]) => {
                    const amount = usage[name] ?? 0;
                    const left = Math.max(0, hard - (used[name] ?? 0) + (freed[name] ?? 0) * (removed?.count ?? 0));
                    const [now, ever] = [Math.floor(left / amount), Math.floor(hard / amount)];
                    return { quota: quota.metadata?.name ?? "", resource: name, amount, left, hard, now, ever };
                });
        });
}

export function describeLeft({ hard, left, quota, resource }: Allowance): string {
    return `quota ${quota} leaves ${describePart(resource, left, hard)}`;
}

export function describeMost({ amount, hard, quota, resource }: Allowance, pods: number): string {
    return `quota ${quota} is ${describeAmount(resource, hard)} in all, and ${pods} pods need ${describeAmount(resource, amount * pods)}`;
}

/** Resources that a quota only counts if each container has a value. Others count as nothing without one. */
const REQUIRED: Readonly<Record<string, readonly ["limits" | "requests", string]>> = {
    cpu: ["requests", "cpu"],
    memory: ["requests", "memory"],
    "requests.cpu": ["requests", "cpu"],
    "requests.memory": ["requests", "memory"],
    "limits.cpu": ["limits", "cpu"],
    "limits.memory": ["limits", "memory"],
};

/** Why ResourceQuotas keep the API server from creating the pods, whatever they leave. */
export function refusalsByQuotas(spec: V1PodSpec, quotas: readonly V1ResourceQuota[]): string[] {
    if (hasOwnResources(spec)) {
        return [];
    }
    return quotas
        .filter((quota) => counts(quota, spec))
        .flatMap(({ metadata, status }) =>
            Object.keys(status?.hard ?? {}).flatMap((name) => {
                const missing = allContainers(spec).filter((container) => lacks(container, name));
                const names = missing.map((container) => container.name).join(", ");
                const wanted = REQUIRED[name]?.join(".");
                return missing.length === 0
                    ? []
                    : [`quota ${metadata?.name} requires ${wanted} of each container, and these have none: ${names}`];
            }),
        );
}

function lacks({ resources }: V1Container, name: string): boolean {
    const required = REQUIRED[name];
    return required !== undefined && resources?.[required[0]]?.[required[1]] === undefined;
}

/** What a pod takes of a quota, by the quota's names. @see https://kubernetes.io/docs/concepts/policy/resource-quotas/ */
function usageOf(spec: V1PodSpec): Amounts {
    const usage: Record<string, number> = { pods: 1, "count/pods": 1 };
    for (const [name, amount] of Object.entries(requestsOf(spec))) {
        if (!name.includes("/")) {
            usage[name] = amount;
        }
        usage[`requests.${name}`] = amount;
    }
    for (const [name, amount] of Object.entries(limitsOf(spec))) {
        if (LIMITED.includes(name)) {
            usage[`limits.${name}`] = amount;
        }
    }
    return usage;
}

const LIMITED = ["cpu", "memory", "ephemeral-storage"];

/** True if a quota counts pods of this spec: they are in all its scopes. */
function counts({ spec }: V1ResourceQuota, pod: V1PodSpec): boolean {
    const named = (spec?.scopes ?? []).map((scopeName) => ({ scopeName, operator: "Exists" }));
    return [...named, ...(spec?.scopeSelector?.matchExpressions ?? [])].every((scope) => isIn(scope, pod));
}

function isIn({ operator, scopeName, values }: V1ScopedResourceSelectorRequirement, pod: V1PodSpec): boolean {
    switch (scopeName) {
        case "Terminating":
            return pod.activeDeadlineSeconds !== undefined;
        case "NotTerminating":
            return pod.activeDeadlineSeconds === undefined;
        case "BestEffort":
            return isBestEffort(pod);
        case "NotBestEffort":
            return !isBestEffort(pod);
        case "PriorityClass":
            // Without a class, admission gives the pods the cluster's default one, if there is one.
            return (
                Boolean(pod.priorityClassName) &&
                meets({ key: scopeName, operator, values }, { [scopeName]: pod.priorityClassName ?? "" })
            );
        default:
            return false;
    }
}

/** True if no container has a request or a limit of CPU or memory. */
function isBestEffort(pod: V1PodSpec): boolean {
    const all = [pod.resources, ...allContainers(pod).map(({ resources }) => resources)];
    const amounts = all.flatMap((resources) => [amountsOf(resources?.requests), amountsOf(resources?.limits)]);
    return amounts.every(({ cpu = 0, memory = 0 }) => cpu + memory === 0);
}

import type { V1Container, V1PodSpec, V1PodStatus, V1ResourceRequirements } from "@kubernetes/client-node";

import { type Amounts, amountsOf, largest, sum } from "./amounts";

type Kind = "limits" | "requests";

/**
 * What a pod requests, as the scheduler and a ResourceQuota count it: the larger of the sum of its containers and of
 * the peak of its init containers, or the pod's own value, and the overhead of its RuntimeClass. Of a pod that was
 * resized, the larger of the old and the new value counts.
 * @see https://github.com/kubernetes/component-helpers/blob/master/resource/helpers.go
 */
export function requestsOf(spec: V1PodSpec, status: V1PodStatus = {}): Amounts {
    const statuses = [...(status.containerStatuses ?? []), ...(status.initContainerStatuses ?? [])];
    const resized = new Map(
        statuses.map(({ allocatedResources, name, resources }) => [
            name,
            resources === undefined ? {} : largest(amountsOf(resources.requests), amountsOf(allocatedResources)),
        ]),
    );
    const total = aggregate(spec, ({ name, resources }) =>
        largest(amountsOf(resources?.requests), resized.get(name) ?? {}),
    );
    return sum({ ...total, ...ownOf("requests", spec) }, amountsOf(spec.overhead));
}

/** The limits of a pod, as a ResourceQuota counts them. */
export function limitsOf(spec: V1PodSpec): Amounts {
    const total = aggregate(spec, ({ resources }) => amountsOf(resources?.limits));
    const limits = { ...total, ...ownOf("limits", spec) };
    const overhead = Object.entries(amountsOf(spec.overhead)).filter(([name]) => (limits[name] ?? 0) > 0);
    return sum(limits, Object.fromEntries(overhead));
}

function aggregate({ containers, initContainers = [] }: V1PodSpec, of: (container: V1Container) => Amounts): Amounts {
    let sidecars: Amounts = {};
    let peak: Amounts = {};
    for (const container of initContainers) {
        const amounts = sum(sidecars, of(container));
        peak = largest(peak, amounts);
        if (container.restartPolicy === "Always") {
            sidecars = amounts;
        }
    }
    return largest(sum(sidecars, ...containers.map(of)), peak);
}

/** The values that the pod has as a whole, which replace those of its containers. */
function ownOf(kind: Kind, spec: V1PodSpec): Amounts {
    const own = Object.entries(amountsOf(spec.resources?.[kind]));
    return Object.fromEntries(own.filter(([name]) => isOfWholePod(name)));
}

function isOfWholePod(name: string): boolean {
    return name === "cpu" || name === "memory" || name.startsWith("hugepages-");
}

/** True if the pod has values as a whole. A ResourceQuota then requires none of its containers. */
export function hasOwnResources({ resources }: V1PodSpec): boolean {
    return Object.keys({ ...resources?.requests, ...resources?.limits }).some(isOfWholePod);
}

/** The spec of a pod with the values that Kubernetes gives it: a missing request is the limit. */
export function withApiDefaults(spec: V1PodSpec): V1PodSpec {
    const whole = mapContainers(spec, (resources) => ({
        ...resources,
        requests: { ...resources.limits, ...resources.requests },
    }));
    return Object.keys(spec.resources?.limits ?? {}).length === 0 ? whole : withOwnRequests(whole);
}

/** The requests of a pod that has only limits as a whole: those of its containers, or else the limits. */
function withOwnRequests(spec: V1PodSpec): V1PodSpec {
    const { limits, requests } = spec.resources ?? {};
    const ofContainers = aggregate(spec, ({ resources }) => amountsOf(resources?.requests));
    const missing = Object.entries(limits ?? {}).filter(([name]) => ofContainers[name] === undefined);
    return { ...spec, resources: { ...spec.resources, requests: { ...Object.fromEntries(missing), ...requests } } };
}

export function mapContainers(
    spec: V1PodSpec,
    change: (resources: V1ResourceRequirements) => V1ResourceRequirements,
): V1PodSpec {
    const changed = (containers: V1Container[] = []) =>
        containers.map((container) => ({ ...container, resources: change(container.resources ?? {}) }));
    return { ...spec, containers: changed(spec.containers), initContainers: changed(spec.initContainers) };
}

export function allContainers({ containers, initContainers = [] }: V1PodSpec): V1Container[] {
    return [...containers, ...initContainers];
}

import { FLUX_CONTAINER } from "../../provider/contract/names";
import { compact, type Json, type KubernetesObject } from "../../provider/contract/object";
import type { MiniClusterSpec } from "../spec";

/** The patch of the Flux container in a patch of the pod template. */
export function fluxPatch(podTemplate: KubernetesObject | undefined): KubernetesObject | undefined {
    return listOf(podTemplate?.spec?.containers).find((one) => one?.name === FLUX_CONTAINER);
}

/** The user's own preStop hook of the Flux container. */
export function preStopOf(podTemplate: KubernetesObject | undefined): KubernetesObject | undefined {
    return fluxPatch(podTemplate)?.lifecycle?.preStop ?? undefined;
}

/** True if a container of the patch has a preStop hook, also a sidecar. */
export function hasPreStop(podTemplate: KubernetesObject | undefined): boolean {
    const { containers, initContainers }: KubernetesObject = podTemplate?.spec ?? {};
    const all = [...listOf(containers), ...listOf(initContainers)];
    return all.some((one) => (one?.lifecycle?.preStop ?? undefined) !== undefined);
}

/** The patch without the hook of the Flux container, which would replace the cluster's own. */
export function withoutPreStop(podTemplate: KubernetesObject): KubernetesObject {
    if (preStopOf(podTemplate) === undefined) {
        return podTemplate;
    }
    const containers = listOf(podTemplate.spec.containers).map((one) => {
        if (one?.name !== FLUX_CONTAINER) {
            return one;
        }
        const { preStop: _, ...lifecycle } = one.lifecycle;
        return { ...one, lifecycle };
    });
    return { ...podTemplate, spec: { ...podTemplate.spec, containers } };
}

/** Nothing checks the form of a pod template before Kubernetes does. */
export function listOf(value: Json): KubernetesObject[] {
    return Array.isArray(value) ? value : [];
}

/** Image, resources and security context of a container that runs like the Flux container. */
export function asFlux({ image, imagePullPolicy, resources, securityContext }: MiniClusterSpec): KubernetesObject {
    return { image, imagePullPolicy, resources: compact({ ...resources }), securityContext };
}

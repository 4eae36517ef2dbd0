import type { Json, KubernetesObject } from "./contract/object";
import { nativeToken, typeToken } from "./shimText";

/** A resource as a policy pack sees it: `ResourceValidationArgs` and `PolicyResource` of @pulumi/policy have these fields. */
export interface PolicyResource {
    readonly type: string;
    readonly props: Record<string, Json>;
}

/** The inputs that are manifests, by the type of the resource. Without the Secret: a policy's message could print it. */
const MANIFESTS: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
    [typeToken, nativeToken].flatMap((token) => [
        [token("IndexedJob"), ["manifest", "files"]],
        [token("KeygenPod"), ["manifest"]],
    ]),
);

/**
 * The Kubernetes objects that a resource creates, so that one policy judges the objects of MiniCluster and those of
 * @pulumi/kubernetes. For an `IndexedJob` these are the Job and its ConfigMap. Empty for other resources.
 */
export function objectsOf({ props, type }: PolicyResource): KubernetesObject[] {
    const inputs = MANIFESTS[type];
    if (inputs !== undefined) {
        return inputs.map((input) => props[input]).filter((object) => object !== undefined && object !== null);
    }
    const [, group, kind] = /^kubernetes:(?:core\/)?([^:]+):(\w+)$/.exec(type) ?? [];
    if (group === undefined) {
        return [];
    }
    // The SDK's own objects have both fields. A copy would read all properties, also those that are unknown at preview.
    return [props.kind === undefined ? { apiVersion: group, kind, ...props } : props];
}

/** The pod that an object describes: a Pod's own spec, or that of the template of a Job, a Deployment and their like. */
export function podSpecOf(object: KubernetesObject): KubernetesObject | undefined {
    if (object.kind === "Pod") {
        return object.spec;
    }
    const { jobTemplate, template } = object.spec ?? {};
    return jobTemplate?.spec?.template?.spec ?? template?.spec;
}

/** All containers of an object's pod, the init containers too. */
export function containersOf(object: KubernetesObject): KubernetesObject[] {
    const { containers = [], initContainers = [] } = podSpecOf(object) ?? {};
    return [...initContainers, ...containers];
}

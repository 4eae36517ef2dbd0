import type { Judgement } from "./contract/judgement";
import type { Json, KubernetesObject } from "./contract/object";
import type { IndexedJobInputs } from "./indexedJob/properties";
import { tokensOf } from "./host/shimText";

export type { Fit, Judgement } from "./contract/judgement";

/** A resource as a policy pack sees it: `ResourceValidationArgs` and `PolicyResource` of @pulumi/policy have these fields. */
export interface PolicyResource {
    readonly type: string;
    readonly props: Record<string, Json>;
}

/** The inputs that are manifests, by the type of the resource. Without the Secret: a policy's message could print it. */
const MANIFESTS: Readonly<Record<string, readonly string[]>> = Object.fromEntries([
    ...tokensOf("IndexedJob").map((token) => [token, ["manifest", "files"]]),
    ...tokensOf("KeygenPod").map((token) => [token, ["manifest"]]),
]);

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

/**
 * Judges the MiniCluster of an `IndexedJob`: whether its pods fit into the cluster, how many hours of nodes they take at
 * most, and whether an update may end its running work. Undefined for other resources. `access` replaces the credentials
 * of the MiniCluster. Without an answer of the cluster, the result has no `fit`.
 */
export async function judgementOf(
    { props, type }: PolicyResource,
    access: { readonly kubeconfig?: string; readonly context?: string } = {},
): Promise<Judgement | undefined> {
    if (!tokensOf("IndexedJob").includes(type)) {
        return undefined;
    }
    // The Kubernetes client loads slowly, and most policies don't need it.
    const { judge } = await import("./plan/judgement.js");
    return judge(props as unknown as IndexedJobInputs, access);
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

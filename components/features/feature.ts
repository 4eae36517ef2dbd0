import type { Unwrap } from "@pulumi/pulumi";

import type { KubernetesObject } from "../../provider/contract/object";
import type { IndexedJobArgs } from "../../provider/indexedJob/properties";
import type { JobStatusArgs } from "../../provider/jobStatus/properties";
import type { Mount } from "../parts/mount";
import type { Parameters } from "../parts/variables";
import type { Problem } from "../rules/problem";
import type { Basis, MiniClusterSpec, Texts } from "../spec";

/** A TCP port of the Flux container and of the lead Service. */
export interface Port {
    readonly name: string;
    readonly port: number;
    /** `appProtocol` in the lead Service. */
    readonly protocol: string;
}

/** A container that runs in each pod before the broker. */
export interface InitContainer {
    readonly container: KubernetesObject;
    /** True for a container that runs Flux: it starts after those that bring Flux. */
    readonly needsFlux?: boolean;
    /** Mounts of volumes that no other container has. */
    readonly ownMounts?: readonly Mount[];
}

/** A right of the pods' service account: a rule of a Role, for objects with these names. */
export interface PodRight {
    apiGroups: string[];
    resources: string[];
    resourceNames: string[];
    verbs: string[];
}

/** Rights of the pods' service account that a program of a feature uses. */
export interface Rights<Args extends object> {
    /** End of the names of the Role, its binding and the account, if no feature before this one needs rights. */
    readonly suffix: string;
    /** Pulumi must know before any Output which resources exist. So the arguments decide as well as the spec. */
    areNeeded(of: Args | MiniClusterSpec): boolean;
    rules(spec: MiniClusterSpec): PodRight[];
}

/** Inputs of a resource, each with the function that decides it. */
export type InputsOf<Args extends object> = {
    readonly [Input in keyof Args]?: (spec: MiniClusterSpec) => Unwrap<Args[Input]>;
};

/** What a feature adds to the manifests. Every function gets the whole spec of the cluster. */
export interface Hooks {
    /** Files in the ConfigMap by name, mostly scripts. */
    files?(spec: MiniClusterSpec): Texts | undefined;
    /** Parameters of the scripts in the Flux container. */
    parameters?(spec: MiniClusterSpec): Parameters | undefined;
    /** Parameters whose values are fields of the pod: parameter to `fieldPath`. */
    fields?(spec: MiniClusterSpec): Parameters | undefined;
    /** Further variables of the Flux container. */
    variables?(spec: MiniClusterSpec): KubernetesObject[] | undefined;
    /**
     * External programs that its scripts call in the Flux container: PROGRAM if every cluster needs it, else
     * ARGUMENT:PROGRAM. wait.sh reports those that the image lacks.
     */
    programs?(spec: MiniClusterSpec): readonly string[] | undefined;
    ports?(spec: MiniClusterSpec): Port[] | undefined;
    /** Annotations of the lead Service. */
    leadAnnotations?(spec: MiniClusterSpec): Texts | undefined;
    /** Mounts of the Flux container, each with its volume. */
    mounts?(spec: MiniClusterSpec): Mount[] | undefined;
    /** Parameters of the init container that makes files for the Flux container; see `preparedMount`. */
    prepare?(spec: MiniClusterSpec): Parameters | undefined;
    /** `mounts` are those of the Flux container. */
    initContainers?(spec: MiniClusterSpec, mounts: readonly Mount[]): InitContainer[] | undefined;
    /** Native sidecars. `mounts` are those of the Flux container. */
    sidecars?(spec: MiniClusterSpec, mounts: readonly Mount[]): KubernetesObject[] | undefined;
    /** Mounts of volumes that only sidecars have. */
    ownMounts?(spec: MiniClusterSpec): Mount[] | undefined;
    /** Fields of the Flux container. */
    container?(spec: MiniClusterSpec): KubernetesObject | undefined;
    /** Fields of the pods' spec. */
    pod?(spec: MiniClusterSpec, namespace: string): KubernetesObject | undefined;
    podLabels?(spec: MiniClusterSpec): Texts | undefined;
    podAnnotations?(spec: MiniClusterSpec): Texts | undefined;
    /** Fields of the Job's spec. */
    job?(spec: MiniClusterSpec): KubernetesObject | undefined;
    jobLabels?(spec: MiniClusterSpec): Texts | undefined;
    jobAnnotations?(spec: MiniClusterSpec): Texts | undefined;
}

/**
 * A concept that a user can name, such as `archive` or `network`: its arguments, its defaults, its rules and its parts
 * of the manifests. Every function gets the whole spec of the cluster.
 */
export interface Feature<Args extends object, Decided extends object> extends Hooks {
    /** Adds the defaults to the arguments. No default is defined anywhere else. */
    decide(args: Unwrap<Args>, basis: Basis): Decided;
    /** All problems of the arguments, with property, value, limit and cure. */
    problems?(spec: MiniClusterSpec): Problem[];
    /** Values that Flux or Kubernetes accepts, and that have a bad effect. Each has a cure, and is shown as a warning. */
    notices?(spec: MiniClusterSpec): Problem[];
    /**
     * Problems of Outputs whose values would add or remove a Pulumi resource. Pulumi must know which resources exist
     * before any Output is known.
     */
    late?(args: Args, spec: MiniClusterSpec): Problem[];
    readonly rights?: Rights<Args>;
    /** Inputs of the IndexedJob besides its manifest. */
    readonly jobInputs?: InputsOf<IndexedJobArgs>;
    readonly statusInputs?: InputsOf<JobStatusArgs>;
}

/** The same functions, which get the feature's part of the spec first. */
type HooksOf<Part> = {
    readonly [Hook in keyof Hooks]: Required<Hooks>[Hook] extends (
        spec: MiniClusterSpec,
        ...more: infer More
    ) => infer Made
        ? (part: Part, spec: MiniClusterSpec, ...more: More) => Made
        : never;
};

/**
 * The functions of a feature, or of a part of it, that only some clusters have: in a cluster for which `part` returns
 * nothing, they add nothing.
 */
export function when<Part>(part: (spec: MiniClusterSpec) => Part | false | undefined, hooks: HooksOf<Part>): Hooks {
    type Hook = (part: Part, spec: MiniClusterSpec, ...more: never[]) => unknown;
    const whole =
        (hook: Hook) =>
        (spec: MiniClusterSpec, ...more: never[]) => {
            const own = part(spec);
            return own === undefined || own === false ? undefined : hook(own, spec, ...more);
        };
    return Object.fromEntries(Object.entries<Hook>(hooks).map(([name, hook]) => [name, whole(hook)]));
}

/** A type that has the members of all types of a union. */
export type Together<Union> = (Union extends unknown ? (each: Union) => void : never) extends (all: infer All) => void
    ? All
    : never;

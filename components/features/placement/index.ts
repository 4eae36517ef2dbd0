import type { types } from "@pulumi/kubernetes";
import type { Input } from "@pulumi/pulumi";

import { labelsOf } from "../../../provider/contract/labels";
import { compact, type Json, type KubernetesObject, mergePatch, sortKeys } from "../../../provider/contract/object";
import { listOf } from "../../parts/fluxContainer";
import { validateAtLeast } from "../../rules/atLeast";
import { validateLabels, validateObjectName } from "../../rules/names";
import type { Decide, MiniClusterSpec, Texts } from "../../spec";
import type { Feature } from "../feature";
import { validateTolerations } from "./tolerations";

/** How the ranks are spread over the nodes. */
export const Placement = {
    /** As evenly as the scheduler can. Several ranks may share a node. */
    Spread: "spread",
    /** At most one rank of any exclusive MiniCluster on a node. */
    Exclusive: "exclusive",
    /** As close together as the scheduler can. */
    Pack: "pack",
} as const;

export type Placement = (typeof Placement)[keyof typeof Placement];

export declare namespace Placement {
    export type Spread = "spread";
    export type Exclusive = "exclusive";
    export type Pack = "pack";
}

/** In which zones of the Kubernetes cluster the ranks run. */
export const Zone = {
    /** All in one zone, if its nodes have room: messages between zones are slower, and clouds charge for them. */
    One: "one",
    /** In all zones, as `placement` spreads the ranks over the nodes. */
    Spread: "spread",
} as const;

export type Zone = (typeof Zone)[keyof typeof Zone];

export declare namespace Zone {
    export type One = "one";
    export type Spread = "spread";
}

/** A toleration of the pods. @see https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/ */
export interface TolerationArgs {
    /** Key of the taint. @default all keys, with the operator `Exists` */
    key?: Input<string>;
    /** `Equal` or `Exists`. @default `Equal` */
    operator?: Input<string>;
    /** Value of the taint. Only with the operator `Equal`. @default none */
    value?: Input<string>;
    /** `NoSchedule`, `PreferNoSchedule` or `NoExecute`. @default all effects */
    effect?: Input<string>;
    /**
     * Seconds that a pod stays on a node after the taint was added. Only with the effect `NoExecute`.
     * @default no limit
     */
    tolerationSeconds?: Input<number>;
}

export interface PlacementArguments {
    /** How the ranks are spread over the nodes. @default Placement.Spread */
    placement?: Input<Placement>;
    /**
     * In which zones of the Kubernetes cluster the ranks run. A preference: a zone without room keeps no rank from starting,
     * and the scheduler weighs it as much as an even spread over nodes.
     * @default Zone.One
     */
    zone?: Input<Zone>;
    /** Labels that a node must have to get a rank. @default none */
    nodeSelector?: Input<{ [name: string]: Input<string> }>;
    /** Taints of nodes that the pods tolerate. @default none */
    tolerations?: Input<Input<TolerationArgs>[]>;
    /**
     * A Kubernetes Affinity. It replaces the affinity that `placement` and `zone` make.
     * @default from `placement` and `zone`
     */
    affinity?: Input<types.input.core.v1.Affinity>;
    /** Scheduler of the pods. @default the default scheduler of Kubernetes */
    schedulerName?: Input<string>;
    /** PriorityClass of the pods. @default the Kubernetes cluster's default */
    priorityClassName?: Input<string>;
    /**
     * Ask the autoscalers of nodes (Cluster Autoscaler, Karpenter) to keep a node while a rank runs on it. Otherwise they
     * may end jobs to empty a node. `disruptionBudget` keeps only the nodes of ranks that run jobs.
     * @default true with a command or with `elastic`, else false; false with `disruptionBudget`
     */
    keepNodes?: Input<boolean>;
    /** RuntimeClass of the pods, for example `nvidia`. @default the nodes' default runtime */
    runtimeClassName?: Input<string>;
}

export type Decided = Decide<PlacementArguments, "keepNodes" | "nodeSelector" | "placement" | "tolerations" | "zone">;

export const placement: Feature<PlacementArguments & { disruptionBudget?: boolean; elastic?: object }, Decided> = {
    decide: (args, { mode }) => ({
        // Ranks of an elastic cluster leave by themselves when they are idle. A budget keeps those with jobs.
        keepNodes: args.keepNodes ?? (!args.disruptionBudget && (mode === "ephemeral" || args.elastic !== undefined)),
        placement: args.placement ?? Placement.Spread,
        zone: args.zone ?? Zone.One,
        nodeSelector: args.nodeSelector ?? {},
        tolerations: args.tolerations ?? [],
        affinity: args.affinity,
        schedulerName: args.schedulerName,
        priorityClassName: args.priorityClassName,
        runtimeClassName: args.runtimeClassName,
    }),

    problems: (spec) => [
        ...validateLabels("nodeSelector", spec.nodeSelector),
        ...validateObjectName("priorityClassName", spec.priorityClassName),
        ...validateObjectName("runtimeClassName", spec.runtimeClassName),
        ...validateTolerations(spec),
        ...validateAtLeast(
            spec.tolerations.map((of, index): [string, number | undefined, number] => [
                `tolerations[${index}].tolerationSeconds`,
                of.tolerationSeconds,
                0,
            ]),
        ),
    ],

    parameters: (spec) => ({ exclusive: String(isExclusive(spec)) }),
    pod: spread,
    podAnnotations: ({ keepNodes }): Texts => (keepNodes ? KEEP : {}),
    podLabels: (spec): Texts => (spec.placement === Placement.Exclusive ? { [EXCLUSIVE_LABEL]: "true" } : {}),
};

/**
 * True if no other rank of an exclusive cluster can share the node. An affinity of the user replaces this rule, and one
 * in `podTemplate` may.
 */
export function isExclusive({ affinity, placement, podTemplate }: MiniClusterSpec): boolean {
    return placement === Placement.Exclusive && affinity === undefined && keepsApart(podTemplate);
}

/** True if a patch of the pod template leaves `APART` as it is. */
function keepsApart({ spec: patch }: KubernetesObject): boolean {
    const given: Json = patch?.affinity === undefined ? {} : patch.affinity;
    const { affinity } = mergePatch({ affinity: { podAntiAffinity: APART } }, { affinity: given });
    const rules = listOf(affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution);
    const textOf = (rule: Json) => JSON.stringify(sortKeys(rule));
    return rules.some((rule) => textOf(rule) === textOf(APART.requiredDuringSchedulingIgnoredDuringExecution[0]));
}

const KEEP = { "cluster-autoscaler.kubernetes.io/safe-to-evict": "false", "karpenter.sh/do-not-disrupt": "true" };

const NODE = "kubernetes.io/hostname";
const ZONE = "topology.kubernetes.io/zone";

/** Label of the pods of exclusive clusters, which keep each other off their nodes. */
const EXCLUSIVE_LABEL = "flux-minicluster/exclusive";

/** `affinity` and `topologySpreadConstraints`. */
function spread(spec: MiniClusterSpec): KubernetesObject {
    if (spec.affinity !== undefined) {
        return { affinity: spec.affinity };
    }
    const own = { matchLabels: { "app.kubernetes.io/instance": labelsOf(spec.name)["app.kubernetes.io/instance"] } };
    const near = (topologyKey: string, weight: number) => ({
        weight,
        podAffinityTerm: { labelSelector: own, topologyKey },
    });
    const preferred = [
        ...(spec.placement === Placement.Pack ? [near(NODE, 100)] : []),
        ...(spec.zone === Zone.One ? [near(ZONE, 10)] : []),
    ];
    return compact({
        affinity: compact({
            podAffinity: compact({ preferredDuringSchedulingIgnoredDuringExecution: preferred }),
            podAntiAffinity: spec.placement === Placement.Exclusive ? APART : undefined,
        }),
        topologySpreadConstraints:
            spec.placement === Placement.Spread
                ? [{ labelSelector: own, maxSkew: 1, topologyKey: NODE, whenUnsatisfiable: "ScheduleAnyway" }]
                : undefined,
    });
}

const APART = {
    requiredDuringSchedulingIgnoredDuringExecution: [
        { labelSelector: { matchLabels: { [EXCLUSIVE_LABEL]: "true" } }, namespaceSelector: {}, topologyKey: NODE },
    ],
};

import type { V1Job, V1LabelSelector, V1ObjectMeta } from "@kubernetes/client-node";

import { JOB_NAME_LABEL } from "../../provider/contract/labels";
import { BROKER_PORT } from "../../provider/contract/names";
import { type Labels, matches } from "../../provider/judge/fit/selectors";
import type { Kube } from "../../provider/kubernetes/client";
import { sentence } from "../../provider/kubernetes/failures/failure";
import { listAll } from "../../provider/kubernetes/list";
import { fail, type Finding, unchecked } from "./finding";
import type { Cluster } from "./subject";

const DIRECTIONS = { Egress: "outgoing", Ingress: "incoming" } as const;

type Direction = keyof typeof DIRECTIONS;

/** A NetworkPolicy in the JSON of the API server, whose `from` is `_from` in the client's types. */
export interface Policy {
    readonly metadata?: Pick<V1ObjectMeta, "name">;
    readonly spec?: {
        readonly podSelector?: V1LabelSelector;
        readonly policyTypes?: readonly string[];
        readonly egress?: readonly Rule[];
        readonly ingress?: readonly Rule[];
    };
}

interface Rule {
    readonly from?: readonly Peer[];
    readonly to?: readonly Peer[];
    readonly ports?: readonly { readonly port?: number | string; readonly endPort?: number }[];
}

interface Peer {
    readonly ipBlock?: object;
    readonly podSelector?: V1LabelSelector;
}

/** NetworkPolicies that keep the pods of a cluster from each other. They only count where a network plugin enforces them. */
export async function checkPolicies(kube: Kube, namespace: string, { job, pods }: Cluster): Promise<Finding[]> {
    // Most network plugins apply no policy to pods in the network of their node.
    if (job.spec?.template.spec?.hostNetwork) {
        return [];
    }
    const path = `/apis/networking.k8s.io/v1/namespaces/${namespace}/networkpolicies`;
    try {
        const all = await listAll<Policy>(kube, path, {}, new AbortController().signal);
        return denials(all, pods[0]?.metadata?.labels ?? {}, portOf(job));
    } catch (error) {
        return [unchecked(`NetworkPolicies: ${sentence(error)}`, "docs/rbac.yaml")];
    }
}

function portOf({ spec }: V1Job): number {
    const ports = spec?.template.spec?.containers.flatMap((container) => container.ports ?? []) ?? [];
    return ports.find(({ name }) => name === "broker")?.containerPort ?? BROKER_PORT;
}

/** A finding for each direction in which policies select pods with these labels and none admits such pods. */
export function denials(all: readonly Policy[], labels: Labels, port: number): Finding[] {
    return (Object.keys(DIRECTIONS) as Direction[]).flatMap((direction) => {
        const own = all.filter((policy) => matches(policy.spec?.podSelector ?? {}, labels) && isOf(policy, direction));
        if (
            own.length === 0 ||
            own.some((policy) => rulesOf(policy, direction).some((rule) => admits(rule, labels, port)))
        ) {
            return [];
        }
        const names = own.map(({ metadata }) => metadata?.name).join(", ");
        const what = `NetworkPolicy ${names} denies the ${DIRECTIONS[direction]} connections of the pods to each other`;
        const cure =
            direction === "Ingress"
                ? "networkPolicy: true admits them"
                : `allow what docs/troubleshooting.md says in "A namespace that denies outgoing connections", for the pods with the ` +
                  `label ${JOB_NAME_LABEL}=${labels[JOB_NAME_LABEL]}`;
        return [fail(what, cure)];
    });
}

/** Without types, a policy is about incoming connections, and about outgoing ones if it has rules for them. */
function isOf({ spec }: Policy, direction: Direction): boolean {
    const byRules = spec?.egress === undefined ? ["Ingress"] : ["Ingress", "Egress"];
    return (spec?.policyTypes ?? byRules).includes(direction);
}

function rulesOf({ spec }: Policy, direction: Direction): readonly Rule[] {
    return (direction === "Egress" ? spec?.egress : spec?.ingress) ?? [];
}

/** Blocks of addresses and namespaces by label may be the pods' own: only what certainly isn't theirs doesn't admit them. */
function admits({ from, ports = [], to }: Rule, labels: Labels, port: number): boolean {
    const peers = to ?? from ?? [];
    const isPort = ports.length === 0 || ports.some((each) => includes(each, port));
    const isPeer = ({ ipBlock, podSelector }: Peer) =>
        ipBlock !== undefined || podSelector === undefined || matches(podSelector, labels);
    return isPort && (peers.length === 0 || peers.some(isPeer));
}

/** A port's name may be that of the brokers' port. */
function includes({ endPort, port: first }: NonNullable<Rule["ports"]>[number], port: number): boolean {
    return typeof first !== "number" || (first <= port && port <= (endPort ?? first));
}

import type { V1Node, V1PodTemplateSpec } from "@kubernetes/client-node";

import { isExtended } from "../../provider/judge/fit/amounts";
import { requestsOf, withApiDefaults } from "../../provider/judge/fit/requests";
import { type Survey, survey } from "../../provider/judge/fit/survey";
import { isPlacedByDefault } from "../../provider/judge/fit/uncounted";
import { type Verdict, verdictOf } from "../../provider/judge/fit/verdict";
import { QUEUE_LABEL } from "../../provider/contract/labels";
import type { Kube } from "../../provider/kubernetes/client";
import { ending } from "../../provider/kubernetes/job";
import { summarize } from "../../provider/observe/pods/pod";
import { fail, type Finding, firstOf, ok, unchecked, warn } from "./finding";
import { type Cluster, type Place, wantedRanks } from "./subject";

/** Longest time for the lists of quotas, LimitRanges, nodes and their pods, in milliseconds. */
const DEADLINE = 15_000;

/** Reads what decides whether pods of a template fit. */
export function readRoom(kube: Kube, namespace: string, { spec }: V1PodTemplateSpec): Promise<Survey> {
    const whole = withApiDefaults(spec ?? { containers: [] });
    const devices = Object.keys(requestsOf(whole)).some(isExtended);
    return survey(kube, { namespace, nodes: isPlacedByDefault(whole), devices }, DEADLINE);
}

/** Whether quotas and LimitRanges leave room for the pods that are missing. */
export function checkQuota(place: Place): Finding[] {
    const { cluster, survey: seen } = place;
    const unread = unreadOf(seen, /Quota|LimitRange/);
    const missing = cluster === undefined ? 1 : Math.max(0, sizeOf(cluster) - (cluster.job.status?.active ?? 0));
    if (missing === 0 || unread.length === 2) {
        return unread.length === 2 ? unread : [...unread, ok("all pods exist")];
    }
    const verdict = judge(place, missing, { ...seen, nodes: undefined, pods: undefined, unread: [] });
    const count = (list: readonly unknown[] | undefined, what: string) => `${list?.length ?? 0} ${what}`;
    const rules = `${count(seen.quotas, "quotas")} and ${count(seen.limitRanges, "LimitRanges")}`;
    const cure = "smaller resources or size, or a larger quota; none if the other pods end";
    return [...unread, judged(verdict, { cure, room: `${rules} leave room for ${pods(missing)}` }, place)];
}

/** Whether the nodes are well and have room for the pods that have no node yet. */
export function checkNodes(place: Place): Finding[] {
    const { cluster, survey: seen } = place;
    const unread = unreadOf(seen, /nodes|pods/);
    const states = seen.nodes === undefined ? [] : stateOf(seen.nodes, nodesOf(cluster));
    const missing = cluster === undefined ? 1 : sizeOf(cluster) - nodesOf(cluster).length;
    if (seen.nodes === undefined || seen.pods === undefined || missing <= 0) {
        return [...unread, ...states];
    }
    const verdict = judge(place, missing, { ...seen, quotas: [], unread: [] });
    const cure = "smaller resources.requests or size; more nodes; tolerations, nodeSelector, affinity";
    return [...unread, ...states, judged(verdict, { cure, room: `the nodes have room for ${pods(missing)}` }, place)];
}

function sizeOf({ job }: Cluster): number {
    return ending(job) === undefined ? wantedRanks(job) : 0;
}

function pods(count: number): string {
    return count === 1 ? "a pod" : `${count} pods`;
}

/** The nodes of the pods that have not ended. */
function nodesOf(cluster: Cluster | undefined): string[] {
    const live = cluster?.pods.map(summarize).filter(({ phase }) => phase === "Pending" || phase === "Running") ?? [];
    return live.flatMap(({ node }) => node ?? []);
}

function judge({ cluster, namespace, trial }: Place, added: number, seen: Survey): Verdict {
    const { metadata, spec } = trial;
    return verdictOf(
        {
            name: cluster?.job.metadata?.name ?? "",
            namespace,
            template: spec?.template ?? {},
            added,
            kept: 0,
            least: added,
            queue: metadata?.labels?.[QUEUE_LABEL],
        },
        seen,
    );
}

interface Words {
    readonly cure: string;
    /** What is said if all pods start now. */
    readonly room: string;
}

function judged({ class: kind, text }: Verdict, { cure, room }: Words, { cluster }: Place): Finding {
    switch (kind) {
        case "now":
            return ok(room);
        case "waits":
            return cluster === undefined ? warn(text, cure) : fail(text, cure);
        case "never":
            return fail(text, cure);
    }
}

function unreadOf({ unread }: Survey, what: RegExp): Finding[] {
    const found = unread.filter((each) => what.test(each.what));
    return found.map((each) => unchecked(`${each.what}: ${each.why}`, "docs/rbac.yaml, docs/rbac-fit.yaml"));
}

const PRESSURE = /Pressure$|^NetworkUnavailable$/;

/** Nodes that aren't well. Those of the cluster's pods count as failures. */
function stateOf(nodes: readonly V1Node[], own: readonly string[]): Finding[] {
    const found = nodes.flatMap((node) => problemsOf(node, own.includes(node.metadata?.name ?? "")));
    const isReady = ({ status }: V1Node) =>
        status?.conditions?.some((each) => each.type === "Ready" && each.status === "True") ?? false;
    const ready = nodes.filter(isReady).length;
    const text = `${ready} of ${nodes.length} nodes are ready`;
    if (ready > 0) {
        return [ok(text), ...firstOf(found)];
    }
    const problem = nodes.length === 0 ? warn : fail;
    return [problem(text, "add nodes, or repair their kubelets: kubectl describe node"), ...firstOf(found)];
}

function problemsOf({ metadata, spec, status }: V1Node, isOwn: boolean): Finding[] {
    const name = `node ${metadata?.name}`;
    const cure = "kubectl describe node; nodeSelector avoids it";
    const problem = isOwn ? fail : warn;
    const conditions = (status?.conditions ?? []).filter(({ status: holds, type }) =>
        type === "Ready" ? holds !== "True" : PRESSURE.test(type) && holds === "True",
    );
    return [
        ...conditions.map(({ message, reason, type }) => {
            const why = [reason, message].filter(Boolean).join(": ");
            return problem(`${name} ${type === "Ready" ? "isn't ready" : `has ${type}`} (${why})`, cure);
        }),
        ...(spec?.unschedulable ? [warn(`${name} is cordoned`, "kubectl uncordon, when its maintenance is over")] : []),
    ];
}

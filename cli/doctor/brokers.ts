import { ANNOTATIONS } from "../../provider/contract/labels";
import { BROKER_PORT } from "../../provider/contract/names";
import { meaningOf } from "../../provider/observe/causes/brokers";
import { isReady, type Pod } from "../../provider/observe/pods/pod";
import { programName } from "../definition/programName";
import { andOthers, fail, type Finding, firstOf, ok, unchecked, warn } from "./finding";
import type { LeadReport } from "./leadReport";
import { type Cluster, type Place, wantedRanks } from "./subject";
import { checkPolicies } from "./policies";
import { differences, type Traits, traitsByNode } from "./traits";

/** Words of `flux overlay status` for a broker that has no place in the tree now. */
const OUT = /^(\d+) (\S+): ((?:lost|offline|unknown)\b.*)$/;

/** Seconds that a pod gets to join after its start. */
const JOINS_WITHIN = 20;

/** Drains a rank before its pod is removed: leave.sh and elastic_flux.py have the same words. */
const LEAVING = "the pod is leaving";

/** Words of a log that have a group of their own. */
export const OF_DNS = /\bDNS\b/;

/** Whether the brokers of all pods that run have joined, and what Flux says of them. */
export async function checkBrokers(cluster: Cluster, { kube, lead, namespace, survey }: Place): Promise<Finding[]> {
    const running = cluster.seen.ranks().filter(({ startedAt, terminated }) => startedAt !== undefined && !terminated);
    const out = running.filter((pod) => !isReady(pod));
    const late = out.filter((pod) => !isStarting(pod, cluster.seen.begun));
    const traits = traitsByNode(survey.nodes);
    const away = absent(blamed(running, late, lead));
    const told = firstOf([
        ...away,
        ...(away.length > 0 ? [...badNodes(running, traits), ...(await checkPolicies(kube, namespace, cluster))] : []),
        ...meanings(cluster.logs, (text) => !OF_DNS.test(text)),
    ]);
    const ofLead = typeof lead === "string" ? [unchecked(`flux overlay status: ${lead}`)] : overlay(cluster, lead);
    return [...(told.length > 0 ? told : [joined(running.length, out.length)]), ...ofLead];
}

function isStarting({ startedAt = 0 }: Pod, now: number): boolean {
    return now < startedAt + JOINS_WITHIN * 1000;
}

function joined(running: number, out: number): Finding {
    if (running === 0) {
        return unchecked("no pod runs");
    }
    return out === 0
        ? ok(`the brokers of ${running} pods have joined`)
        : warn(`the brokers of ${running - out} of ${running} pods have joined`, "none while the pods start");
}

/** What the logs mean that a rule chooses, one finding for each meaning. */
export function meanings(logs: ReadonlyMap<string, string>, isChosen: (meaning: string) => boolean): Finding[] {
    const found = new Map<string, string>();
    for (const [pod, log] of logs) {
        const meaning = meaningOf(log);
        if (meaning !== undefined && isChosen(meaning) && ![...found.values()].includes(meaning)) {
            found.set(pod, meaning);
        }
    }
    return [...found].map(([pod, meaning]) => {
        const sentences = meaning.split(/(?<=[.:]) (?=[A-Z])/);
        const cure = sentences.length > 1 ? sentences.slice(1).join(" ") : "as the message says";
        return fail(`the log of ${pod}: ${sentences[0]}`, cure);
    });
}

/** The pods that have not joined, without a lead that only waits for others: Flux tells that, or that any rank is ready. */
function blamed(running: readonly Pod[], out: readonly Pod[], lead: LeadReport | string): readonly Pod[] {
    const followers = out.filter(({ rank }) => rank > 0);
    const isUp = typeof lead !== "string" && lead.overlay.error === undefined;
    return followers.length > 0 && (isUp || running.some(isReady)) ? followers : out;
}

function absent(pods: readonly Pod[]): Finding[] {
    if (pods.length === 0) {
        return [];
    }
    const names = pods.slice(0, 5).map(({ name }) => name);
    const all = `${names.join(", ")}${andOthers(pods.length - names.length)}`;
    const what = `${all} ${pods.length === 1 ? "runs and has" : "run and have"} not joined`;
    const cure =
        `${programName()} logs ${pods[0].rank}; a NetworkPolicy, a firewall or a service mesh must let the pods of the ` +
        `cluster reach each other at the port of the brokers (${BROKER_PORT} by default)`;
    return [fail(what, cure)];
}

/** Nodes of which no rank has joined, if all ranks of other nodes have: the node lacks what the others have. */
export function badNodes(running: readonly Pod[], traits: ReadonlyMap<string, Traits> = new Map()): Finding[] {
    const nodes = new Map<string, Pod[]>();
    for (const pod of running) {
        const { node = "" } = pod;
        nodes.set(node, [...(nodes.get(node) ?? []), pod]);
    }
    const bad = [...nodes].filter(([, pods]) => !pods.some(isReady));
    const good = [...nodes].filter(([, pods]) => pods.some(isReady));
    const others = good.flatMap(([, pods]) => pods);
    const theirs = good.map(([node]) => traits.get(node) ?? {});
    if (bad.length === 0 || others.length === 0 || !others.every(isReady)) {
        return [];
    }
    const all =
        others.length === 1 ? "the only rank of another node has" : `all ${others.length} ranks of other nodes have`;
    return bad.map(([node, { length }]) => {
        const none = length === 1 ? "its rank has not" : `none of its ${length} ranks has`;
        const has = differences(traits.get(node) ?? {}, theirs).join(", ");
        return warn(
            `node ${node}: ${none} joined, and ${all}${has && `; it has ${has}`}`,
            `compare it with a node of the others: kubectl describe node ${node}; preflight finds what it lacks`,
        );
    });
}

/** What Flux says of the ranks that the Job wants now. The others have no pod: they aren't needed, or the cluster sleeps. */
function overlay(cluster: Cluster, { drained, overlay: tree }: LeadReport): Finding[] {
    if (tree.error !== undefined) {
        return [unchecked(`flux overlay status: ${tree.error}`)];
    }
    const wanted = wantedRanks(cluster.job);
    const byWords = new Map<string, [rank: number, host: string][]>();
    for (const line of tree.lines) {
        const [, number, host, words] = OUT.exec(line.trim()) ?? [];
        const rank = Number(number);
        if (words !== undefined && rank < wanted && hasStarted(cluster, rank)) {
            byWords.set(words, [...(byWords.get(words) ?? []), [rank, host]]);
        }
    }
    const lost = [...byWords].map(([words, [[rank, host], ...others]]) =>
        fail(
            `Flux says of rank ${rank} (${host}): ${words}${andOthers(others.length)}`,
            `${programName()} status, ${programName()} logs ${rank}`,
        ),
    );
    const all = lost.length > 0 ? firstOf(lost) : [ok(`Flux has ${describeRanks(wanted)} that the Job wants now`)];
    return [...all, ...drainedOf(cluster, drained)];
}

function describeRanks(count: number): string {
    return count === 1 ? "the rank" : `the ${count} ranks`;
}

/** The group of the pods tells of a rank whose pod is missing or starts. */
function hasStarted({ seen }: Cluster, rank: number): boolean {
    const pod = seen.ranks().find((each) => each.rank === rank);
    return pod?.startedAt !== undefined && (isReady(pod) || !isStarting(pod, seen.begun));
}

/** The drained ranks that stay. A rank that Flux drained because its pod leaves is a part of a change. */
function drainedOf({ job, seen }: Cluster, { error, lines }: LeadReport["drained"]): Finding[] {
    if (error !== undefined) {
        return [unchecked(`flux resource drain: ${error}`)];
    }
    const wanted = wantedRanks(job);
    const isElastic = job.metadata?.annotations?.[ANNOTATIONS.elasticSettings] !== undefined;
    const leaves = (rank: number) => isElastic || !seen.ranks().some((pod) => pod.rank === rank && isReady(pod));
    const found = lines.flatMap((line) => {
        const [ids, reason] = line.split("\t");
        const ranks = idsOf(ids).filter((rank) => rank < wanted && !(reason === LEAVING && leaves(rank)));
        const why = reason ? ` (${reason})` : "";
        const [which, it] = ranks.length === 1 ? ["rank", "is drained"] : ["ranks", "are drained"];
        return ranks.length === 0
            ? []
            : warn(
                  `${which} ${ranks.join(",")} ${it}${why}: ${ranks.length === 1 ? "it takes" : "they take"} no jobs`,
                  `${programName()} shell, then flux resource undrain ${ranks.join(",")}, when the reason is over`,
              );
    });
    return firstOf(found);
}

/** The numbers of an idset of Flux, such as `1,4-6`. */
function idsOf(text: string): number[] {
    return text.split(",").flatMap((part) => {
        const [first, last = first] = part.split("-").map(Number);
        return Array.from({ length: last - first + 1 }, (_, index) => first + index);
    });
}

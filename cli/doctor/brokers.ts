import { BROKER_PORT } from "../../provider/contract/names";
import { meaningOf } from "../../provider/jobStatus/brokerWords";
import { isReady, type Pod } from "../../provider/pods/pod";
import { programName } from "../programName";
import { fail, type Finding, firstOf, ok, unchecked, warn } from "./finding";
import type { LeadReport } from "./leadReport";
import type { Cluster, Place } from "./place";
import { checkPolicies } from "./policies";
import { differences, type Traits, traitsByNode } from "./traits";

/** Words of `flux overlay status` for a broker that has no place in the tree now. */
const OUT = /^(\d+) (\S+): ((?:lost|offline|unknown)\b.*)$/;

/** Words of a log that have a group of their own. */
export const OF_DNS = /\bDNS\b/;

/** Whether the brokers of all pods that run have joined, and what Flux says of them. */
export async function checkBrokers(cluster: Cluster, { kube, lead, namespace, survey }: Place): Promise<Finding[]> {
    const running = cluster.seen.ranks().filter(({ startedAt, terminated }) => startedAt !== undefined && !terminated);
    const out = running.filter((pod) => !isReady(pod));
    const traits = traitsByNode(survey.nodes);
    const away = absent(blamed(running, out, lead));
    const told = firstOf([
        ...away,
        ...(away.length > 0 ? [...badNodes(running, traits), ...(await checkPolicies(kube, namespace, cluster))] : []),
        ...meanings(cluster.logs, (text) => !OF_DNS.test(text)),
    ]);
    const ofLead = typeof lead === "string" ? [unchecked(`flux overlay status: ${lead}`)] : overlay(lead);
    const none =
        running.length === 0 ? unchecked("no pod runs") : ok(`the brokers of ${running.length} pods have joined`);
    return [...(told.length > 0 ? told : [none]), ...ofLead];
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
    const more = pods.length > names.length ? ` and ${pods.length - names.length} others` : "";
    const what = `${names.join(", ")}${more} ${pods.length === 1 ? "runs and has" : "run and have"} not joined`;
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

function overlay({ drained, overlay: tree }: LeadReport): Finding[] {
    if (tree.error !== undefined) {
        return [unchecked(`flux overlay status: ${tree.error}`)];
    }
    const lost = tree.lines.flatMap((line) => {
        const [, rank, host, words] = OUT.exec(line.trim()) ?? [];
        return rank === undefined
            ? []
            : [
                  fail(
                      `Flux says of rank ${rank} (${host}): ${words}`,
                      `${programName()} status, ${programName()} logs ${rank}`,
                  ),
              ];
    });
    const all = lost.length > 0 ? firstOf(lost) : [ok(`Flux knows ${tree.lines.length} brokers, all in the tree`)];
    return [...all, ...drainedOf(drained)];
}

function drainedOf({ error, lines }: LeadReport["drained"]): Finding[] {
    if (error !== undefined) {
        return [unchecked(`flux resource drain: ${error}`)];
    }
    const found = lines.map((line) => {
        const [ranks, reason] = line.split("\t");
        const why = reason ? ` (${reason})` : "";
        return warn(
            `rank ${ranks} is drained${why}: it takes no jobs`,
            `${programName()} shell, then flux resource undrain ${ranks}, when the reason is over`,
        );
    });
    return firstOf(found);
}

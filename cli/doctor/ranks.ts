import { FLUX_CONTAINER } from "../../provider/contract/names";
import { isReady, type Pod } from "../../provider/observe/pods/pod";
import { programName } from "../definition/programName";
import { fail, type Finding, firstOf, ok, unchecked, warn } from "./finding";
import type { Said } from "./leadReport";
import type { Cluster, Place } from "./subject";
import { parseFacts, type RankFacts } from "./rankFacts";
import { differences, type Traits, traitsByNode } from "./traits";

/** A rank is slow if it needs so many times the median of the others, and at least so many seconds. */
const [SLOW_TIMES, SLOW_SECONDS] = [4, 0.5];
/** Seconds by which a rank's clock may differ from the lead's. */
const CLOCK = 1;
/** Facts that should be the same on all ranks. The others may differ where the machines do. */
const SAME = ["image", "Flux", "/dev/shm"];

/** A rank that has joined, with its node. */
interface Rank {
    readonly rank: number;
    readonly node: string;
    readonly traits: Traits;
    readonly facts?: RankFacts;
}

/** Which ranks don't answer, lag or have another clock, and what their nodes have that the others haven't. */
export function checkRanks(cluster: Cluster, { lead, survey }: Place): Finding[] {
    if (typeof lead === "string") {
        return [unchecked(`flux exec: ${lead}`)];
    }
    const joined = cluster.seen.ranks().filter(isReady);
    const facts = parseFacts(lead.facts.lines);
    if (facts.length === 0) {
        return [unchecked(`flux exec: ${lead.facts.error ?? "no rank has answered"}`)];
    }
    const nodes = traitsByNode(survey.nodes);
    const images = imagesOf(cluster);
    const ranks = joined.map((pod) => rankOf(pod, { facts, images, nodes }));
    return judge(ranks, lead.facts);
}

interface Known {
    readonly facts: readonly RankFacts[];
    readonly images: ReadonlyMap<string, string>;
    readonly nodes: ReadonlyMap<string, Traits>;
}

function rankOf({ name, node = "", rank }: Pod, { facts, images, nodes }: Known): Rank {
    const own = facts.find((each) => each.rank === rank);
    const image = images.get(name);
    const traits = { ...(image && { image }), ...nodes.get(node), ...own?.known };
    return { rank, node, traits, ...(own && { facts: own }) };
}

/** The digest of the image that each pod runs: a tag may have moved between two pulls. */
function imagesOf({ pods }: Cluster): Map<string, string> {
    return new Map(
        pods.flatMap(({ metadata, status }) => {
            const own = status?.containerStatuses?.find(({ name }) => name === FLUX_CONTAINER);
            return own?.imageID ? [[metadata?.name ?? "", own.imageID]] : [];
        }),
    );
}

function judge(ranks: readonly Rank[], said: Said): Finding[] {
    const suspects = new Map<Rank, Finding>();
    for (const rank of ranks) {
        const finding = silent(rank, said) ?? slow(rank, ranks) ?? wrongClock(rank, said);
        if (finding !== undefined) {
            suspects.set(rank, finding);
        }
    }
    const others = ranks.filter((rank) => !suspects.has(rank));
    const told = [...suspects].map(([rank, finding]) => withDifferences(finding, rank, others));
    const all = [...firstOf(told), ...SAME.flatMap((name) => unlike(name, ranks))];
    return all.length > 0 ? all : [ok(`${ranks.length} ranks answer, and none lags`)];
}

/** Nothing can be said of a suspect if all ranks are suspects. */
function withDifferences(finding: Finding, { node, traits }: Rank, others: readonly Rank[]): Finding {
    const theirs = others.filter((other) => other.node !== node).map((other) => other.traits);
    const found = differences(traits, theirs).filter((text) => !text.startsWith("zone "));
    return found.length === 0 ? finding : { ...finding, text: `${finding.text}; it has ${found.join(", ")}` };
}

function silent({ facts, node, rank }: Rank, { error }: Said): Finding | undefined {
    if (facts !== undefined) {
        return undefined;
    }
    const text = `rank ${rank} on node ${node} has joined, and does not answer${error?.startsWith("no answer") ? ` (${error})` : ""}`;
    return fail(text, `${programName()} logs ${rank}; kubectl describe node ${node}; ${programName()} drain ${rank}`);
}

function slow({ facts, node, rank }: Rank, ranks: readonly Rank[]): Finding | undefined {
    const took = (of: RankFacts) => of.ended - of.began;
    const others = ranks.flatMap((other) => (other.rank === rank || !other.facts ? [] : [took(other.facts)]));
    const median = others.sort((a, b) => a - b)[Math.floor(others.length / 2)] ?? Infinity;
    const own = facts === undefined ? 0 : took(facts);
    return own < SLOW_SECONDS || own < SLOW_TIMES * median
        ? undefined
        : warn(
              `rank ${rank} on node ${node} needs ${seconds(own)} for what the other ranks do in ${seconds(median)}`,
              `kubectl top pod, kubectl describe node ${node}: other work, or a limit of CPU; ${programName()} drain ${rank}`,
          );
}

/** All ranks are asked between two moments of the lead's clock. */
function wrongClock({ facts, node, rank }: Rank, { began, ended }: Said): Finding | undefined {
    if (facts === undefined || began === undefined || ended === undefined) {
        return undefined;
    }
    const ahead = Math.max(0, facts.ended - ended) - Math.max(0, began - facts.began);
    const words = `${seconds(Math.abs(ahead))} ${ahead > 0 ? "ahead of" : "behind"} the lead's`;
    return Math.abs(ahead) <= CLOCK
        ? undefined
        : warn(`rank ${rank} on node ${node} has a clock that is ${words}`, `set the clock of node ${node} (NTP)`);
}

/** Ranks that have another value of a fact, by their nodes. */
function unlike(name: string, ranks: readonly Rank[]): Finding[] {
    const byValue = new Map<string, Set<string>>();
    for (const { node, traits } of ranks) {
        const value = traits[name];
        if (value !== undefined) {
            byValue.set(value, (byValue.get(value) ?? new Set()).add(node));
        }
    }
    const groups = [...byValue].sort(([, a], [, b]) => b.size - a.size);
    const cure =
        name === "/dev/shm"
            ? "podTemplate, or a policy, gives it another size on these nodes"
            : "a digest in image in place of a tag, and new pods: the tag has moved between two pulls";
    const words = groups.map(([value, nodes]) => `${value} on ${[...nodes].slice(0, 3).join(", ")}`);
    return groups.length < 2 ? [] : [warn(`the ranks have different values of ${name}: ${words.join("; ")}`, cure)];
}

function seconds(count: number): string {
    return `${count < 10 ? count.toFixed(1) : Math.round(count)} s`;
}

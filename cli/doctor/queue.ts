import type { V1Job } from "@kubernetes/client-node";

import { ANNOTATIONS } from "../../provider/contract/labels";
import { foreignLine, unquoted } from "../../provider/contract/foreignText";
import { programName } from "../definition/programName";
import { fail, type Finding, firstOf, ok, unchecked, warn } from "./finding";
import type { LeadReport } from "./leadReport";
import { type Cluster, wantedRanks } from "./subject";

const CLOSED = /^(?:(\S+): )?(Scheduling is stopped|Job submission is disabled)(?:: ?)?(.*)$/;

const OPEN: Readonly<Record<string, string>> = {
    "Scheduling is stopped": "flux queue start",
    "Job submission is disabled": "flux queue enable",
};

/** Whether Flux takes jobs and starts them, and why jobs wait. */
export function checkQueue({ job }: Cluster, lead: LeadReport | string): Finding[] {
    if (typeof lead === "string") {
        return [unchecked(`flux queue status: ${lead}`)];
    }
    if (lead.queue.error !== undefined) {
        return [unchecked(`flux queue status: ${lead.queue.error}`)];
    }
    const closed = lead.queue.lines.flatMap(closedOf);
    const waiting = waitingOf(lead.pending, closed.length > 0, mostRanks(job, lead));
    return [...(closed.length > 0 ? closed : [ok("the queue takes and starts jobs")]), ...waiting];
}

/** Ranks that the cluster may have without an update: Flux knows all those up to which an elastic cluster grows. */
function mostRanks(job: V1Job, { overlay }: LeadReport): number {
    const wanted = wantedRanks(job);
    const isElastic = job.metadata?.annotations?.[ANNOTATIONS.elasticSettings] !== undefined;
    return isElastic ? Math.max(wanted, overlay.lines.length) : wanted;
}

function waitingOf({ error, lines }: LeadReport["pending"], isStopped: boolean, size: number): Finding[] {
    if (error !== undefined) {
        return [unchecked(`flux jobs: ${error}`)];
    }
    return lines.length === 0 ? [ok("no job waits")] : firstOf(lines.map((line) => pendingOf(line, isStopped, size)));
}

function closedOf(line: string): Finding[] {
    const [, name, state, reason] = CLOSED.exec(line.trim()) ?? [];
    if (state === undefined) {
        return [];
    }
    const [what, of] = name === undefined ? ["the queue", ""] : [`the queue ${name}`, ` -q ${name}`];
    const why = reason ? ` (${reason})` : "";
    return [fail(`${what}: ${state}${why}`, `${programName()} shell, then ${OPEN[state]}${of}`)];
}

function pendingOf(line: string, isStopped: boolean, size: number): Finding {
    const [id, state, urgency, nodes, info, ...name] = line.split("\t");
    const { cure, why } = reasonOf({ state, urgency, nodes: Number(nodes) || 0, info }, isStopped, size);
    const text = `job ${foreignLine(unquoted(name.join("\t")))} (${id}) waits: ${why}`;
    return cure === undefined ? ok(text) : warn(text, cure);
}

interface Waiting {
    readonly state: string;
    readonly urgency: string;
    /** Nodes that it asks for; 0 if it doesn't say. */
    readonly nodes: number;
    readonly info: string;
}

/**
 * Why a job waits, by its state in RFC 21. A job that only waits for others needs no cure.
 * @see https://flux-framework.readthedocs.io/projects/flux-rfc
 */
function reasonOf(
    { info, nodes, state, urgency }: Waiting,
    isStopped: boolean,
    size: number,
): { readonly why: string; readonly cure?: string } {
    if (state === "DEPEND") {
        return { why: `for its dependencies (${info.replace("depends:", "")})` };
    }
    if (urgency === "0") {
        return { why: "it is held (urgency 0)", cure: `${programName()} shell, then flux job urgency ID default` };
    }
    if (state === "PRIORITY") {
        return { why: "for its priority", cure: "the plugin of flux-accounting, if there is one" };
    }
    if (isStopped) {
        return { why: "the queue starts no jobs", cure: "as for the queue" };
    }
    return nodes > size
        ? { why: `it asks for ${nodes} nodes, and the cluster has ${size}`, cure: "fewer nodes, or a larger size" }
        : { why: "for cores, GPUs or nodes that other jobs have" };
}

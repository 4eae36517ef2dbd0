import { INDEX_LABEL, JOB_NAME_LABEL } from "../contract/labels";
import { FLUX_CONTAINER } from "../contract/names";
import type { RunRecord } from "../contract/record/runRecord";
import type { ResultsMark } from "../contract/results";
import { type Kube, retry } from "../kubernetes/client";
import { hasCode, sentence } from "../kubernetes/failures/failure";
import type { JobId } from "../kubernetes/jobId";
import { nodeTypeOf, versionOf } from "../kubernetes/learnt";
import { describeProgramProgress, type ProgramProgress, readProgramProgress } from "../observe/live/progress";
import type { Observation } from "../observe/pods/observation";
import { type Pod, summarize } from "../observe/pods/pod";
import { unreadable } from "../flux/queue";
import { recordOf as recordOfRun } from "../record/record";
import { toldIn, withoutMarks } from "../results/list";
import { markOf } from "../results/outcome";
import { failuresOf } from "./failure";
import type { JobStatusInputs, Phase, Recorded } from "./properties";
import { resultsOf } from "./results";
import { slowestRank, timings } from "./timings";
import type { Waited } from "./wait";

/** What is recorded of a wait. */
interface Read {
    readonly ranks: readonly Pod[];
    readonly recorded: Recorded;
}

/** The record of a wait. If the API server doesn't answer, it has only what was seen before. */
export async function recordWaited(
    kube: Kube,
    id: JobId,
    { kept, last, progress, seen }: Waited,
    inputs: JobStatusInputs,
): Promise<Read> {
    const { log, ranks, recorded }: Read & { log?: string } =
        last.outcome === "failed" && seen.silence !== undefined
            ? { ranks: seen.ranks(), recorded: recordOf(seen, last.phase, seen.ranks(), "") }
            : await readRecord(kube, id, seen, last.phase, inputs);
    const lead = ranks.find(({ rank }) => rank === 0);
    const found = { kept, lead, told: toldIn(log ?? "") };
    const mark = markOf(found);
    const own = { exitCode: recorded.exitCode ?? mark?.exitCode ?? null, results: resultsOf(inputs, found) };
    const whole = { ...recorded, ...own, progress: recorded.progress || toldBy(progress) };
    const known = { ranks, recorded: whole, mark, hasLog: log !== undefined };
    return { ranks, recorded: { ...whole, record: runRecord(kube, { last, seen }, inputs, known) } };
}

/** What is known of a run beside its wait. */
interface Known {
    readonly ranks: readonly Pod[];
    readonly recorded: Recorded;
    /** What the lead has said of its results. */
    readonly mark: ResultsMark | undefined;
    /** The output could be read. */
    readonly hasLog: boolean;
}

/** The output `record`: null before the end of a command, and for a persistent cluster. */
function runRecord(
    kube: Kube,
    { last: { failure, phase }, seen: { job, losses } }: Pick<Waited, "last" | "seen">,
    { ephemeral, maxBytes, secretOutput = false }: JobStatusInputs,
    { hasLog, mark, ranks, recorded }: Known,
): RunRecord | null {
    if (!ephemeral || job === undefined || !["failed", "succeeded"].includes(phase)) {
        return null;
    }
    return recordOfRun({
        job,
        ranks,
        phase,
        exitCode: recorded.exitCode,
        failures: failuresOf(failure, ranks, losses.all()),
        output: hasLog && maxBytes > 0 ? recorded.output : undefined,
        results: recorded.results?.count ? mark : undefined,
        isSecret: secretOutput,
        kubernetes: versionOf(kube),
        nodeTypeOf: (node) => nodeTypeOf(kube, node),
    });
}

function toldBy(progress: ProgramProgress | undefined): string {
    return progress === undefined ? "" : describeProgramProgress(progress);
}

async function readRecord(
    kube: Kube,
    id: JobId,
    seen: Observation,
    phase: Phase,
    { keeps, maxBytes }: JobStatusInputs,
): Promise<Read & { log?: string }> {
    const lead = await leadPod(kube, id, seen, phase);
    const ranks = lead === undefined ? seen.ranks() : [lead, ...seen.ranks().filter(({ rank }) => rank !== 0)];
    if (lead === undefined || (maxBytes === 0 && keeps === undefined)) {
        return { ranks, recorded: recordOf(seen, phase, ranks, "") };
    }
    try {
        const log = await readEnough((lines) => readLines(kube, id.namespace, lead, lines), maxBytes);
        return { log, ranks, recorded: recordOf(seen, phase, ranks, lastBytes(withoutMarks(log), maxBytes)) };
    } catch (error) {
        // The log may be lost with its node; the outcome of the wait is valid without it.
        // Without the right to read logs, the output is left out.
        const output = maxBytes === 0 || hasCode(error, 403) ? "" : unreadable(lead.name, sentence(error));
        return { ranks, recorded: recordOf(seen, phase, ranks, output) };
    }
}

function recordOf(seen: Observation, phase: Phase, ranks: readonly Pod[], output: string): Recorded {
    const placed = ranks.filter((pod): pod is Pod & { node: string } => pod.node !== undefined);
    const lead = ranks.find(({ rank }) => rank === 0);
    return {
        phase,
        exitCode: lead?.terminated?.exitCode ?? null,
        output,
        nodes: Object.fromEntries(placed.map(({ node, rank }) => [String(rank), node])),
        timings: timings(seen.job, ranks),
        slowest: slowestRank(seen.job, ranks),
        progress: toldBy(readProgramProgress(lead?.terminated?.marks.progress ?? "")),
        createdAt: seen.createdAt,
    };
}

/** The current pod of rank 0. It is read again after the Job's end, which can be seen before the pod's end. */
async function leadPod(
    kube: Kube,
    { name, namespace, uid }: JobId,
    seen: Observation,
    phase: Phase,
): Promise<Pod | undefined> {
    const known = seen.ranks().find(({ rank }) => rank === 0);
    const ended = phase === "failed" || phase === "succeeded";
    if (known?.terminated !== undefined || (known !== undefined && !ended)) {
        return known;
    }
    const labelSelector = `${JOB_NAME_LABEL}=${name},${INDEX_LABEL}=0,batch.kubernetes.io/controller-uid=${uid}`;
    const { items } = await retry(() => kube.core.listNamespacedPod({ namespace, labelSelector }));
    const pods = items.map(summarize).sort((a, b) => b.createdAt - a.createdAt);
    return pods[0] ?? known;
}

/** Lines of the first request. Lines are requested because the API can count bytes only from the beginning of a log. */
const LINES = 2000;

/** The last lines of the log of a pod's container, or "" if it can't be read. */
export async function lastLines(...of: Parameters<typeof readLines>): Promise<string> {
    try {
        return withoutMarks(await readLines(...of));
    } catch {
        return "";
    }
}

async function readLines(
    kube: Kube,
    namespace: string,
    pod: Pod,
    tailLines: number,
    container = FLUX_CONTAINER,
): Promise<string> {
    if (pod.startedAt === undefined && container === FLUX_CONTAINER) {
        return "";
    }
    const request = { name: pod.name, namespace, container, tailLines };
    return retry(() => kube.core.readNamespacedPodLog(request));
}

/**
 * Reads more lines until they fill the bytes. At most `maxBytes` lines are needed, because each has at least its line
 * feed.
 */
async function readEnough(read: (lines: number) => Promise<string>, maxBytes: number): Promise<string> {
    for (let lines = LINES; ; lines = Math.min(lines * 8, maxBytes)) {
        const text = await read(lines);
        const isAll = text.split("\n").length < lines;
        if (isAll || Buffer.byteLength(withoutMarks(text)) >= maxBytes || lines >= maxBytes) {
            return text;
        }
    }
}

/** The last bytes of a text, without an incomplete first line unless there is only one line. */
export function lastBytes(text: string, maxBytes: number): string {
    const bytes = Buffer.from(text);
    if (bytes.length <= maxBytes) {
        return text;
    }
    const tail = bytes
        .subarray(bytes.length - maxBytes)
        .toString()
        .replace(/^\uFFFD+/, "");
    const newline = tail.indexOf("\n");
    return newline === -1 || newline === tail.length - 1 ? tail : tail.slice(newline + 1);
}

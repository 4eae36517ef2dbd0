import { foreignLine } from "../../provider/contract/foreignText";
import { FLUX_CONTAINER } from "../../provider/contract/names";
import { RUN_DIR } from "../../provider/contract/paths";
import { amountInWords, howToFetch, shownResults } from "../../provider/contract/results";
import { retry } from "../../provider/kubernetes/client";
import { execute } from "../../provider/kubernetes/streams/exec";
import { sizingOf } from "../../provider/kubernetes/sleep";
import { hasCommand, summaryOf } from "../../provider/observe/summary";
import { describeProgramProgress, readProgramProgress } from "../../provider/observe/live/progress";
import { describeNode } from "../../provider/observe/pods/lostNode";
import { isReady, type Pod } from "../../provider/observe/pods/pod";
import type { Arguments } from "../definition/arguments";
import { resultsIn } from "../target/clusters";
import { ranksOf } from "../../provider/observe/ranks";
import { stateOf } from "../target/ranks";
import { jobOf, type Target, targetOf } from "../target/target";
import { age, printJson, table } from "../terminal/terminal";

/** The file in which progress.sh keeps the last line. */
const TOLD = `${RUN_DIR}/progress/last`;
/** Seconds for its content. */
const PATIENCE = 5;
/** Lines of the log of a rank that stays out, which prints nothing after the reason. */
const LINES = 5;

/** Prints the state of the cluster and of its ranks. */
export async function status({ options }: Arguments): Promise<number> {
    const target = await targetOf(options);
    const job = await jobOf(target);
    const cluster = summaryOf(job);
    const sizing = sizingOf(job);
    const pods = await ranksOf(target.kube, target);
    const failures = await Promise.all(pods.map((pod) => preflightFailure(target, pod)));
    const told = hasCommand(job) ? await progressOf(target, pods) : undefined;
    const results = await resultsIn(target.kube, job);
    const ranks = pods.map((pod, index) => ({
        rank: pod.rank,
        pod: pod.name,
        node: pod.node ?? "",
        state: pod.staysOut ? "stays out" : stateOf(pod),
        createdAt: new Date(pod.createdAt).toISOString(),
        preflight: failures[index],
    }));
    if (options.json) {
        printJson({ ...cluster, elastic: sizing, progress: told, results: results && shownResults(results), ranks }, 2);
        return 0;
    }
    const { name, namespace, phase, ready, size } = cluster;
    const now = target.kube.now().getTime();
    process.stdout.write(`${namespace}/${name}: ${phase}, ${ready} of ${size} ranks are ready\n`);
    if (sizing !== undefined) {
        process.stdout.write(`sizes itself: needs ${sizing.want} of ${sizing.size} ranks (${sizing.why})\n`);
    }
    if (told !== undefined) {
        process.stdout.write(`progress: ${foreignLine(told)}\n`);
    }
    if (results !== undefined) {
        process.stdout.write(`results: ${amountInWords(results)}; ${howToFetch(cluster, results)}\n`);
    }
    const rows = ranks.map((rank, index) => [
        String(rank.rank),
        rank.state,
        rank.node,
        rank.pod,
        age(now - pods[index].createdAt),
    ]);
    process.stdout.write(table(["RANK", "STATE", "NODE", "POD", "AGE"], rows));
    const lines = ranks.flatMap(({ node, preflight }) =>
        preflight === undefined ? [] : [`preflight: ${foreignLine(onNode(preflight, node))}\n`],
    );
    process.stdout.write([...lines, ...pods.flatMap((pod) => nodeLine(pod, now))].join(""));
    return 0;
}

/** A failed check often tells of its node, not of its rank. */
function onNode(failure: string, node: string): string {
    return node === "" ? failure : failure.replace(/ on rank \d+(?=:)/, `$& (node ${node})`);
}

/** What keeps a lost pod from being replaced, at this time of the server. A pod that is being deleted mostly ends in time. */
export function nodeLine(pod: Pod, now: number): string[] {
    const { endsBy = Infinity, silentSince } = pod;
    const isKept = silentSince !== undefined || now > endsBy;
    const words = isKept ? describeNode(pod) : undefined;
    return words === undefined ? [] : [`${pod.name} ${words}\n`];
}

const FAILURE = /^(?:minicluster: )?preflight check (.*?)(?:; this rank stays out of the cluster)?$/m;

/** Which check of a rank has failed, and why: from the report of a pod that has ended, else from the end of its log. */
async function preflightFailure({ kube, namespace }: Target, pod: Pod): Promise<string | undefined> {
    const { error, out } = pod.terminated?.marks ?? {};
    const request = { name: pod.name, namespace, container: FLUX_CONTAINER, tailLines: LINES };
    const log = () => retry(() => kube.core.readNamespacedPodLog(request), kube.patience.tries).catch(() => "");
    return FAILURE.exec(pod.staysOut ? await log() : (out ?? error ?? ""))?.[1];
}

/** How far the command is by its last words, which the lead's pod keeps; undefined without any. */
async function progressOf(target: Target, pods: readonly Pod[]): Promise<string | undefined> {
    const lead = pods.find(({ rank }) => rank === 0);
    const told = lead !== undefined && isReady(lead) ? await lastTold(target, lead) : lead?.terminated?.marks.progress;
    const progress = readProgramProgress(told ?? "");
    return progress && describeProgramProgress(progress);
}

/** The state of a cluster is known without its progress. */
async function lastTold({ kube, namespace }: Target, { name: pod }: Pod): Promise<string> {
    const container = { namespace, pod, container: FLUX_CONTAINER };
    const request = { command: ["cat", TOLD], input: "", seconds: PATIENCE, signal: new AbortController().signal };
    const { exitCode, stdout } = await execute(kube, container, request).catch(() => ({ exitCode: 1, stdout: "" }));
    return exitCode === 0 ? stdout : "";
}

import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";

import { FLUX_CONTAINER } from "../contract/names";
import { RESULTS_FETCHED } from "../contract/paths";
import type { ResultsMark } from "../contract/results";
import { FarCopy, type RunThere } from "../copy/far";
import { receive, type Watcher } from "../copy/receive";
import { at } from "../copy/unpack";
import type { Kube } from "../kubernetes/client";
import { attach, type Container, execute } from "../kubernetes/streams/exec";
import type { Pod } from "../observe/pods/pod";
import { filesOf, type Listed, sumOf, sumOfFile } from "./list";

/** Results to fetch. */
export interface Fetching {
    /** The pod of a rank; undefined if there is none. */
    podOf(rank: number): PodOfRank | undefined;
    /** The results have a folder for each rank. Else all are those of one rank. */
    readonly ofAllRanks: boolean;
    /** The folder of a pod that has the files; in that of the lead, there is the list of all. */
    readonly offer: string;
    readonly mark: ResultsMark;
    /** Folder of this machine. */
    readonly to: string;
    readonly watch: Watcher;
    readonly signal: AbortSignal;
}

export interface PodOfRank {
    readonly name: string;
    readonly run: RunThere;
}

/** The pods of ranks as a fetch asks for them. */
export function podsAmong(
    kube: Kube,
    namespace: string,
    pods: readonly Pick<Pod, "name" | "rank">[],
): Fetching["podOf"] {
    return (wanted) => {
        const name = pods.find(({ rank }) => rank === wanted)?.name;
        return name === undefined
            ? undefined
            : { name, run: runIn(kube, { namespace, pod: name, container: FLUX_CONTAINER }) };
    };
}

/** How commands run in a pod. */
export function runIn(kube: Kube, container: Container): RunThere {
    return (streams) => attach(kube, container, streams);
}

/**
 * Fetches the results into a folder, which is replaced at once when all of them have come with the right checksums. If
 * that fails, the folder is what it was.
 */
export async function fetchResults(fetching: Fetching): Promise<readonly Listed[]> {
    const { mark, signal, to } = fetching;
    if (mark.count === 0) {
        return [];
    }
    const final = resolve(to);
    mkdirSync(dirname(final), { recursive: true });
    const draft = mkdtempSync(join(dirname(final), `.${basename(final)}-`));
    try {
        const content = await fetchRank(fetching, 0, draft);
        const files = listed(readFileSync(join(content, "list")), mark);
        const all = await fetchOthers(fetching, files, draft);
        await requireWhole(all, files);
        signal.throwIfAborted();
        replace(all, final, join(draft, "earlier"));
        return files;
    } finally {
        rmSync(draft, { recursive: true, force: true });
    }
}

/** Fetches what a rank offers; returns the folder. */
async function fetchRank({ offer, podOf, signal, watch }: Fetching, rank: number, draft: string): Promise<string> {
    const pod = podOf(rank);
    if (pod === undefined) {
        throw new Error(`rank ${rank} has no pod any more, which has its results`);
    }
    const content = join(draft, `content-${rank}`);
    const far = new FarCopy(pod.run, `pod ${pod.name}`);
    const { unpacking } = await receive({ far, call: ["give", offer, "-h"], content, watch, signal });
    unpacking.finish(content, () => false);
    return content;
}

/** Fetches the files of the other ranks; returns a folder with those of all ranks. */
async function fetchOthers(fetching: Fetching, files: readonly Listed[], draft: string): Promise<string> {
    const all = join(draft, "all");
    if (fetching.ofAllRanks) {
        mkdirSync(all);
    }
    for (const rank of new Set(files.map((file) => file.rank))) {
        const content = rank === 0 ? join(draft, "content-0") : await fetchRank(fetching, rank, draft);
        renameSync(join(content, "files"), fetching.ofAllRanks ? join(all, `rank-${rank}`) : all);
    }
    return all;
}

/** The files of the list. */
function listed(list: Buffer, mark: ResultsMark): readonly Listed[] {
    if (sumOf(list) !== mark.sha256) {
        throw new Error("the list of the results has come with another checksum than the log says");
    }
    return filesOf(list.toString("latin1"));
}

/** Fails if a file isn't there as it is listed. */
async function requireWhole(folder: string, files: readonly Listed[]): Promise<void> {
    for (const file of files) {
        const place = at(folder, file.bytesOfPath);
        const bytes = statSync(place, { throwIfNoEntry: false })?.size;
        if (bytes !== file.bytes || (await sumOfFile(place)) !== file.sha256) {
            throw new Error(
                `${JSON.stringify(file.bytesOfPath)} has changed since it was listed, or has not come whole`,
            );
        }
    }
}

function replace(from: string, final: string, earlier: string): void {
    const isThere = existsSync(final);
    if (isThere) {
        renameSync(final, earlier);
    }
    try {
        renameSync(from, final);
    } catch (error) {
        if (isThere) {
            renameSync(earlier, final);
        }
        throw error;
    }
}

/** Seconds of the command by which the pod learns that it may end. */
const TOLD_WITHIN = 30;

/** Tells the pod that a client has all results. */
export async function tellFetched(kube: Kube, container: Container, signal: AbortSignal): Promise<void> {
    const { exitCode, stderr } = await execute(kube, container, {
        command: RESULTS_FETCHED,
        input: "",
        signal,
        seconds: TOLD_WITHIN,
    });
    if (exitCode !== 0) {
        throw new Error(`pod ${container.pod} can't be told that its results are fetched: ${stderr.trim()}`);
    }
}

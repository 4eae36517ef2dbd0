import type { V1Job } from "@kubernetes/client-node";

import type { Fit } from "../contract/judgement";
import { shownResults, type WaitingResults } from "../contract/results";
import type { LiveJob } from "../flux/liveJobs";
import { BRIEF, type Effect, keepsQueue, untold, type Work, workOf } from "../guard/guard";
import { fitOf } from "../indexedJob/fit";
import { endingChange, isUncertain } from "../indexedJob/effects";
import { knownByNonce } from "../indexedJob/known";
import type { IndexedJobInputs, IndexedJobOutputs } from "../indexedJob/properties";
import { BRIEFLY, connect, type Kube } from "../kubernetes/client";
import type { ClusterAccess } from "../kubernetes/kubeconfig/clusterAccess";
import { sentence } from "../kubernetes/failures/failure";
import { hasNonce } from "../kubernetes/ownership";
import { locate } from "../observe/job";
import { accessOf } from "./access";
import type { Change, Operation } from "./digest";
import { nodeHoursOf } from "./nodeHours";

/** Number of jobs that wait which a plan names. */
export const MOST_PENDING = 1000;

/** What a change of a cluster ends. */
export interface Ends {
    /** How it ends pods, in words after "This change". */
    readonly effect: string;
    readonly command?: { readonly seconds: number; readonly pods: number };
    /** Results of its command that nobody has fetched yet. They are lost. */
    readonly results?: WaitingResults;
    readonly running: readonly LiveJob[];
    /** Jobs that wait. They are lost unless a volume keeps them. */
    readonly pending: readonly LiveJob[];
    readonly keepsPending: boolean;
    /** Why it isn't known what runs, or what waits. */
    readonly unknown?: string;
    /** True if running work may end, by what is known. */
    readonly kills: boolean;
}

/** What is to happen to one cluster. */
export interface ClusterPlan {
    readonly urn: string;
    /** Empty if the manifest is a secret. */
    readonly name: string;
    readonly namespace: string;
    readonly operation: Operation;
    readonly fit?: Fit;
    /** At most; null without a time limit. 0 if no pod is started. */
    readonly nodeHours: number | null;
    readonly ends?: Ends;
}

type ClusterChange = Change<IndexedJobOutputs, IndexedJobInputs>;

/** Judges a change of a cluster by the state, the program and the live cluster. */
export async function planCluster(change: ClusterChange, given: ClusterAccess): Promise<ClusterPlan> {
    const live = liveJob(given, change.old);
    const [fit, ends] = await Promise.all([judgeFit(change, given, live), judgeEnds(change, live)]);
    return { ...outline(change), ...(fit === undefined ? {} : { fit }), ...(ends === undefined ? {} : { ends }) };
}

function outline({ old, operation, urn, wanted }: ClusterChange): Omit<ClusterPlan, "ends" | "fit"> {
    const [before, after] = [manifestOf(old), manifestOf(wanted)];
    const { name = "", namespace = "" } = ((after ?? before)?.metadata ?? {}) as { name?: string; namespace?: string };
    const nodeHours = wanted === undefined ? 0 : nodeHoursOf(wanted, operation === "update" ? before : undefined);
    return { urn, name, namespace, operation, nodeHours };
}

/** The manifest, if it is known and no secret. */
function manifestOf(of: Pick<IndexedJobInputs, "manifest"> | undefined): IndexedJobInputs["manifest"] | undefined {
    return typeof of?.manifest === "object" ? of.manifest : undefined;
}

interface Live {
    readonly kube: Kube;
    readonly job: V1Job | undefined;
}

/** The live Job of the state; undefined if the state has none. Fails if the credentials may be those of another cluster. */
async function liveJob(given: ClusterAccess, old: IndexedJobOutputs | undefined): Promise<Live | undefined> {
    if (old === undefined) {
        return undefined;
    }
    const manifest = manifestOf(old);
    if (manifest === undefined) {
        throw new Error("its manifest is a secret, and a preview has no secrets");
    }
    const access = accessOf(given, old);
    const kube = connect(access, BRIEFLY);
    // The plan has no id of the Job, and the state may not have the last one. So the nonce tells it.
    const answer = await locate(kube, knownByNonce("", { ...old, ...access }));
    if (answer.where !== "gone") {
        const why = answer.where === "here" ? "" : answer.why;
        throw new Error(`${why}; give --kubeconfig or --context of their cluster`);
    }
    const { namesake } = answer;
    return { kube, job: namesake !== undefined && hasNonce(namesake, old.nonce) ? namesake : undefined };
}

async function judgeFit(
    { operation, old, wanted }: ClusterChange,
    given: ClusterAccess,
    live: Promise<Live | undefined>,
): Promise<Fit | undefined> {
    const job = live.then((found) => found?.job);
    // fitOf doesn't wait for it if it has nothing to judge.
    job.catch(() => undefined);
    if (wanted === undefined || manifestOf(wanted) === undefined) {
        return undefined;
    }
    const olds = operation === "update" ? (old ?? {}) : {};
    const news = { ...wanted, ...accessOf(given, wanted), resourceUrn: undefined };
    const verdict = await fitOf(job, { olds, news });
    return verdict && { class: verdict.class, text: verdict.text };
}

async function judgeEnds(change: ClusterChange, live: Promise<Live | undefined>): Promise<Ends | undefined> {
    try {
        const found = await live;
        if (found?.job === undefined) {
            return undefined;
        }
        const now = found.kube.now();
        const effect = effectOf(change, found.job, now);
        if (effect === undefined) {
            return undefined;
        }
        const { from } = effect;
        const look = {
            now,
            seconds: BRIEF,
            from,
            mostPending: MOST_PENDING,
            keepsQueue: keepsPending(change, found.job),
        };
        const work = await workOf(found.kube, found.job, look);
        return work && endsOf(effect.text, work);
    } catch (error) {
        const effect = EFFECTS[change.operation] ?? "may end pods";
        return { effect, running: [], pending: [], keepsPending: false, unknown: sentence(error), kills: true };
    }
}

const EFFECTS: Readonly<Partial<Record<Operation, string>>> = {
    delete: "deletes the Job",
    replace: "replaces the Job",
};

function effectOf({ old, operation, wanted }: ClusterChange, job: V1Job, now: Date): Effect | undefined {
    const text = EFFECTS[operation];
    if (text !== undefined) {
        return { text, from: 0 };
    }
    if (old === undefined || wanted === undefined) {
        return undefined;
    }
    return manifestOf(wanted) === undefined || isUncertain(wanted)
        ? { text: "may replace the Job, because the preview doesn't know all its values", from: 0 }
        : endingChange(job, old, wanted, now);
}

/** False if the wanted manifest is known and doesn't have the volume of the queue. */
function keepsPending({ wanted }: ClusterChange, job: V1Job): boolean {
    return wanted === undefined || typeof wanted.manifest !== "object" || keepsQueue(wanted, job);
}

function endsOf(effect: string, work: Work): Ends {
    const { command, isArchived = false, jobs = { running: [], pending: [] }, results } = work;
    const unknown = untold(work);
    return {
        effect,
        ...(command === undefined ? {} : { command }),
        ...(results === undefined ? {} : { results: shownResults(results) }),
        ...jobs,
        keepsPending: isArchived,
        ...(unknown === undefined ? {} : { unknown }),
        kills: [command, results, work.unknown].some((each) => each !== undefined) || jobs.running.length > 0,
    };
}

import { keptByCopy } from "../contract/operation";
import { describeSeconds } from "../contract/quantity";
import { cancellation } from "../host/cancel";
import { programRuns } from "../host/program";
import { arrayName, countOf, isArray, numberOf } from "../flux/elements";
import type { ClusterName, JobPhase, JobRequest, Run } from "../flux/job";
import { placeOf } from "../flux/clusterPlace";
import type { PlaceMarks } from "../contract/lead";
import { BRIEFLY, connect, type Kube } from "../kubernetes/client";
import type { ClusterAccess } from "../kubernetes/kubeconfig/clusterAccess";
import type { Container } from "../kubernetes/streams/exec";
import { findLead } from "../observe/pods/lead";
import { isUnknown } from "../host/unknown";
import { type Interrupt, mayDelete } from "./permission";

/** Milliseconds in which the lead must tell whether a job runs. A preview must work without the cluster. */
const LOOK_TIMEOUT = 10_000;

const CURE = 'Wait until it ends, or set interrupt to "allow"';

/** What earlier calls of this operation have said of a job. */
interface Seen {
    /** True after `check`, which a destroy never calls. It calls `diff` for the dependents of a resource of `--target`. */
    readonly isChecked: boolean;
    readonly interrupt?: Interrupt;
    /** True if it has been removed: then its ticket looks for no job. */
    readonly isRemoved?: boolean;
}

/** By the nonce of the job. */
const memory = keptByCopy(() => new Map<string, Seen>());

/** Remembers the inputs that `check` or `diff` has got for a job. */
export function remember(nonce: string, { interrupt }: { readonly interrupt: Interrupt }, isChecked: boolean): void {
    if (isUnknown(nonce)) {
        return;
    }
    const before = memory().get(nonce);
    memory().set(nonce, {
        ...before,
        isChecked: isChecked || before?.isChecked === true,
        interrupt: isUnknown(interrupt) ? before?.interrupt : interrupt,
    });
}

/** Remembers that a job has been removed, or that it is submitted again. */
export function rememberRemoval(nonce: string, isRemoved: boolean): void {
    memory().set(nonce, { isChecked: false, ...memory().get(nonce), isRemoved });
}

export function wasRemoved(nonce: string): boolean {
    return memory().get(nonce)?.isRemoved === true;
}

/** A FluxJob of the state. */
interface Submitted extends PlaceMarks, Pick<JobRequest, "array" | "jobName" | "nonce"> {
    readonly cluster: ClusterName;
    readonly clusterUid: string;
    readonly interrupt: Interrupt;
    readonly jobId: string;
    readonly phase: JobPhase;
}

/** A replacement of a FluxJob. */
export interface Replacement {
    readonly olds: Submitted & ClusterAccess;
    readonly news: ClusterAccess & Pick<Submitted, "interrupt"> & { readonly cluster: unknown };
    readonly replaces: readonly string[];
    /** Asks the lead what runs of the job. */
    run(kube: Kube, lead: Container, signal: AbortSignal): Promise<Run | undefined>;
}

/** Refuses a replacement that would cancel running work. If the cluster can't be asked, `delete` decides. */
export async function requireReplaceable(change: Replacement): Promise<void> {
    const { news, olds, replaces } = change;
    if (
        news.interrupt === "allow" ||
        !mayRun(olds) ||
        (memory().get(olds.nonce)?.isChecked !== true && (await programRuns()) !== true)
    ) {
        return;
    }
    const run = await lookBriefly(change);
    if (run === undefined) {
        return;
    }
    const { cluster } = olds;
    const isRecreated = isUnknown(news.cluster);
    const what = isRecreated
        ? `This update may recreate MiniCluster ${cluster.namespace}/${cluster.name}, which cancels`
        : `This change of ${replaces.join(", ")} cancels`;
    // Pulumi asks with the inputs of the state if it replaces the cluster, so a new value of `interrupt` isn't known yet.
    const cure = isRecreated ? `${CURE} in an update before this one` : CURE;
    throw new Error(`${what} ${describe(olds, run)}. ${cure}.`);
}

/** False if the record says that nothing of the job can run. Failed elements of an array may have been submitted again. */
export function mayRun(props: Pick<Submitted, "array" | "phase">): boolean {
    return props.phase !== "succeeded" && (isArray(props) || props.phase !== "failed");
}

/** Why running work may not be cancelled by `delete`; undefined if it may. */
export async function deletionGuard(props: Submitted): Promise<((run: Run) => Error) | undefined> {
    const known = memory().get(props.nonce);
    const { interrupt } = known ?? props;
    const told = { interrupt, isChecked: known?.isChecked === true, isCompared: known !== undefined };
    if (!mayRun(props) || (await mayDelete(told))) {
        return undefined;
    }
    // Without a call before, the program no longer has the resource.
    const cure =
        known === undefined
            ? `${CURE} in an update before the program drops it, or cancel it with pulumi destroy --target`
            : CURE;
    return (run) => new Error(`This update would cancel ${describe(props, run)}. ${cure}.`);
}

function describe(props: Submitted, { elements, since }: Run): string {
    const { cluster, jobId } = props;
    if (elements !== undefined) {
        const part = `${numberOf(elements)} of ${numberOf(countOf(props))} elements ${elements === 1 ? "is" : "are"}`;
        return `${arrayName(props)}, of which ${part} running`;
    }
    const duration = since === undefined ? "" : ` for ${describeSeconds(Math.max(0, Date.now() / 1000 - since))}`;
    return `Flux job ${jobId} of MiniCluster ${cluster.namespace}/${cluster.name}, which has been running${duration}`;
}

/** Work that runs now; undefined if none runs, or if the cluster doesn't tell in a short time. */
async function lookBriefly({ news, olds, run }: Replacement): Promise<Run | undefined> {
    // The credentials of the state may have expired.
    const access = isUnknown([news.kubeconfig, news.context]) ? olds : news;
    const signal = AbortSignal.any([cancellation(), AbortSignal.timeout(LOOK_TIMEOUT)]);
    try {
        const kube = connect(access, BRIEFLY);
        const lead = await findLead(kube, placeOf(olds));
        return lead.state === "ready" ? await run(kube, lead.container, signal) : undefined;
    } catch {
        return undefined;
    }
}

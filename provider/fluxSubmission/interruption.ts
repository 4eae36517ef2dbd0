import { describeSeconds } from "../duration";
import { cancellation } from "../engine/cancel";
import { programRuns } from "../engine/program";
import { seenOf } from "../flux/betweenVerbs";
import { countOf, isArray, numberOf } from "../flux/elements";
import type { Run } from "../flux/job";
import { placeOf } from "../flux/place";
import { BRIEFLY, connect } from "../kube/client";
import { findLead } from "../pods/lead";
import { isUnknown } from "../unknown";
import { nameOf } from "./arrayFailure";
import type { FluxSubmissionInputs, FluxSubmissionOutputs } from "./properties";
import { workOf } from "./workOf";

/** Milliseconds in which the lead must tell whether a job runs. A preview must work without the cluster. */
const BRIEF = 10_000;

const CURE = 'Wait until it ends, or set interrupt to "allow"';

/** Refuses a replacement that would cancel running work. If the cluster can't be asked, `delete` decides. */
export async function requireReplaceable(
    olds: FluxSubmissionOutputs,
    news: FluxSubmissionInputs,
    replaces: readonly string[],
): Promise<void> {
    if (
        news.interrupt === "allow" ||
        !mayRun(olds) ||
        (seenOf(olds.nonce)?.isChecked !== true && (await programRuns()) !== true)
    ) {
        return;
    }
    const run = await lookBriefly(olds, news);
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
    throw new Error(`${what} ${describe(olds, run, new Date())}. ${cure}.`);
}

/** False if the record says that nothing of the job can run. Failed elements of an array may have been submitted again. */
export function mayRun(props: FluxSubmissionOutputs): boolean {
    return props.phase !== "succeeded" && (isArray(props) || props.phase !== "failed");
}

/**
 * Why running work may not be cancelled by `delete`; undefined if it may. A plain `pulumi destroy` may always cancel it.
 */
export async function deletionGuard(props: FluxSubmissionOutputs): Promise<((run: Run) => Error) | undefined> {
    const known = seenOf(props.nonce);
    const { interrupt } = known ?? props;
    if (interrupt === "allow" || !mayRun(props) || (await isDestroyed(props.nonce))) {
        return undefined;
    }
    // Without a call before, the program no longer has the resource.
    const cure =
        known === undefined
            ? `${CURE} in an update before the program drops it, or cancel it with pulumi destroy --target`
            : CURE;
    return (run) => new Error(`This update would cancel ${describe(props, run, new Date())}. ${cure}.`);
}

/** True in a destroy: it calls no `check`, and no program runs. Where that isn't known, only an update calls `diff`. */
async function isDestroyed(nonce: string): Promise<boolean> {
    const known = seenOf(nonce);
    return known?.isChecked !== true && !((await programRuns()) ?? known !== undefined);
}

function describe(props: FluxSubmissionOutputs, { elements, since }: Run, now: Date): string {
    const { cluster, jobId } = props;
    if (elements !== undefined) {
        const isOne = elements === 1;
        return `${nameOf(props)}, of which ${numberOf(elements)} of ${numberOf(countOf(props))} elements ${isOne ? "is" : "are"} running`;
    }
    const duration = since === undefined ? "" : ` for ${describeSeconds(Math.max(0, now.getTime() / 1000 - since))}`;
    return `Flux job ${jobId} of MiniCluster ${cluster.namespace}/${cluster.name}, which has been running${duration}`;
}

/** Work that runs now; undefined if none runs, or if the cluster doesn't tell in a short time. */
async function lookBriefly(olds: FluxSubmissionOutputs, news: FluxSubmissionInputs): Promise<Run | undefined> {
    // The credentials of the state may have expired.
    const access = isUnknown([news.kubeconfig, news.context]) ? olds : news;
    const signal = AbortSignal.any([cancellation(), AbortSignal.timeout(BRIEF)]);
    try {
        const kube = connect(access, BRIEFLY);
        const lead = await findLead(kube, placeOf(olds));
        return lead.state === "ready" ? await workOf({ kube, signal }, olds, olds).run(lead.container) : undefined;
    } catch {
        return undefined;
    }
}

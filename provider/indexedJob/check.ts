import type { V1Job } from "@kubernetes/client-node";

import { warner } from "../engine/log";
import { BRIEFLY, connect } from "../kube/client";
import { apiFailure, isTransient, sentence } from "../kube/failure";
import { requireSameCluster } from "../kube/sameCluster";
import { asleepSince } from "../kube/sleep";
import { isUnknown } from "../unknown";
import type { CheckResult } from "../verbs";
import { rerunOf } from "./identity";
import { deletionRefusal, interruption } from "./interruption";
import { heldJobs, setSilent } from "./memory";
import { growthWarning, ownJob, refuseOldKubernetes, rerunReason } from "./preflight";
import type { IndexedJobInputs } from "./properties";

/** True if the credentials for an existing Job have changed: they may be those of another cluster. */
function isAccessChanged(olds: Partial<IndexedJobInputs>, news: IndexedJobInputs): boolean {
    const changed = olds.kubeconfig !== news.kubeconfig || olds.context !== news.context;
    return olds.manifest !== undefined && changed && !isUnknown([news.lead, news.manifest]);
}

export async function checkLive(
    olds: Partial<IndexedJobInputs>,
    news: IndexedJobInputs,
): Promise<CheckResult<IndexedJobInputs>> {
    const inputs = { ...news, rerun: olds.rerun, wake: wakeBefore(olds, news) };
    try {
        const kube = connect(news, BRIEFLY);
        const supported = refuseOldKubernetes(kube);
        const job = ownJob(kube, olds, news);
        // Both requests run at the same time. If both fail, the error of the first one counts.
        await Promise.allSettled([supported, job]);
        await supported;
        if (isAccessChanged(olds, news)) {
            await requireSameCluster(kube, news);
        }
        const found = await job;
        setSilent(news, false);
        return judge(found, olds, news);
    } catch (error) {
        setSilent(news, isTransient(error));
        // Preview must work without the cluster, but not with wrong arguments.
        if (
            apiFailure(error) !== undefined ||
            isTransient(error) ||
            (error as { cause?: unknown }).cause !== undefined
        ) {
            return { inputs };
        }
        // The failure names no property: the engine prints the value of a named property, even if it is a secret.
        return { inputs, failures: [{ property: "", reason: sentence(error) }] };
    }
}

/** A preview takes an output without a value as unknown, so a cluster that may sleep has an empty text. */
export function wakeBefore(olds: Partial<IndexedJobInputs>, { autoscaled }: IndexedJobInputs): string | undefined {
    return olds.wake ?? (autoscaled ? "" : undefined);
}

/** Checks the wanted inputs against the live Job, if there is one. */
function judge(
    job: V1Job | undefined,
    olds: Partial<IndexedJobInputs>,
    news: IndexedJobInputs,
): CheckResult<IndexedJobInputs> {
    const warning = growthWarning(olds, news);
    if (warning !== undefined) {
        warner(news.resourceUrn, olds.manifest?.metadata.name)(warning);
    }
    const now = new Date();
    const reason = interruption(job, olds, news, now);
    holdRunning(job, deletionRefusal(job, olds, news, now), news);
    const failures = reason === undefined ? [] : [{ property: "interrupt", reason }];
    const before = olds.manifest === undefined ? rerunOf(job) : olds.rerun;
    const wake = (news.manifest.spec?.suspend ? undefined : asleepSince(job)) ?? wakeBefore(olds, news);
    return { inputs: { ...news, rerun: news.rerunFailed ? rerunReason(job, before) : before, wake }, failures };
}

/** Makes a later `delete` in this update fail for this Job, and warns already in the preview. */
function holdRunning(job: V1Job | undefined, refusal: string | undefined, news: IndexedJobInputs): void {
    const { name, uid } = job?.metadata ?? {};
    if (uid === undefined || name === undefined) {
        return;
    }
    if (refusal === undefined) {
        heldJobs.delete(uid);
        return;
    }
    heldJobs.set(uid, refusal);
    const adopted = "If an interrupted update has left the Job, this update adopts it.";
    warner(
        news.resourceUrn,
        name,
    )(`${adopted} If the Job is to be replaced (--replace, taint), the update fails: ${refusal}`);
}

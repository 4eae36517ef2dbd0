import type { V1Job } from "@kubernetes/client-node";

import { warner } from "../engine/log";
import { BRIEFLY, connect } from "../kube/client";
import { apiFailure, isTransient, sentence } from "../kube/failure";
import { requireSameCluster } from "../kube/sameCluster";
import { isUnknown } from "../unknown";
import type { CheckResult } from "../verbs";
import { rerunOf } from "./identity";
import { deletionRefusal, interruption } from "./interruption";
import { heldJobs, setSilent } from "./memory";
import { growthWarning, ownJob, refuseOldKubernetes, rerunReason } from "./preflight";
import type { IndexedJobInputs } from "./resource";

/** True where other credentials are given for a Job that is there: they may be another cluster's. */
function isElsewhere(olds: Partial<IndexedJobInputs>, news: IndexedJobInputs): boolean {
    const changed = olds.kubeconfig !== news.kubeconfig || olds.context !== news.context;
    return olds.manifest !== undefined && changed && !isUnknown([news.lead, news.manifest]);
}

export async function checkLive(
    olds: Partial<IndexedJobInputs>,
    news: IndexedJobInputs,
): Promise<CheckResult<IndexedJobInputs>> {
    const inputs = { ...news, rerun: olds.rerun };
    try {
        const kube = connect(news, BRIEFLY);
        await refuseOldKubernetes(kube);
        if (isElsewhere(olds, news)) {
            await requireSameCluster(kube, news);
        }
        const job = await ownJob(kube, olds, news);
        setSilent(news, false);
        return judge(job, olds, news);
    } catch (error) {
        setSilent(news, isTransient(error));
        // Preview has to work without the cluster; what is wrong with the arguments has not.
        if (
            apiFailure(error) !== undefined ||
            isTransient(error) ||
            (error as { cause?: unknown }).cause !== undefined
        ) {
            return { inputs };
        }
        // On no property: the engine prints the value of the property that it names, in clear although it is a secret.
        return { inputs, failures: [{ property: "", reason: sentence(error) }] };
    }
}

/** What the live Job, if there is one, makes of the wanted inputs. */
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
    return { inputs: { ...news, rerun: news.rerunFailed ? rerunReason(job, before) : before }, failures };
}

/** Refuses to delete a Job later in this update, and says so at preview, which deletes nothing. */
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

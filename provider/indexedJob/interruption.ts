import type { V1Job } from "@kubernetes/client-node";

import { type Interruption, judgeChange, replacementRefusal } from "../guard/guard";
import type { Kube } from "../kubernetes/client";
import { rememberTold, wasTold } from "./betweenVerbs";
import { type Change, effectOf } from "./effects";

/** Judges what an update would end. */
export async function interruption(
    kube: Kube,
    job: V1Job | undefined,
    change: Change,
    now: Date,
): Promise<Interruption> {
    const { news: wanted, olds } = change;
    const effect = job === undefined || isTold(change) ? undefined : effectOf(job, change, now);
    if (effect === undefined) {
        return { notes: [] };
    }
    if (effect.isReplacement && olds.manifest !== undefined) {
        rememberTold(wanted);
    }
    return judgeChange(kube, job, { ...effect, now, wanted });
}

/** True for the second `check` of a replacement, of which the first one has said what it ends. */
function isTold({ news, olds }: Change): boolean {
    return olds.manifest === undefined && wasTold(news);
}

/**
 * What a replacement at the user's request would end. Without `olds`, Pulumi either continues an interrupted creation, and
 * so adopts this Job, or replaces it at that request (`--replace`, `--target-replace`, `pulumi state taint`).
 */
export async function requested(kube: Kube, job: V1Job | undefined, change: Change, now: Date): Promise<Interruption> {
    const { news: wanted, olds } = change;
    if (olds.manifest !== undefined || isTold(change)) {
        return { notes: [] };
    }
    const effect = { text: "replaces the Job if --replace or a taint names it", from: 0 };
    return judgeChange(kube, job, { ...effect, now, wanted }, (obstacle) => replacementRefusal(job, obstacle));
}

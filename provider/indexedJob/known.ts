import { noncesAt } from "../kube/keyNonces";
import { type JobName, type KnownJob, mayHaveExpired } from "../observe/job";
import type { IndexedJobInputs, IndexedJobOutputs } from "./properties";

/** The Job of a state. */
export function knownJob(uid: string, { lead, manifest }: IndexedJobInputs): KnownJob {
    const { name, namespace } = manifest.metadata as JobName;
    return { name, namespace, uid, leads: [{ uid: lead.uid }], service: lead.name };
}

/**
 * The same, also known by the nonces of its lead Service, which a new Service has too. The Service may have that of a key
 * which an earlier, targeted update has replaced.
 */
export function knownByNonce(uid: string, props: IndexedJobInputs): KnownJob {
    const { leads = [], ...known } = knownJob(uid, props);
    const nonces = [props.nonce, ...noncesAt(props, known.namespace, known.name)];
    return { ...known, leads: [...leads, ...nonces.map((nonce) => ({ nonce }))] };
}

/** True if the TTL may have removed the Job. Such a Job has ended, and is not run again for that. */
export function mayHaveGone({ createdAt, finished, manifest }: IndexedJobOutputs, now: Date): boolean {
    return finished || mayHaveExpired(manifest.spec.ttlSecondsAfterFinished, createdAt, now);
}

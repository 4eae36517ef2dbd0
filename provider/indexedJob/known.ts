import { noncesAt } from "../kubernetes/keyNonces";
import { type JobName, type KnownJob, mayHaveExpired } from "../observe/job";
import type { IndexedJobInputs, IndexedJobOutputs } from "./properties";

/** What the state, or only the program, has of a Job. */
type Stated = IndexedJobInputs & Pick<Partial<IndexedJobOutputs>, "clusterMark">;

/** The Job of a state. */
export function knownJob(uid: string, { clusterMark, lead, manifest }: Stated): KnownJob {
    const { name, namespace } = manifest.metadata as JobName;
    return { name, namespace, uid, leads: [{ uid: lead.uid }], service: lead.name, mark: clusterMark };
}

/**
 * The same, also known by the nonces of its lead Service, which a new Service has too. The Service may have that of a key
 * which an earlier, targeted update has replaced.
 */
export function knownByNonce(uid: string, props: Stated): KnownJob {
    const { leads = [], ...known } = knownJob(uid, props);
    const nonces = [props.nonce, ...noncesAt(props, known.namespace, known.name)];
    return { ...known, leads: [...leads, ...nonces.map((nonce) => ({ nonce }))] };
}

/** True if the TTL may have removed the Job. Such a Job has ended, and is not run again for that. */
export function mayHaveGone({ createdAt, finished, manifest }: IndexedJobOutputs, now: Date): boolean {
    return finished || mayHaveExpired(manifest.spec.ttlSecondsAfterFinished, createdAt, now);
}

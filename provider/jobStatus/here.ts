import type { Kube } from "../kubernetes/client";
import { type JobId, parseId } from "../kubernetes/jobId";
import type { KnownJob } from "../observe/job";
import type { JobStatusInputs } from "./properties";

export function knownJob({ job, lead }: JobStatusInputs): KnownJob {
    return { ...parseId(job), leads: [{ uid: lead.uid }], service: lead.name };
}

/** The failure of a wait in another cluster. */
export function describeElsewhere({ name, namespace }: JobId, { server }: Kube, { lead }: JobStatusInputs): string {
    return (
        `${name}: Neither Job ${namespace}/${name} nor its Service ${lead.name} is in the cluster ` +
        `at ${server}. Give MiniCluster the kubeconfig and the context of the cluster that has them.`
    );
}

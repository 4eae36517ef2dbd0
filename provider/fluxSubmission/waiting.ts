import { cancellation } from "../host/cancel";
import { reporter } from "../host/log";
import type { Waiting } from "../flux/lead";
import { connect } from "../kubernetes/client";
import { followAddress } from "../kubernetes/kubeconfig/newAddress";
import { isKnownIn, type KnownJob } from "../observe/job";
import type { FluxSubmissionInputs } from "./properties";

/** The means of a wait in an update. */
export function waitingFor(inputs: FluxSubmissionInputs): Waiting {
    const { cluster, jobName, resourceUrn } = inputs;
    const report = reporter(resourceUrn, jobName);
    const kube = connect(inputs);
    // A cluster that the inputs give by its name is better known when the job is submitted.
    const follow = (place: KnownJob) => followAddress(kube, inputs, (next) => isKnownIn(next, place));
    return { kube, cluster, report, follow, signal: cancellation(), limit: "timeouts.ready" };
}

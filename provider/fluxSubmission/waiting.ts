import { cancellation } from "../engine/cancel";
import { reporter } from "../engine/log";
import type { Waiting } from "../flux/lead";
import { connect } from "../kube/client";
import { followAddress } from "../kube/newAddress";
import { isKnownIn } from "../observe/job";
import type { FluxSubmissionInputs } from "./properties";

/** The means of a wait in an update. */
export function waitingFor(inputs: FluxSubmissionInputs): Waiting {
    const { cluster, jobName, resourceUrn } = inputs;
    const report = reporter(resourceUrn, jobName);
    const kube = connect(inputs);
    const follow = () => followAddress(kube, inputs, (next) => isKnownIn(next, cluster));
    return { kube, cluster, report, follow, signal: cancellation(), limit: "timeouts.ready" };
}

import { cancellation } from "../engine/cancel";
import { reporter } from "../engine/log";
import type { Waiting } from "../flux/lead";
import { connect } from "../kube/client";
import type { FluxSubmissionInputs } from "./properties";

/** The means of a wait in an update. */
export function waitingFor(inputs: FluxSubmissionInputs): Waiting {
    const { cluster, jobName, resourceUrn } = inputs;
    const report = reporter(resourceUrn, jobName);
    return { kube: connect(inputs), cluster, report, signal: cancellation(), limit: "timeouts.ready" };
}

import type { V1ContainerStatus, V1Pod } from "@kubernetes/client-node";

import { Observation } from "../../../provider/observe/pods/observation";
import { summarize } from "../../../provider/observe/pods/pod";

export const container = (state: V1ContainerStatus["state"]): V1ContainerStatus => ({
    name: "flux",
    image: "",
    imageID: "",
    ready: false,
    restartCount: 0,
    state,
});

export const waiting = (reason: string, message = "") => ({
    phase: "Pending",
    containerStatuses: [container({ waiting: { reason, message } })],
});

/** What a wait has seen: pods, each with the time of the look. */
export function seenWith(...pods: [V1Pod, number][]): Observation {
    const seen = new Observation("job-uid", 0);
    seen.job = { spec: { parallelism: 2 } as any };
    pods.forEach(([pod, now]) => seen.setPod(summarize(pod), now));
    return seen;
}

/** A warning. */
export const event = (uid: string, reason: string, message: string) => ({
    involvedObject: { uid },
    reason,
    message,
    type: "Warning",
    metadata: {},
});

import { type Progress, progress } from "../../../../provider/jobStatus/readiness";
import type { JobStatusInputs } from "../../../../provider/jobStatus/properties";
import { Observation } from "../../../../provider/observe/pods/observation";
import { summarize } from "../../../../provider/observe/pods/pod";
import { makeStatusInputs } from "../states";
import type { Cause } from "./cause";

/** When the cause was seen. */
export const SEEN = new Date("2026-01-01T00:01:00Z").getTime();

export function observeCause({ events = [], pod }: Cause): Observation {
    const seen = new Observation("job-uid", SEEN);
    seen.job = { metadata: { name: "NAME", uid: "job-uid" }, spec: { parallelism: 1 } as any };
    Object.assign(seen, { jobListed: true, podsListed: true });
    if (pod !== undefined) {
        seen.setPod(summarize(pod), SEEN);
    }
    events.forEach((event) => seen.addWarning(event, SEEN));
    return seen;
}

/** What a wait for one pod with this cause does, so many seconds after the cause was seen. */
export function lookAt(cause: Cause, seconds: number, inputs: Partial<JobStatusInputs> = {}): Progress {
    return progress(observeCause(cause), makeStatusInputs({ size: 1, ...inputs }), SEEN + seconds * 1000);
}

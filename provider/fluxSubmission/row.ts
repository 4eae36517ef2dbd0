import { flushed, printer, reporter } from "../host/log";
import { LiveOutput } from "../observe/live/liveOutput";
import { shownOf } from "../observe/live/shown";
import { isArray } from "../flux/elements";
import type { JobView } from "./followedJob";
import type { FluxSubmissionInputs } from "./properties";

/** The row of a FluxJob: the progress line of a wait, and after it what the job shows. */
export interface Row {
    /** Prints the progress line. */
    report(line: string): void;
    /** Undefined of an array, whose line has the number of its elements that are done. */
    readonly view?: JobView;
}

export function rowOf(inputs: FluxSubmissionInputs, jobId: string): Row {
    const { jobName, resourceUrn } = inputs;
    const print = reporter(resourceUrn, jobName);
    if (isArray(inputs)) {
        return { report: print };
    }
    const { isHidden, isStreamed } = shownOf(inputs);
    let last = "";
    const show = () => print(live.words === "" ? last : `${last}; ${live.words}`);
    const lines = printer(resourceUrn, jobName);
    const tell = isStreamed ? lines.tell : undefined;
    const live = new LiveOutput({
        tell,
        isHidden,
        changed: show,
        elsewhere: `npx flux-minicluster logs ${jobId} prints them`,
    });
    const report = (line: string) => {
        last = line;
        show();
    };
    return { report, view: { live, isStreamed, isHidden, flush: (cancel) => flushed(lines, cancel) } };
}

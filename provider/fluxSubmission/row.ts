import { flushed, printer, reporter } from "../engine/log";
import { LiveOutput } from "../live/liveOutput";
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

const ELSEWHERE = "flux job attach prints them, in the lead's pod";

export function rowOf(inputs: FluxSubmissionInputs): Row {
    const { jobName, maxBytes, resourceUrn, secretOutput = false, streamOutput = false } = inputs;
    const print = reporter(resourceUrn, jobName);
    if (isArray(inputs)) {
        return { report: print };
    }
    const isStreamed = streamOutput && !secretOutput;
    const isHidden = secretOutput || (maxBytes === 0 && !isStreamed);
    let last = "";
    const show = () => print(live.words === "" ? last : `${last}; ${live.words}`);
    const lines = printer(resourceUrn, jobName);
    const tell = isStreamed ? lines.tell : undefined;
    const live = new LiveOutput({ tell, isHidden, changed: show, elsewhere: ELSEWHERE });
    const report = (line: string) => {
        last = line;
        show();
    };
    return { report, view: { live, isStreamed, isHidden, flush: (cancel) => flushed(lines, cancel) } };
}

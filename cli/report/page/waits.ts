import { counted } from "../../../provider/contract/words";
import type { JobRun, Report } from "../model";
import { type TimeAxis, timeAxis } from "./axis";
import { fill, type Figure, hint, type Key } from "./figure";
import { describe } from "./gantt";
import { shortened } from "./html";
import { rect } from "./plotNode";
import { grid, rowAxes, rowsFrame, THINNEST } from "./rows";
import { JOB_KEYS, JOB_STATES } from "./states";

/** Jobs that the picture shows. */
const MOST = 40;
const ROW = 18;
/** Characters of a job's label. */
const LABEL = 28;

/** Each job from its submission to its end: those that waited longest, if there are many. */
export function waits({ jobs, madeAt, usage }: Report): Figure | undefined {
    if (jobs === null || jobs.length === 0) {
        return undefined;
    }
    const waited = (job: JobRun) => waitOf(madeAt)(job)[1] - job.submittedAt;
    const isWhole = jobs.length <= MOST;
    const longest = isWhole ? jobs : jobs.toSorted((a, b) => waited(b) - waited(a)).slice(0, MOST);
    const shown = [...longest].sort((a, b) => a.submittedAt - b.submittedAt);
    const end = usage?.end ?? madeAt;
    const last = shown.reduce((latest, { finishedAt }) => Math.max(latest, finishedAt ?? end), 0);
    const axis = timeAxis(shown[0].submittedAt, last);
    const states = JOB_STATES.filter((state) => state !== "waiting" && shown.some((job) => job.state === state));
    return {
        id: "waits",
        title: "Jobs from submission to end",
        summary: isWhole
            ? `${counted(jobs.length, "job")} in the order of their submission.`
            : `The ${MOST} of ${counted(jobs.length, "job")} that waited longest, in the order of their submission.`,
        keys: [JOB_KEYS.waiting, ...states.map((state) => JOB_KEYS[state])],
        options: {
            ...rowsFrame(shown.length * ROW, 210),
            x: { domain: [0, axis.at(axis.end)], label: axis.label },
            y: { domain: [0, shown.length], reverse: true, label: null },
            marks: [
                grid(),
                bars(spansOf(shown, waitOf(end)), JOB_KEYS.waiting, axis),
                ...states.map((state) => bars(spansOf(shown, runOf(state, end)), JOB_KEYS[state], axis)),
                ...rowAxes([...shown.keys()], null, (row) => labelOf(shown[row])),
            ],
        },
    };
}

function labelOf({ id, name }: JobRun): string {
    return hint(shortened(`${shortened(name, LABEL - 8)} ${id}`, LABEL));
}

type Span = readonly [from: number, to: number];

/** The part of a job's life in which it waited. */
function waitOf(end: number): (job: JobRun) => Span {
    return ({ allocatedAt, finishedAt, submittedAt }) => [submittedAt, allocatedAt ?? finishedAt ?? end];
}

/** The part of a job's life in which it ran, for jobs of one state. */
function runOf(state: JobRun["state"], end: number): (job: JobRun) => Span | undefined {
    return (job) =>
        job.state === state && job.allocatedAt !== undefined ? [job.allocatedAt, job.finishedAt ?? end] : undefined;
}

function spansOf(jobs: readonly JobRun[], spanOf: (job: JobRun) => Span | undefined) {
    return jobs.flatMap((job, index) => {
        const span = spanOf(job);
        return span === undefined ? [] : [{ job, index, from: span[0], to: span[1] }];
    });
}

function bars(spans: ReturnType<typeof spansOf>, key: Key, axis: TimeAxis) {
    return rect(spans, {
        x1: ({ from }) => axis.at(from),
        x2: ({ from, to }) => Math.max(axis.at(to), axis.at(from) + axis.at(axis.end) * THINNEST),
        y1: ({ index }) => index + 0.12,
        y2: ({ index }) => index + 0.88,
        fill: fill(key),
        title: ({ job }) => describe(job),
    });
}

import { counted } from "../../../provider/contract/words";
import type { JobRun, Report } from "../model";
import type { TimeAxis } from "./axis";
import { fill, type Figure, hint } from "./figure";
import { heat } from "./heat";
import { type Lane, Lanes } from "./lanes";
import { rect, ruleY } from "./plotNode";
import { stepsOf } from "./podSteps";
import { grid, rowAxes, rowsFrame, THINNEST } from "./rows";
import { JOB_KEYS, JOB_STATES, POD_KEYS, POD_STEPS } from "./states";
import { MARGIN } from "./view";
import { between, duration } from "./words";

/** Ranks and bars that a picture shows one by one. A larger one shows how busy groups of ranks were. */
const MOST_RANKS = 40;
const MOST_BARS = 3000;

interface Bar extends Lane {
    readonly job: JobRun;
    readonly from: number;
    readonly to: number;
}

/** Which jobs ran on which ranks, and the lives of the ranks' pods behind them. */
export function gantt(report: Report, axis: TimeAxis): Figure | undefined {
    const { pods } = report;
    const ran = (report.jobs ?? []).filter(({ allocatedAt }) => allocatedAt !== undefined);
    if (pods.length === 0 && ran.length === 0) {
        return undefined;
    }
    const lanes = new Lanes(report.resources);
    const ranks = rankCount(report, ran, lanes);
    const bars = ranks > MOST_RANKS ? undefined : barsOf(ran, lanes, axis);
    if (bars === undefined || bars.length > MOST_BARS || pods.length > MOST_BARS) {
        return heat(report, ran, ranks, axis);
    }
    const steps = POD_STEPS.filter((step) =>
        pods.some((pod) => stepsOf(pod, report.madeAt).some((span) => span.step === step)),
    );
    const states = JOB_STATES.filter((state) => ran.some((job) => job.state === state));
    const every = Math.max(1, Math.ceil(ranks / 40));
    const shown = Array.from({ length: ranks }, (_, rank) => rank).filter((rank) => rank % every === 0);
    const height = ranks * Math.min(64, Math.max(18, 420 / ranks));
    const what = whatRan(ran.length, report);
    return {
        id: "gantt",
        title: "Ranks and jobs over time",
        summary: `Each row is a rank; its cores share the height of the row. ${what} Behind them, how far the rank's pod was.`,
        keys: [...states.map((state) => JOB_KEYS[state]), ...steps.map((step) => POD_KEYS[step])],
        options: {
            ...rowsFrame(height, MARGIN),
            x: { domain: [0, axis.at(axis.end)], label: axis.label },
            y: { domain: [0, ranks], reverse: true },
            marks: [
                grid(),
                ...steps.map((step) => podBars(report, step, axis)),
                ...states.map((state) =>
                    jobBars(
                        bars.filter(({ job }) => job.state === state),
                        state,
                        axis,
                    ),
                ),
                ruleY(
                    Array.from({ length: ranks + 1 }, (_, rank) => rank),
                    { stroke: "var(--surface)", strokeWidth: 2 },
                ),
                ...rowAxes(shown, "rank", String),
            ],
        },
    };
}

function whatRan(ran: number, { jobs }: Report): string {
    if (jobs === null) {
        return "Which jobs ran isn't known.";
    }
    const all = ran === jobs.length ? "" : ` of ${jobs.length}; the others got no resources`;
    return ran === 0 ? "No job ran." : `In colour: ${counted(ran, "job")}${all}.`;
}

function rankCount({ cluster, pods }: Report, jobs: readonly JobRun[], lanes: Lanes): number {
    const ofPods = pods.reduce((most, { rank }) => Math.max(most, rank + 1), cluster.size);
    return jobs.reduce((most, { resources }) => Math.max(most, lanes.rankCount(resources)), ofPods);
}

function barsOf(jobs: readonly JobRun[], lanes: Lanes, axis: TimeAxis): Bar[] {
    const bars: Bar[] = [];
    for (const job of jobs) {
        const { allocatedAt = axis.begin, finishedAt = axis.end } = job;
        bars.push(...lanes.of(job).map((lane) => ({ ...lane, job, from: allocatedAt, to: finishedAt })));
        if (bars.length > MOST_BARS) {
            break;
        }
    }
    return bars;
}

function jobBars(bars: readonly Bar[], state: JobRun["state"], axis: TimeAxis) {
    const thinnest = axis.at(axis.end) * THINNEST;
    return rect(bars, {
        x1: ({ from }) => axis.at(from),
        x2: ({ from, to }) => Math.max(axis.at(to), axis.at(from) + thinnest),
        y1: "top",
        y2: "bottom",
        fill: fill(JOB_KEYS[state]),
        stroke: "var(--surface)",
        strokeWidth: 0.75,
        title: ({ job }) => describe(job),
    });
}

/** The text of a job's bar. */
export function describe(job: JobRun): string {
    const { allocatedAt, cores, finishedAt, id, name, nodes, reason, startedAt, submittedAt } = job;
    return hint(
        `${name} (${id})`,
        `${JOB_KEYS[job.state].meaning}${reason === undefined ? "" : `: ${reason}`}`,
        `waited ${duration(between(submittedAt, allocatedAt ?? finishedAt))}, ran ${duration(between(startedAt, finishedAt))}`,
        `${counted(nodes, "rank")}, ${counted(cores, "core")}`,
    );
}

function podBars({ madeAt, pods }: Report, step: (typeof POD_STEPS)[number], axis: TimeAxis) {
    const spans = pods.flatMap((pod) =>
        stepsOf(pod, madeAt)
            .filter((span) => span.step === step)
            .map((span) => ({ ...span, pod })),
    );
    return rect(spans, {
        x1: ({ from }) => axis.at(from),
        x2: ({ to }) => axis.at(to),
        y1: ({ pod }) => pod.rank,
        y2: ({ pod }) => pod.rank + 1,
        fill: fill(POD_KEYS[step]),
        title: ({ from, pod, to }) =>
            hint(pod.name, `${POD_KEYS[step].meaning}: ${duration((to - from) / 1000)}`, pod.node ?? ""),
    });
}

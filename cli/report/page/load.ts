import { counted } from "../../../provider/contract/words";
import type { Report, Step, Usage } from "../model";
import { areaOf } from "../usage";
import type { TimeAxis } from "./axis";
import type { Figure } from "./figure";
import { areaY, lineY } from "./plotNode";
import { MARGIN } from "./view";
import { coreTime, duration, percent } from "./words";

/** Points of a curve. More steps than that are summed up. */
const MOST = 600;

interface Point {
    readonly x: number;
    readonly waiting: number;
    readonly running: number;
    readonly busy: number;
    readonly usable: number;
}

/** The length of the queue over time. */
export function queueLength({ usage }: Report, axis: TimeAxis): Figure | undefined {
    if (usage === null || usage.steps.every(({ running, waiting }) => running + waiting === 0)) {
        return undefined;
    }
    const points = pointsOf(usage, axis);
    const { longestQueue, waits } = usage;
    const waited =
        waits === undefined
            ? ""
            : ` Half of the jobs waited ${duration(waits.median)} or less, the longest one ${duration(waits.longest)}.`;
    return {
        id: "queue",
        title: "Jobs in the queue",
        summary: `At most ${counted(longestQueue, "job")} waited at the same time.${waited}`,
        keys: [
            { colour: "waiting", meaning: "jobs that wait" },
            { colour: "running", meaning: "jobs that run" },
        ],
        options: {
            ...frame(axis, "jobs", Math.max(...points.flatMap(({ running, waiting }) => [running, waiting]))),
            marks: [
                areaY(points, { x: "x", y: "waiting", curve: "step-after", fill: "var(--waiting)", fillOpacity: 0.35 }),
                lineY(points, { x: "x", y: "waiting", curve: "step-after", stroke: "var(--waiting)", strokeWidth: 2 }),
                lineY(points, { x: "x", y: "running", curve: "step-after", stroke: "var(--running)", strokeWidth: 2 }),
            ],
        },
    };
}

/** The cores that jobs had, and those that were idle, over time. */
export function coreUse({ usage }: Report, axis: TimeAxis): Figure | undefined {
    if (usage === null || usage.steps.every(({ usable }) => usable === 0)) {
        return undefined;
    }
    const points = pointsOf(usage, axis);
    const share =
        usage.utilisation === undefined
            ? ""
            : `Jobs had ${percent(usage.utilisation)} of the usable cores since the first rank joined. `;
    return {
        id: "cores",
        title: "Use of cores",
        summary: `${share}All jobs together took ${coreTime(usage.coreSeconds)}.`,
        keys: [
            { colour: "running", meaning: "cores that jobs have" },
            { colour: "idle", meaning: "idle cores of ranks that have joined" },
        ],
        options: {
            ...frame(axis, "cores", Math.max(...points.map(({ usable }) => usable))),
            marks: [
                areaY(points, { x: "x", y1: 0, y2: "busy", curve: "step-after", fill: "var(--running)" }),
                areaY(points, { x: "x", y1: "busy", y2: "usable", curve: "step-after", fill: "var(--idle)" }),
                lineY(points, { x: "x", y: "usable", curve: "step-after", stroke: "var(--muted)", strokeWidth: 1.5 }),
            ],
        },
    };
}

/** Marks of the upward axis. Fewer if that many are no whole numbers. */
const MARKS = 5;

function frame(axis: TimeAxis, unit: string, most: number) {
    return {
        height: 240,
        marginLeft: MARGIN,
        marginBottom: 44,
        x: { domain: [0, axis.at(axis.end)], label: axis.label, labelAnchor: "center", labelArrow: "none" },
        y: {
            label: unit,
            labelArrow: "none",
            grid: true,
            domain: [0, most],
            ticks: Math.min(MARKS, most),
            tickFormat: ",d",
        },
    } as const;
}

/** The steps as points of a curve: each of them, or for many steps the largest queue and the mean use of a time. */
function pointsOf(usage: Usage, axis: TimeAxis): Point[] {
    const { steps } = usage;
    const { begin, end } = axis;
    if (steps.length <= MOST) {
        const points = steps.map((step) => ({ ...step, x: axis.at(step.at) }));
        return [...points, { ...steps[steps.length - 1], x: axis.at(end) }];
    }
    const width = (end - begin) / MOST;
    const points: Point[] = [];
    let first = 0;
    for (let index = 0; index < MOST; index++) {
        const [from, to] = [begin + index * width, begin + (index + 1) * width];
        while (first + 1 < steps.length && steps[first + 1].at <= from) {
            first++;
        }
        let last = first;
        while (last + 1 < steps.length && steps[last + 1].at < to) {
            last++;
        }
        points.push(summedUp(steps.slice(first, last + 1), from, to, axis.at(from)));
    }
    return [...points, { ...points[points.length - 1], x: axis.at(end) }];
}

function summedUp(steps: readonly Step[], from: number, to: number, x: number): Point {
    const mean = (amount: (step: Step) => number) => areaOf(steps, from, to, amount) / (to - from);
    return {
        x,
        waiting: Math.max(...steps.map(({ waiting }) => waiting)),
        running: Math.max(...steps.map(({ running }) => running)),
        busy: mean(({ busy }) => busy),
        usable: mean(({ usable }) => usable),
    };
}

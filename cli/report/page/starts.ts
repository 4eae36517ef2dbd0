import { counted } from "../../../provider/contract/words";
import type { PodRun, Report } from "../model";
import { fill, type Figure, hint } from "./figure";
import { lineY, rect } from "./plotNode";
import { type Span, stepsOf } from "./podSteps";
import { grid, rowAxes, rowsFrame } from "./rows";
import { JOB_KEYS, POD_KEYS, type PodStep } from "./states";
import { between, duration } from "./words";

/** Pods that one picture shows. */
const MOST = 40;
const ROW = 18;

const STARTING: readonly PodStep[] = ["unscheduled", "starting", "joining"];

interface Row {
    readonly pod: PodRun;
    readonly spans: readonly Span[];
    /** Seconds until the last of its steps ended. */
    readonly took: number;
}

/** How each pod came into the cluster, in seconds since its creation: the slowest ones if there are many. */
export function starts({ madeAt, pods }: Report): Figure | undefined {
    const rows = pods.map((pod) => rowOf(pod, madeAt)).filter(({ spans }) => spans.length > 0);
    if (rows.length === 0) {
        return undefined;
    }
    const isWhole = rows.length <= MOST;
    const shown = isWhole ? rows : rows.toSorted((a, b) => b.took - a.took).slice(0, MOST);
    const known = rows.filter(({ pod }) => pod.joinedAt !== undefined);
    const slowest = known.toSorted((a, b) => b.took - a.took)[0];
    const longest = Math.max(1, ...shown.map(({ took }) => took));
    const which = isWhole ? "Each bar is a pod." : `The ${MOST} slowest of ${counted(rows.length, "pod")}.`;
    return {
        id: "starts",
        title: "From pod to rank",
        summary: [which, ...summaryOf(slowest), ...(known.length < rows.length ? [UNKNOWN] : [])].join(" "),
        keys: STARTING.map((step) => POD_KEYS[step]),
        options: {
            ...rowsFrame(shown.length * ROW, 190),
            x: {
                domain: [0, longest],
                label: "seconds since the pod's creation",
            },
            y: { domain: [0, shown.length], reverse: true, label: null },
            marks: [
                grid(),
                ...STARTING.map((step) => bars(shown, step)),
                ...rowAxes([...shown.keys()], null, (row) => labelOf(shown[row].pod)),
            ],
        },
    };
}

const UNKNOWN = "Of the others it isn't known when they joined, or they have not joined.";

function summaryOf(slowest: Row | undefined): string[] {
    return slowest === undefined
        ? []
        : [`The slowest to join, of rank ${slowest.pod.rank}, took ${duration(slowest.took)}.`];
}

function rowOf(pod: PodRun, now: number): Row {
    const spans = stepsOf(pod, now).filter(({ step }) => STARTING.includes(step));
    return { pod, spans, took: between(pod.createdAt, spans.at(-1)?.to) ?? 0 };
}

function labelOf({ name, rank }: PodRun): string {
    return hint(name === "" ? `rank ${rank}` : name.length > 28 ? `rank ${rank}, …${name.slice(-20)}` : name);
}

function bars(rows: readonly Row[], step: PodStep) {
    const data = rows.flatMap(({ pod, spans }, index) =>
        spans.filter((span) => span.step === step).map((span) => ({ pod, index, ...span })),
    );
    return rect(data, {
        x1: ({ from, pod }) => (from - pod.createdAt) / 1000,
        x2: ({ pod, to }) => (to - pod.createdAt) / 1000,
        y1: ({ index }) => index + 0.12,
        y2: ({ index }) => index + 0.88,
        fill: fill(POD_KEYS[step]),
        title: ({ from, pod, to }) =>
            hint(pod.name, `${POD_KEYS[step].meaning}: ${duration((to - from) / 1000)}`, pod.node ?? ""),
    });
}

/** How many ranks had reached each step, for clusters with more pods than one picture shows. */
export function startCounts({ pods }: Report): Figure | undefined {
    if (pods.length <= MOST) {
        return undefined;
    }
    const begin = pods.reduce((first, { createdAt }) => Math.min(first, createdAt), Infinity);
    const curves = [
        { key: POD_KEYS.unscheduled, meaning: "has a node", times: timesOf(pods, "scheduledAt", begin) },
        { key: POD_KEYS.starting, meaning: "runs", times: timesOf(pods, "startedAt", begin) },
        { key: JOB_KEYS.completed, meaning: "has joined", times: timesOf(pods, "joinedAt", begin) },
    ];
    const last = Math.max(1, ...curves.map(({ times }) => times.at(-1) ?? 0));
    return {
        id: "start-counts",
        title: "How fast the ranks joined",
        summary: curves
            .filter(({ times }) => times.length > 0)
            .map(
                ({ meaning, times }) =>
                    `${counted(times.length, "pod")}: ${meaning}, the last after ${duration(times.at(-1))}`,
            )
            .join(". ")
            .concat("."),
        keys: curves.map(({ key, meaning }) => ({ colour: key.colour, meaning })),
        options: {
            height: 260,
            marginLeft: 60,
            marginBottom: 44,
            x: {
                domain: [0, last],
                label: "seconds since the first pod's creation",
                labelAnchor: "center",
                labelArrow: "none",
            },
            y: { domain: [0, pods.length], label: "pods", labelArrow: "none", grid: true },
            marks: curves.map(({ key, times }) =>
                lineY([[0, 0], ...times.map((time, index) => [time, index + 1]), [last, times.length]], {
                    x: "0",
                    y: "1",
                    curve: "step-after",
                    stroke: fill(key),
                    strokeWidth: 2,
                }),
            ),
        },
    };
}

function timesOf(pods: readonly PodRun[], step: "joinedAt" | "scheduledAt" | "startedAt", begin: number): number[] {
    return pods
        .flatMap((pod) => pod[step] ?? [])
        .map((time) => Math.max(0, (time - begin) / 1000))
        .sort((a, b) => a - b);
}

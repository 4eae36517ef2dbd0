import { counted } from "../../../provider/contract/words";
import type { Report } from "../model";
import { html, type Html } from "./html";
import { between, duration, instant, percent } from "./words";

/** The title of the page, and the cluster's most important numbers. */
export function head(report: Report): Html {
    const { cluster, madeAt } = report;
    return html`<h1>MiniCluster ${cluster.namespace}/${cluster.name}</h1>
<p>Report of ${instant(madeAt)}. ${cluster.createdAt === undefined ? "" : `Created ${instant(cluster.createdAt)}.`}</p>
<dl class="tiles">${tilesOf(report).map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
`;
}

function tilesOf(report: Report): [string, string][] {
    const { attempts, cluster, madeAt, timings } = report;
    const { createdAt, endedAt, exitCode, phase, size } = cluster;
    const tiles: [string, number | string | undefined][] = [
        ["Phase", phase],
        ["Exit code", exitCode],
        ["Ranks", size],
        [endedAt === undefined ? "Age" : "Duration", durationOf(between(createdAt, endedAt ?? madeAt))],
        [
            report.startedAt === createdAt ? "Until the quorum" : "Last start until the quorum",
            durationOf(timings.quorum),
        ],
        ["Attempts", attempts],
        ...jobTiles(report),
    ];
    return tiles.flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
}

function jobTiles({ jobCount, jobs, usage }: Report): [string, string | undefined][] {
    if (jobs === null || usage === null) {
        return [];
    }
    const failed = jobs.filter(({ state }) => state === "failed" || state === "timed out").length;
    const all = (jobCount ?? 0).toLocaleString("en");
    return [
        ["Jobs", failed === 0 ? all : `${all}, ${failed.toLocaleString("en")} failed`],
        ["Use of cores", usage.utilisation === undefined ? undefined : percent(usage.utilisation)],
        ["Longest queue", counted(usage.longestQueue, "job")],
        ["Median wait", durationOf(usage.waits?.median)],
    ];
}

function durationOf(seconds: number | undefined): string | undefined {
    return seconds === undefined ? undefined : duration(seconds);
}

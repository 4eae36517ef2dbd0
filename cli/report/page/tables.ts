import type { JobRun, PodRun, Report, Warned } from "../model";
import { html, type Html } from "./html";
import { type Column, MOST, table } from "./table";
import { between, duration, instant } from "./words";

/** All pods of all ranks. */
export function podTable({ pods }: Report): Html {
    const since = (pod: PodRun, from: number | undefined, to: number | undefined) =>
        pod.createdAt === 0 ? "–" : duration(between(from, to));
    const columns: Column<PodRun>[] = [
        { name: "Rank", kind: "number", cell: ({ rank }) => String(rank) },
        { name: "Pod", cell: ({ name }) => name },
        { name: "Node", cell: ({ node = "–" }) => node },
        { name: "State", cell: ({ isGone, state }) => (isGone ? `${state} (known by Events only)` : state) },
        { name: "Created", kind: "word", cell: ({ createdAt }) => instant(createdAt) },
        { name: "To a node", kind: "number", cell: (pod) => since(pod, pod.createdAt, pod.scheduledAt) },
        { name: "To its start", kind: "number", cell: (pod) => since(pod, pod.scheduledAt, pod.startedAt) },
        { name: "To join", kind: "number", cell: (pod) => since(pod, pod.startedAt, pod.joinedAt) },
        { name: "Ended", kind: "word", cell: ({ endedAt }) => instant(endedAt) },
    ];
    return table("Pods", columns, pods);
}

/** All jobs; of many, those that did not complete first. */
export function jobTables(report: Report): Html {
    const jobs = report.jobs ?? [];
    const failed = jobs.filter(({ reason }) => reason !== undefined);
    const isLong = jobs.length > MOST && failed.length > 0;
    return html`${isLong ? jobTable("Jobs that did not complete", report, failed) : undefined}${jobTable("Jobs", report, jobs)}`;
}

function jobTable(caption: string, report: Report, jobs: readonly JobRun[]): Html {
    const columns: Column<JobRun>[] = [
        { name: "Job", kind: "word", cell: ({ id }) => id },
        { name: "Name", kind: "name", cell: ({ name }) => name },
        { name: "State", cell: ({ reason, state }) => (reason === undefined ? state : `${state}: ${reason}`) },
        { name: "Submitted", kind: "word", cell: ({ submittedAt }) => instant(submittedAt) },
        {
            name: "Waited",
            kind: "number",
            cell: ({ allocatedAt, finishedAt, submittedAt }) =>
                duration(between(submittedAt, allocatedAt ?? finishedAt ?? report.madeAt)),
        },
        {
            name: "Started in",
            kind: "number",
            cell: ({ allocatedAt, startedAt }) => duration(between(allocatedAt, startedAt)),
        },
        { name: "Ran", kind: "number", cell: ({ finishedAt, startedAt }) => duration(between(startedAt, finishedAt)) },
        { name: "Cores", kind: "number", cell: ({ cores }) => (cores === 0 ? "–" : String(cores)) },
        { name: "Ranks", cell: ({ resources }) => resources.map(({ ranks }) => ranks).join(",") || "–" },
    ];
    return table(caption, columns, jobs);
}

/** Kubernetes' warnings. */
export function warningTable({ warnings }: Report): Html {
    const columns: Column<Warned>[] = [
        { name: "Last", kind: "word", cell: ({ lastAt }) => instant(lastAt) },
        { name: "Object", cell: ({ about }) => about },
        { name: "Reason", kind: "word", cell: ({ reason }) => reason },
        { name: "Message", cell: ({ message }) => message },
        { name: "Times", kind: "number", cell: ({ count }) => String(count) },
    ];
    return table("Warnings", columns, warnings);
}

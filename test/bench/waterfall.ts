import type * as k8s from "@kubernetes/client-node";

import { JOB_NAME_LABEL } from "../../provider/contract/labels";
import type { Kube } from "../../provider/kubernetes/client";
import { watchList } from "../../provider/kubernetes/watch";
import { summarize } from "../../provider/observe/pods/pod";
import { watcher } from "./measure";
import { removeObjects, type Subject } from "./subject";

/** The steps of a rank, in their order, each with the broker's line that ends it. Flux logs them at level 6. */
const STEPS = [
    { name: "scripts", ends: /\bbuiltins-success: |\bstart: none->/ },
    { name: "join", ends: /\bparent-(ready|none): / },
    { name: "rc1", ends: /\brc1-(success|none): / },
    { name: "quorum", ends: /\bquorum-full: / },
] as const;

/** Seconds since the Job's creation at which each step of a rank ended; `pod` ends with the container's start. */
export type Row = Readonly<Record<string, number | undefined>> & { readonly rank: number };

/** Starts a cluster and reads from its brokers' logs what each rank did when. */
export async function waterfall(kube: Kube, namespace: string, subject: Subject): Promise<Row[]> {
    const body = await subject.prepare(kube, namespace);
    const begun = Date.now();
    const job = await kube.createJob(namespace, body);
    const started = await awaitEnd(kube, job);
    const rows = await Promise.all(
        [...started].map(async ([rank, { at, pod }]) => {
            const log = await kube.core.readNamespacedPodLog({ namespace, name: pod, timestamps: true });
            return { rank, pod: (at - begun) / 1000, ...stepsIn(log, begun) };
        }),
    );
    await removeObjects(kube, namespace);
    return rows.sort((a, b) => a.rank - b.rank);
}

/** Until the lead has ended; by rank, when this client saw its container run. */
async function awaitEnd(kube: Kube, job: k8s.V1Job): Promise<Map<number, { at: number; pod: string }>> {
    const { name = "", namespace = "" } = job.metadata ?? {};
    const started = new Map<number, { at: number; pod: string }>();
    const stop = new AbortController();
    const look = (pod: k8s.V1Pod) => {
        const { name: of, rank, startedAt, terminated } = summarize(pod);
        if (startedAt !== undefined && !started.has(rank)) {
            started.set(rank, { at: Date.now(), pod: of });
        }
        if (rank === 0 && terminated !== undefined) {
            stop.abort();
        }
    };
    await watchList<k8s.V1Pod>(
        kube,
        { kind: "pods", namespace, labelSelector: `${JOB_NAME_LABEL}=${name}` },
        watcher(look),
        stop.signal,
    );
    return started;
}

/** The steps in a log whose lines begin with the time at which the container runtime read them. */
export function stepsIn(log: string, begun: number): Readonly<Record<string, number | undefined>> {
    const lines = log.split("\n");
    const endOf = (ends: RegExp) => {
        const line = lines.find((candidate) => ends.test(candidate));
        return line === undefined ? undefined : (Date.parse(line.split(" ", 1)[0]) - begun) / 1000;
    };
    return Object.fromEntries(STEPS.map(({ ends, name }) => [name, endOf(ends)]));
}

const COLUMNS = 72;

/** One line for each rank: a letter for each step, as long as the step took. */
export function drawWaterfall(rows: readonly Row[]): string {
    const names = ["pod", ...STEPS.map(({ name }) => name)];
    const last = Math.max(...rows.flatMap((row) => names.map((name) => row[name] ?? 0)));
    const lines = rows.map((row) => {
        let bar = "";
        for (const name of names) {
            const end = Math.round(((row[name] ?? 0) / last) * COLUMNS);
            bar += name[0].repeat(Math.max(end - bar.length, 0));
        }
        const ends = names.map((name) => `${name} ${row[name]?.toFixed(2) ?? "?"}`);
        return `${String(row.rank).padStart(4)}  ${bar.padEnd(COLUMNS)}  ${ends.join(", ")}`;
    });
    return [`rank  one letter is ${(last / COLUMNS).toFixed(3)} s, from the Job's creation`, ...lines].join("\n");
}

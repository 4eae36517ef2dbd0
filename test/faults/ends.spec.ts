import assert from "node:assert/strict";

import { MiniCluster, type MiniClusterArgs, WaitFor } from "flux-minicluster";

import { bareUnlessCommand } from "../e2e/support/changing";
import { COMMAND, type PodAction, doTo, STORAGE } from "../e2e/support/podActions";
import { rankOf, type TestNamespace, useNamespace } from "../e2e/support/namespace";
import { until } from "../e2e/support/until";

/*
 * The rows of the tables in docs/troubleshooting.md. All rows of a table run in parallel, each with its own cluster,
 * because the Job controller is slow.
 */

/** The end of the Job, or the recovery of the cluster with the same pods or with one new pod. */
type Outcome = "Complete" | "Failed" | "new pod" | "same pods";

interface Row {
    readonly action: PodAction;
    readonly outcome: Outcome;
    /** Whether the Job counts a failed pod, if it continues. */
    readonly counted?: boolean;
    /** The task of the other rank then succeeds. Without this Flux would end it after 30 s. */
    readonly othersEnd?: boolean;
}

/** Seconds until the Job controller recreates a failed pod, and some seconds more. */
const PATIENCE = 150;

describe("Job of an ephemeral MiniCluster", () => {
    const namespace = useNamespace();
    const lead: readonly Row[] = [
        { action: "command succeeds", outcome: "Complete" },
        { action: "command fails", outcome: "Failed", othersEnd: true },
        { action: "command runs out of memory", outcome: "Failed", othersEnd: true },
        { action: "pod is deleted", outcome: "Failed" },
        { action: "pod is evicted", outcome: "new pod", counted: false },
        { action: "pod exceeds its ephemeral storage", outcome: "Failed" },
        { action: "node is lost", outcome: "new pod", counted: false },
    ];
    const follower: readonly Row[] = [
        { action: "broker gets SIGTERM", outcome: "Failed" },
        { action: "broker is killed", outcome: "Failed" },
        { action: "command runs out of memory", outcome: "Failed", othersEnd: true },
        { action: "pod is deleted", outcome: "Failed" },
        { action: "pod is evicted", outcome: "Failed", othersEnd: true },
        { action: "pod exceeds its ephemeral storage", outcome: "Failed" },
        { action: "node is lost", outcome: "Failed" },
    ];
    const limits = { memory: "256Mi", "ephemeral-storage": String(STORAGE) };
    const args = { command: COMMAND, waitFor: WaitFor.Ready, resources: { limits } };
    const verdicts = useClusters(namespace, [
        ...lead.map((row, index) => ({
            row,
            name: `lead-${index}`,
            rank: 0,
            args: { ...args, size: row.outcome === "Complete" ? 1 : 2 },
        })),
        ...follower.map((row, index) => ({ row, name: `follower-${index}`, rank: 1, args: { ...args, size: 2 } })),
    ]);

    for (const row of lead) {
        it(`${describeRow(row)} when the lead's ${row.action}`, () => verdicts.get(row));
    }
    for (const row of follower) {
        it(`${describeRow(row)} when a follower's ${row.action}`, () => verdicts.get(row));
    }
});

describe("Job of a persistent MiniCluster", () => {
    const namespace = useNamespace();
    const lead: readonly Row[] = [
        { action: "broker gets flux shutdown", outcome: "Complete" },
        { action: "broker is killed", outcome: "same pods", counted: false },
        { action: "pod is deleted", outcome: "new pod", counted: true },
        { action: "pod is evicted", outcome: "new pod", counted: false },
        { action: "pod exceeds its ephemeral storage", outcome: "new pod", counted: true },
        { action: "node is lost", outcome: "new pod", counted: false },
    ];
    const follower: readonly Row[] = [
        { action: "broker gets SIGTERM", outcome: "same pods", counted: false },
        { action: "broker is killed", outcome: "same pods", counted: false },
        { action: "pod is deleted", outcome: "new pod", counted: true },
        { action: "pod is evicted", outcome: "new pod", counted: false },
        { action: "pod exceeds its ephemeral storage", outcome: "new pod", counted: true },
        { action: "node is lost", outcome: "new pod", counted: false },
    ];
    const args = { size: 2, resources: { limits: { "ephemeral-storage": String(STORAGE) } } };
    const verdicts = useClusters(namespace, [
        ...lead.map((row, index) => ({ row, name: `lead-${index}`, rank: 0, args })),
        ...follower.map((row, index) => ({ row, name: `follower-${index}`, rank: 1, args })),
    ]);

    for (const row of lead) {
        it(`${describeRow(row)} when the lead's ${row.action}`, () => verdicts.get(row));
    }
    for (const row of follower) {
        it(`${describeRow(row)} when a follower's ${row.action}`, () => verdicts.get(row));
    }
});

function describeRow({ counted, outcome }: Row): string {
    switch (outcome) {
        case "Complete":
            return "completes";
        case "Failed":
            return "fails";
        case "new pod":
            return `replaces the pod and counts ${counted ? "a" : "no"} failure`;
        case "same pods":
            return `keeps the pod and counts ${counted ? "a" : "no"} failure`;
    }
}

interface Subject {
    readonly row: Row;
    readonly name: string;
    readonly rank: number;
    readonly args: Partial<MiniClusterArgs>;
}

/** Makes all clusters in one update and causes each row's event. Returns the checks of the outcomes, which go on. */
function useClusters(namespace: TestNamespace, subjects: readonly Subject[]): Map<Row, Promise<void>> {
    const verdicts = new Map<Row, Promise<void>>();
    before(async () => {
        const stack = namespace.stack("ends", async () => {
            subjects.forEach(
                ({ args, name }) => new MiniCluster(name, { image: namespace.image, ...bareUnlessCommand(args) }),
            );
        });
        await stack.up();
        for (const subject of subjects) {
            const verdict = judge(namespace, subject);
            // The row's test reports the failure later.
            verdict.catch(() => undefined);
            verdicts.set(subject.row, verdict);
        }
    });
    return verdicts;
}

async function judge(namespace: TestNamespace, { name, rank, row }: Subject): Promise<void> {
    const before = await podUids(namespace, name);
    await doTo(namespace, name, rank, row.action);
    if (row.othersEnd) {
        await doTo(namespace, name, 1 - rank, "command succeeds");
    }
    if (row.outcome === "Complete" || row.outcome === "Failed") {
        await until(
            `the Job ${name} is ${row.outcome}`,
            async () => ((await endOf(namespace, name)) === row.outcome ? true : undefined),
            PATIENCE,
        );
        return;
    }
    if (row.outcome === "same pods") {
        await until(`the broker of ${name}-${rank} is restarted`, () => isRestarted(namespace, name, rank), PATIENCE);
    }
    const expected = row.outcome === "same pods" ? [] : [rank];
    await until(
        `${name} has all ranks and the expected pods`,
        () => isWhole(namespace, name, before, expected),
        PATIENCE,
    );
    const { status } = await namespace.kube.batch.readNamespacedJob({ name, namespace: namespace.name });
    assert.equal((status?.failed ?? 0) > 0, row.counted, `the Job counts ${status?.failed ?? 0} failed pods`);
}

async function endOf({ kube, name: namespace }: TestNamespace, name: string): Promise<string | undefined> {
    const { status } = await kube.batch.readNamespacedJob({ name, namespace });
    return status?.conditions?.find(
        ({ status: holds, type }) => holds === "True" && ["Complete", "Failed"].includes(type),
    )?.type;
}

async function isRestarted(namespace: TestNamespace, name: string, rank: number): Promise<true | undefined> {
    const pod = (await namespace.pods(name)).find((candidate) => rankOf(candidate) === rank);
    const log = await namespace.kube.core.readNamespacedPodLog({
        name: pod?.metadata?.name ?? "",
        namespace: namespace.name,
    });
    return /restarting it/.test(log) ? true : undefined;
}

/** True when all ranks are up and exactly the expected ranks have new pods. */
async function isWhole(
    namespace: TestNamespace,
    name: string,
    before: ReadonlyMap<number, string>,
    expected: readonly number[],
): Promise<true | undefined> {
    const now = await podUids(namespace, name);
    const isNew = (rank: number) => now.get(rank) !== undefined && now.get(rank) !== before.get(rank);
    if (![...before.keys()].every((rank) => isNew(rank) === expected.includes(rank))) {
        return undefined;
    }
    const list = await namespace
        .exec(name, ["flux", "resource", "list", "--states=up", "-no", "{nnodes}"])
        .catch(() => "");
    return list.trim() === String(before.size) ? true : undefined;
}

/** UIDs, by rank, of the running pods that are not being deleted. */
async function podUids(namespace: TestNamespace, name: string): Promise<Map<number, string>> {
    const pods = (await namespace.pods(name)).filter(
        ({ metadata, status }) => metadata?.deletionTimestamp === undefined && status?.phase === "Running",
    );
    return new Map(pods.map((pod) => [rankOf(pod), pod.metadata?.uid ?? ""]));
}

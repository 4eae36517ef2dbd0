import assert from "node:assert/strict";

import { MiniCluster, type MiniClusterArgs, WaitFor } from "flux-minicluster";

import { bareUnlessCommand } from "../e2e/support/changing";
import { COMMAND, type Deed, doTo } from "../e2e/support/deeds";
import { rankOf, type TestNamespace, useNamespace } from "../e2e/support/namespace";
import { until } from "../e2e/support/until";

/*
 * Each row of the tables in docs/ends-and-exits.md. All rows of a table are done at the same time, each to a cluster of
 * its own or to a rank of its own, because the Job controller takes its time.
 */

/** The Job ends; or the cluster is whole again, with the same pods or with a new one. */
type Outcome = "Complete" | "Failed" | "new pod" | "same pods";

interface Row {
    readonly deed: Deed;
    readonly outcome: Outcome;
    /** Whether the Job counts a failed pod, where it goes on. */
    readonly counted?: boolean;
    /** The tasks of the other ranks then end well; Flux itself ends them after 30 s. */
    readonly othersEnd?: boolean;
}

/** Seconds until a pod that counts as failed is made anew, and some for the way. */
const PATIENCE = 150;

describe("with a command, the end of", () => {
    const namespace = useNamespace();
    const lead: readonly Row[] = [
        { deed: "its command succeeds", outcome: "Complete" },
        { deed: "its command fails", outcome: "Failed", othersEnd: true },
        { deed: "its command runs out of memory", outcome: "Failed", othersEnd: true },
        { deed: "kubectl delete pod", outcome: "Failed" },
        { deed: "eviction", outcome: "new pod", counted: false },
        { deed: "the loss of its node", outcome: "new pod", counted: false },
    ];
    const follower: readonly Row[] = [
        { deed: "its broker is told to end", outcome: "Failed" },
        { deed: "its broker is killed", outcome: "Failed" },
        { deed: "its command runs out of memory", outcome: "Failed", othersEnd: true },
        { deed: "kubectl delete pod", outcome: "Failed" },
        { deed: "eviction", outcome: "Failed", othersEnd: true },
        { deed: "the loss of its node", outcome: "Failed" },
    ];
    const args = { command: COMMAND, waitFor: WaitFor.Ready, resources: { limits: { memory: "256Mi" } } };
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
        it(`the lead by "${row.deed}" gives: ${describeRow(row)}`, () => verdicts.get(row));
    }
    for (const row of follower) {
        it(`a follower by "${row.deed}" gives: ${describeRow(row)}`, () => verdicts.get(row));
    }
});

describe("without a command, the end of", () => {
    const namespace = useNamespace();
    const lead: readonly Row[] = [
        { deed: "flux shutdown", outcome: "Complete" },
        { deed: "its broker is killed", outcome: "same pods", counted: false },
        { deed: "kubectl delete pod", outcome: "new pod", counted: true },
        { deed: "eviction", outcome: "new pod", counted: false },
        { deed: "the loss of its node", outcome: "new pod", counted: false },
    ];
    const follower: readonly Row[] = [
        { deed: "its broker is told to end", outcome: "same pods", counted: false },
        { deed: "its broker is killed", outcome: "same pods", counted: false },
        { deed: "kubectl delete pod", outcome: "new pod", counted: true },
        { deed: "eviction", outcome: "new pod", counted: false },
        { deed: "the loss of its node", outcome: "new pod", counted: false },
    ];
    const verdicts = useClusters(namespace, [
        ...lead.map((row, index) => ({ row, name: `lead-${index}`, rank: 0, args: { size: 2 } })),
        ...follower.map((row, index) => ({ row, name: `follower-${index}`, rank: 1, args: { size: 2 } })),
    ]);

    for (const row of lead) {
        it(`the lead by "${row.deed}" gives: ${describeRow(row)}`, () => verdicts.get(row));
    }
    for (const row of follower) {
        it(`a follower by "${row.deed}" gives: ${describeRow(row)}`, () => verdicts.get(row));
    }
});

function describeRow({ counted, outcome }: Row): string {
    return counted === undefined ? outcome : `${outcome}, ${counted ? "" : "not "}counted`;
}

interface Subject {
    readonly row: Row;
    readonly name: string;
    readonly rank: number;
    readonly args: Partial<MiniClusterArgs>;
}

/** Makes all clusters in one update, does to each what its row says, and gives what will have become of them. */
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
            // A test that comes later hears of it.
            verdict.catch(() => undefined);
            verdicts.set(subject.row, verdict);
        }
    });
    return verdicts;
}

async function judge(namespace: TestNamespace, { name, rank, row }: Subject): Promise<void> {
    const before = await podUids(namespace, name);
    await doTo(namespace, name, rank, row.deed);
    if (row.othersEnd) {
        await doTo(namespace, name, 1 - rank, "its command succeeds");
    }
    if (row.outcome === "Complete" || row.outcome === "Failed") {
        await until(
            `the Job ${name} has ended`,
            async () => ((await endOf(namespace, name)) === row.outcome ? true : undefined),
            PATIENCE,
        );
        return;
    }
    if (row.outcome === "same pods") {
        await until(
            `the broker of ${name}-${rank} is started again`,
            () => isRestarted(namespace, name, rank),
            PATIENCE,
        );
    }
    const expected = row.outcome === "same pods" ? [] : [rank];
    await until(`${name} is whole again`, () => isWhole(namespace, name, before, expected), PATIENCE);
    const { status } = await namespace.kube.batch.readNamespacedJob({ name, namespace: namespace.name });
    assert.equal((status?.failed ?? 0) > 0, row.counted, `failed pods that the Job counts: ${status?.failed ?? 0}`);
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
    return /starting it again/.test(log) ? true : undefined;
}

/** All ranks are in, and those and no others have new pods that were to have them. */
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

/** UID of the pod of each rank that isn't on its way out. */
async function podUids(namespace: TestNamespace, name: string): Promise<Map<number, string>> {
    const pods = (await namespace.pods(name)).filter(
        ({ metadata, status }) => metadata?.deletionTimestamp === undefined && status?.phase === "Running",
    );
    return new Map(pods.map((pod) => [rankOf(pod), pod.metadata?.uid ?? ""]));
}

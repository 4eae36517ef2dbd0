import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { V1Job } from "@kubernetes/client-node";
import { MiniCluster, type MiniClusterArgs, OnRankLoss, WaitFor } from "flux-minicluster";

import { type PodAction, doTo } from "../e2e/support/podActions";
import { type TestNamespace, useNamespace } from "../e2e/support/namespace";
import { until } from "../e2e/support/until";

/*
 * The rows of the table "Loss of ranks" in docs/troubleshooting.md. All rows run in parallel, each with its own cluster,
 * because the Job controller is slow. The programs write into a folder of the node, which outlives their pods.
 */

/** Seconds until the Job controller recreates a removed pod, and the time of its start on a busy machine. */
const PATIENCE = 180;

/** Notes an attempt. */
const NOTES = `[ "$FLUX_TASK_RANK" != 0 ] ||
  echo "$MINICLUSTER_ATTEMPT $MINICLUSTER_ATTEMPT_REASON $FLUX_JOB_NNODES" >>/shared/attempts`;
/** Waits for the exit code in /shared/end. */
const WAITS = `until [ -e /shared/end ]; do sleep 0.2; done
exit "$(cat /shared/end)"`;

/** Counts from its checkpoint on. Saves the number when it gets the signal, and ends then with the exit code 0. */
const COUNTS = `number=$(cat /shared/checkpoint 2>/dev/null || echo 0)
save() { [ "$FLUX_TASK_RANK" != 0 ] || echo "$number" >/shared/checkpoint; exit 0; }
trap save USR2
${NOTES}
until [ -e /shared/end ]; do
  number=$((number + 1))
  [ "$FLUX_TASK_RANK" != 0 ] || echo "$MINICLUSTER_ATTEMPT $number" >>/shared/steps
  sleep 0.2
done
exit "$(cat /shared/end)"`;

interface Step {
    /** Commands in the lead's pod, before the deeds. */
    readonly script?: string;
    readonly deeds: readonly [number, PodAction][];
    /** What the attempts have noted afterwards. */
    readonly attempts: string;
    /** Text that the lead's log has afterwards. The next step then doesn't wait until all pods run. */
    readonly log?: string;
}

interface Row {
    readonly name: string;
    readonly when: string;
    readonly args?: Partial<MiniClusterArgs>;
    readonly program?: string;
    readonly steps: readonly Step[];
    readonly exitCode?: number;
    /** The Job fails without an end of the program. */
    readonly fails?: boolean;
    /** The Job counts a failed pod. @default if it fails */
    readonly counted?: boolean;
}

const evict = (...ranks: number[]) => ranks.map((rank): [number, PodAction] => [rank, "pod is evicted"]);

const ROWS: readonly Row[] = [
    {
        name: "follower",
        when: "a follower is evicted",
        steps: [{ deeds: evict(1), attempts: "1 start 3, 2 rank-loss 3" }],
    },
    {
        name: "lead",
        when: "the lead is evicted",
        steps: [{ deeds: evict(0), attempts: "1 start 3, 2 lead-loss 3" }],
    },
    {
        name: "twice",
        when: "followers are evicted twice in a row, and then the lead",
        steps: [
            { deeds: evict(1), attempts: "1 start 3, 2 rank-loss 3" },
            { deeds: evict(2), attempts: "1 start 3, 2 rank-loss 3, 3 rank-loss 3" },
            { deeds: evict(0), attempts: "1 start 3, 2 rank-loss 3, 3 rank-loss 3, 4 lead-loss 3" },
        ],
    },
    {
        name: "both",
        when: "the lead and a follower are evicted together",
        steps: [{ deeds: evict(0, 2), attempts: "1 start 3, 2 lead-loss 3" }],
    },
    {
        name: "alone",
        when: "the lead of a cluster without followers is evicted twice",
        args: { size: 1 },
        steps: [
            { deeds: evict(0), attempts: "1 start 1, 2 lead-loss 1" },
            { deeds: evict(0), attempts: "1 start 1, 2 lead-loss 1, 3 lead-loss 1" },
        ],
    },
    {
        name: "node",
        when: "a follower's node is lost",
        steps: [{ deeds: [[1, "node is lost"]], attempts: "1 start 3, 2 rank-loss 3" }],
    },
    {
        name: "lead-node",
        when: "the lead's node is lost",
        args: { size: 2 },
        steps: [{ deeds: [[0, "node is lost"]], attempts: "1 start 2, 2 lead-loss 2" }],
    },
    {
        name: "limit",
        when: "the command fails and then a follower's pod is deleted, and backoffLimit allows both",
        args: { size: 2, backoffLimit: 2 },
        program: `${NOTES}
[ "$MINICLUSTER_ATTEMPT" != 1 ] || exit 7
${WAITS}`,
        steps: [
            { deeds: [], attempts: "1 start 2, 2 failure 2" },
            { deeds: [[1, "pod is deleted"]], attempts: "1 start 2, 2 failure 2, 3 rank-loss 2" },
        ],
        counted: true,
    },
    {
        name: "continues",
        when: "a follower is evicted and the command goes on without it",
        args: { onRankLoss: OnRankLoss.Continue, minSize: 2 },
        steps: [{ deeds: evict(2), attempts: "1 start 3, 2 rank-loss 2" }],
    },
    {
        name: "pending",
        when: "a follower is evicted, and another one before the attempt without it has started",
        args: { onRankLoss: OnRankLoss.Continue, minSize: 1 },
        steps: [
            {
                script: "flux queue stop --all --nocheckpoint --quiet",
                deeds: evict(2),
                attempts: "1 start 3",
                log: "minicluster: attempt 2 of the command (rank-loss)",
            },
            {
                // Drained for another reason, the rank isn't up when its new pod has joined.
                script: `until [ "$(flux jobs --no-header --format='{nnodes}')" = 2 ]; do sleep 0.2; done
flux resource drain --force 2 by hand`,
                deeds: evict(1),
                attempts: "1 start 3",
                log: "minicluster: attempt 2 of the command is submitted again: 1 of 2 ranks are up",
            },
            { script: "flux queue start --all --quiet", deeds: [], attempts: "1 start 3, 2 rank-loss 1" },
        ],
    },
    {
        name: "fails",
        when: "a follower is evicted and the command fails afterwards",
        steps: [{ deeds: evict(1), attempts: "1 start 3, 2 rank-loss 3" }],
        exitCode: 7,
    },
    {
        name: "killed",
        when: "a follower's broker is killed in its pod",
        steps: [{ deeds: [[1, "broker is killed"]], attempts: "1 start 3" }],
        fails: true,
    },
    {
        name: "deleted",
        when: "a follower's pod is deleted",
        steps: [{ deeds: [[1, "pod is deleted"]], attempts: "1 start 3" }],
        fails: true,
    },
    {
        name: "saves",
        when: "a follower and then the lead of a program with a checkpoint are evicted",
        args: { checkpoint: { signal: "USR2", seconds: 20 } },
        program: COUNTS,
        steps: [
            { deeds: evict(2), attempts: "1 start 3, 2 rank-loss 3" },
            { deeds: evict(0), attempts: "1 start 3, 2 rank-loss 3, 3 lead-loss 3" },
        ],
    },
];

describe("command with onRankLoss", () => {
    const namespace = useNamespace();
    const verdicts = new Map<Row, Promise<void>>();
    let folder = "";
    const shared = (row: Row, file: string) => join(folder, row.name, file);
    const linesOf = (row: Row, file: string) =>
        existsSync(shared(row, file)) ? readFileSync(shared(row, file), "utf8").trimEnd().split("\n") : [];

    before(async () => {
        folder = mkdtempSync(join(tmpdir(), "flux-minicluster-attempts-"));
        ROWS.forEach(({ name }) => mkdirSync(join(folder, name)));
        const stack = namespace.stack("attempts", async () => ROWS.forEach((row) => make(row)));
        await stack.up();
        for (const row of ROWS) {
            const verdict = judge(row);
            // The row's test reports the failure later.
            verdict.catch(() => undefined);
            verdicts.set(row, verdict);
        }
    });

    after(() => rmSync(folder, { recursive: true, force: true }));

    for (const row of ROWS) {
        it(`${row.fails ? "fails" : "starts again"} if ${row.when}`, () => verdicts.get(row));
    }

    it("loses no step of a program that saves its work at the signal", () => {
        const row = ROWS.find(({ name }) => name === "saves")!;
        const steps = linesOf(row, "steps").map((line) => line.split(" ").map(Number));
        assert.deepEqual(
            steps.map(([, number]) => number),
            steps.map((_, index) => index + 1),
        );
        assert.equal(steps.at(-1)?.[0], 3);
    });

    function make({ args, name, program = `${NOTES}\n${WAITS}` }: Row): MiniCluster {
        return new MiniCluster(name, {
            image: namespace.image,
            size: 3,
            command: ["bash", "-c", program],
            onRankLoss: OnRankLoss.Rerun,
            waitFor: WaitFor.Ready,
            volumes: [{ name: "shared", mountPath: "/shared", hostPath: join(folder, name) }],
            ...args,
        });
    }

    async function judge(row: Row): Promise<void> {
        const { exitCode = 0, fails, name, steps } = row;
        await attempted(row, "1 start", PATIENCE);
        for (const step of steps) {
            await take(row, step);
        }
        if (!fails) {
            writeFileSync(shared(row, "end"), `${exitCode}\n`);
        }
        const hasFailed = fails || exitCode !== 0;
        const end = await until(`the Job ${name} ends`, async () => endOf(await jobOf(name)), PATIENCE);
        assert.equal(end, hasFailed ? "Failed" : "Complete");
        assert.equal(linesOf(row, "attempts").join(", "), steps.at(-1)?.attempts);
        await assertCounted(name, row.counted ?? hasFailed);
    }

    async function take(row: Row, { attempts, deeds, log, script }: Step): Promise<void> {
        const { fails, name } = row;
        if (script !== undefined) {
            await namespace.exec(name, ["sh", "-c", script]);
        }
        await Promise.all(deeds.map(([rank, action]) => doTo(namespace, name, rank, action)));
        if (fails) {
            return;
        }
        await attempted(row, attempts, PATIENCE);
        if (log === undefined) {
            await until(`all pods of ${name} run`, () => allRun(namespace, name), PATIENCE);
        } else {
            await until(`${name} logs ${log}`, async () => (await logOf(name)).includes(log) || undefined, PATIENCE);
        }
    }

    async function assertCounted(name: string, counted: boolean): Promise<void> {
        const failed = (await jobOf(name)).status?.failed ?? 0;
        assert.equal(failed > 0, counted, `the Job counts ${failed} failed pods`);
    }

    /** The log of the lead. */
    async function logOf(cluster: string): Promise<string> {
        const [lead] = await namespace.pods(cluster);
        const name = lead?.metadata?.name ?? "";
        return namespace.kube.core.readNamespacedPodLog({ name, namespace: namespace.name });
    }

    function jobOf(name: string): Promise<V1Job> {
        return namespace.kube.batch.readNamespacedJob({ name, namespace: namespace.name });
    }

    async function attempted(row: Row, attempts: string, seconds: number): Promise<void> {
        await until(
            `${row.name} has the attempts ${attempts}`,
            async () => linesOf(row, "attempts").join(", ").startsWith(attempts) || undefined,
            seconds,
        );
    }
});

function endOf({ status }: V1Job): string | undefined {
    const ends = ["Complete", "Failed"];
    return status?.conditions?.find(({ status: holds, type }) => holds === "True" && ends.includes(type))?.type;
}

async function allRun(namespace: TestNamespace, name: string): Promise<true | undefined> {
    const pods = (await namespace.pods(name)).filter(({ status }) => status?.phase !== "Failed");
    const { spec } = await namespace.kube.batch.readNamespacedJob({ name, namespace: namespace.name });
    const running = pods.filter(
        ({ metadata, status }) => metadata?.deletionTimestamp === undefined && status?.phase === "Running",
    );
    return (running.length === pods.length && running.length === spec?.completions) || undefined;
}

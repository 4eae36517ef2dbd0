import assert from "node:assert/strict";
import { join } from "node:path";

import { sizeOf } from "../../../provider/flux/idset";
import { toolsDir } from "../../../scripts/local/cluster/tools";
import { run } from "../../../scripts/local/run";
import { groupsOfProcess, limitGroups } from "../../double/support/pods/cgroup";
import { withVariable } from "../../double/support/pods/processes";
import { MOMENT, type Taking, takingJob, takings } from "../../double/support/pods/taking";
import { ChangingCluster } from "../../e2e/support/changing";
import { rankOf, useNamespace } from "../../e2e/support/namespace";
import { doTo } from "../../e2e/support/podActions";
import { sharedCluster } from "../../e2e/support/sharedCluster";
import { until } from "../../e2e/support/until";

/** How often followers leave by each door. */
const ROUNDS = Number(process.env["RESCUE_ROUNDS"] ?? 1);

/** What the jobs take, each of the pod of another rank. */
const rows = takings(["/tmp"]);
/** A user's preStop hook needs processes, as does the runtime that starts it. Pods without may not start it. */
const starts = ({ left }: Taking): boolean => left.processesLeft === undefined;

/** The same ranks of a new cluster leave once, because Kubernetes waits longer with each pod of a Job that has ended. */
const DOORS = ["kubectl drain", "kubectl delete pod", "the eviction API"] as const;
const ranksOf = (door: number): number[] => rows.map((_, row) => 1 + door * rows.length + row);

const REASON = "the pod is leaving";
const WITHIN = "a job that ends within drainTimeout completes";
const AFTER = "a job that goes on is cancelled after drainTimeout, with the reason";

/** Seconds. */
const SHORT = 6;
const TIMEOUTS: Readonly<Record<string, number>> = { [WITHIN]: 120, [AFTER]: SHORT };

/** A job's end, in words of bash that start no process. */
const ends: Readonly<Record<string, string>> = {
    [WITHIN]: `until [[ -e FILE ]]; do ${MOMENT}; done; leave 0`,
    [AFTER]: `while :; do ${MOMENT}; done`,
};

describe(`followers whose jobs take what their pods have (${ROUNDS} rounds)`, function () {
    this.timeout(900_000);
    const namespace = useNamespace();

    /** Starts a cluster with a rank for each taking and door. */
    async function start(name: string, drainTimeout: number): Promise<ChangingCluster> {
        const preStop = {
            exec: { command: ["sh", "-c", `: >/out/${namespace.name}-${name}-$JOB_COMPLETION_INDEX.left`] },
        };
        const cluster = new ChangingCluster(namespace, name, {
            size: 1 + DOORS.length * rows.length,
            drainTimeout,
            resources: { requests: { cpu: "10m" } },
            volumes: [
                { name: "out", mountPath: "/out", hostPath: "/tmp" },
                { name: "temporary", mountPath: "/tmp", emptyDir: { medium: "Memory", sizeLimit: "4Mi" } },
            ],
            podTemplate: { spec: { containers: [{ name: "flux", lifecycle: { preStop } }] } },
        });
        await cluster.stack.up();
        return cluster;
    }

    /** The pods of these ranks have the files with this ending. */
    async function have(name: string, ranks: readonly number[], ending: string): Promise<void> {
        const files = ranks.map((rank) => `/out/${namespace.name}-${name}-${rank}.${ending}`);
        const look = ["bash", "-c", 'for file; do [[ -e $file ]] || echo "$file"; done', "bash", ...files];
        await until(
            `no file ${ending} is missing`,
            async () => (await namespace.exec(name, look)) === "" || undefined,
            120,
        );
    }

    async function kubectl(...words: readonly string[]): Promise<void> {
        const { cluster } = await sharedCluster();
        const where = ["--kubeconfig", cluster.kubeconfig, "--namespace", namespace.name];
        await run(join(toolsDir, "kubectl"), [...where, ...words]);
    }

    /** The pods of these ranks leave. Resolves when the door has done its part, for `kubectl drain` at the end of the pods. */
    async function leave(name: string, door: (typeof DOORS)[number], ranks: readonly number[]): Promise<void> {
        const pods = (await namespace.pods(name)).filter((pod) => ranks.includes(rankOf(pod)));
        if (door === "the eviction API") {
            await Promise.all(ranks.map((rank) => doTo(namespace, name, rank, "pod is evicted")));
        } else if (door === "kubectl delete pod") {
            await kubectl("delete", "pod", "--wait=false", ...pods.map(({ metadata }) => metadata?.name ?? ""));
        } else {
            const job = `batch.kubernetes.io/job-name=${name}`;
            const selector = `${job},batch.kubernetes.io/job-completion-index in (${ranks.join(",")})`;
            const node = pods[0]?.spec?.nodeName ?? "";
            try {
                await kubectl("drain", node, `--pod-selector=${selector}`, "--delete-emptydir-data", "--timeout=300s");
            } finally {
                await kubectl("uncordon", node);
            }
        }
    }

    /** The jobs of the ranks take what there is, and the pods leave by the door. Returns what is wrong. */
    async function wrongOf(cluster: ChangingCluster, door: number, end: string): Promise<string[]> {
        const { name } = cluster;
        const ranks = ranksOf(door);
        const mark = (rank: number) => `RESCUE=${namespace.name}-${name}-${rank}`;
        const file = (rank: number) => `/out/${namespace.name}-${name}-${rank}`;
        const jobs: string[] = [];
        for (const [index, rank] of ranks.entries()) {
            const job = takingJob(rows[index], `${file(rank)}.took`, ends[end].replaceAll("FILE", `${file(0)}.end`));
            const words = [`--requires=rank:${rank}`, "-n1", `--env=${mark(rank)}`, "bash", "-c", job];
            jobs.push(await cluster.flux("submit", ...words));
        }
        await have(name, ranks, "took");
        for (const [index, rank] of ranks.entries()) {
            const task = withVariable(mark(rank))[0];
            assert.ok(task, `no task of rank ${rank}`);
            limitGroups(groupsOfProcess(task.pid), rows[index].left);
        }
        const began = Date.now();
        const left = leave(name, DOORS[door], ranks);
        left.catch(() => undefined);
        if (end === WITHIN) {
            await until("the ranks are drained", async () => {
                const drained = ["resource", "drain", `--include=${ranks.join(",")}`, "-no", "{ranks} {reason}"];
                const lines = (await cluster.flux(...drained))
                    .split("\n")
                    .filter((line) => line.endsWith(` ${REASON}`));
                return lines.reduce((sum, line) => sum + sizeOf(line.split(" ")[0]), 0) === ranks.length || undefined;
            });
            await namespace.exec(name, ["touch", `${file(0)}.end`]);
        }
        const records = await Promise.all(jobs.map((job) => recordOf(cluster, job)));
        await left;
        await have(
            name,
            ranks.filter((_, index) => starts(rows[index])),
            "left",
        );
        await namespace.exec(name, ["bash", "-c", `rm -f ${file(0).slice(0, -1)}*`]);
        return rows.flatMap(({ what }, index) => {
            const { record, seconds } = records[index];
            const cancelled = seconds - began / 1000;
            const isRight =
                end === WITHIN ? record === "COMPLETED" : record === `CANCELED ${REASON}` && cancelled >= SHORT;
            return isRight ? [] : [`${DOORS[door]}, ${what}: ${record} after ${cancelled.toFixed(1)} s`];
        });
    }

    /** A job that has ended: its status, and the time of its first exception, or of its end. */
    async function recordOf(cluster: ChangingCluster, job: string) {
        const events = await until(
            "the job has ended",
            async () => {
                const lines = (await cluster.flux("job", "eventlog", job)).split("\n");
                return lines.some((line) => / clean$/.test(line)) ? lines : undefined;
            },
            180,
        );
        const event = events.find((line) => / (exception|clean)\b/.test(line)) ?? "";
        const record = await cluster.flux("jobs", "--no-header", "--format={status} {exception.note}", job);
        return { record: record.trim(), seconds: Number(event.split(" ")[0]) };
    }

    for (let round = 1; round <= ROUNDS; round++) {
        for (const [end, drainTimeout] of Object.entries(TIMEOUTS)) {
            it(`leave in order, round ${round}: ${end}`, async () => {
                const cluster = await start(`${drainTimeout === SHORT ? "goes-on" : "ends"}-${round}`, drainTimeout);
                const wrong: string[] = [];
                for (const door of DOORS.keys()) {
                    wrong.push(...(await wrongOf(cluster, door, end)));
                }
                assert.deepEqual(wrong, []);
            });
        }
    }
});

import assert from "node:assert/strict";

import { until } from "../../../e2e/support/until";
import type { PodCluster } from "./cluster";
import { brokerAmong, type Process, withVariable } from "./processes";
import { soon } from "../../../e2e/support/until";

let marks = 0;

/** The tasks of a job, found by a variable among all processes of this machine. */
export class Tasks {
    /** A variable in the environment of the tasks and their children. */
    readonly mark = `POD_TASK=${process.pid}-${marks++}`;

    get alive(): Process[] {
        return withVariable(this.mark);
    }

    /** The tasks in the pod of a rank. */
    of(cluster: PodCluster, rank: number): Process[] {
        const own = cluster.rank(rank).container.processes.map(({ pid }) => pid);
        return this.alive.filter(({ pid }) => own.includes(pid));
    }

    /** Waits until tasks run in this number of pods. */
    async run(pods: number): Promise<void> {
        await soon(
            `tasks run in ${pods} pods`,
            () => new Set(this.alive.map(({ namespace }) => namespace)).size === pods || undefined,
            60,
        );
    }
}

export interface Submitted {
    readonly id: string;
    readonly tasks: Tasks;
}

/** Starts a job with one task on each rank, and waits for its tasks. */
export async function submitTo(cluster: PodCluster, ranks: number, command: readonly string[]): Promise<Submitted> {
    const tasks = new Tasks();
    const id = await cluster.flux("submit", `-N${ranks}`, `-n${ranks}`, `--env=${tasks.mark}`, ...command);
    await tasks.run(ranks);
    return { id, tasks };
}

export function brokerOf(cluster: PodCluster, rank: number): Process | undefined {
    return brokerAmong(cluster.rank(rank).container.processes);
}

export function killBroker(cluster: PodCluster, rank: number): void {
    const broker = brokerOf(cluster, rank);
    assert.ok(broker, `there is no broker of rank ${rank}`);
    process.kill(broker.pid, "SIGKILL");
}

/** Waits until no job is active and this number of ranks is up. */
export async function isWhole(cluster: PodCluster, ranks: number): Promise<void> {
    await until(`${ranks} ranks are up and no job is active`, async () => {
        const up = await cluster.tryFlux("resource", "list", "--states=up", "--no-header", "--format={nnodes}");
        const jobs = await cluster.tryFlux("jobs", "--no-header", "--format={id}");
        return up.code === 0 && up.stdout.trim() === String(ranks) && jobs.code === 0 && jobs.stdout === ""
            ? true
            : undefined;
    });
}

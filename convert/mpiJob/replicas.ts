import type { Fields, Reader } from "../reader";

/** The pods of an MPIJob. */
export interface Replicas {
    readonly launcher: Fields;
    /** The pod template of the ranks: that of the workers, or of the launcher if there are no workers. */
    readonly worker: Fields;
    /** The path of the replica type whose template is that of the ranks. */
    readonly path: string;
    /** Number of ranks. */
    readonly size: number;
    /** Number of tasks for which each rank has a slot. */
    readonly slots: number;
}

/** Reads the replicas, and throws if there is no launcher or if one of the types has no container or no pod. */
export function readReplicas(reader: Reader, spec: Fields): Replicas {
    const { Launcher, Worker } = (spec.mpiReplicaSpecs ?? {}) as Fields;
    const launcher = templateOf(reader, LAUNCHER, Launcher);
    const slots = Math.max(1, spec.slotsPerWorker ?? 1);
    if (Worker === undefined) {
        return { launcher, worker: launcher, path: LAUNCHER, size: 1, slots };
    }
    const worker = templateOf(reader, WORKER, Worker);
    const { replicas = 0 } = Worker as Fields;
    if (replicas < 1) {
        const path = reader.placed(`${WORKER}.replicas`);
        const found = Worker.replicas === undefined ? "is missing" : `is ${replicas}`;
        throw new Error(
            `${path} ${found}, but it must be 1 or more. The MPI Operator refuses it too. Give the number.`,
        );
    }
    return { launcher, worker, path: WORKER, size: replicas + (spec.runLauncherAsWorker ? 1 : 0), slots };
}

function templateOf(reader: Reader, path: string, replicas: Fields | undefined): Fields {
    const template = replicas?.template as Fields | undefined;
    if ((template?.spec?.containers ?? []).length === 0) {
        const cure = "The MPI Operator refuses it too. Give its template with a container.";
        throw new Error(`${reader.placed(`${path}.template.spec.containers`)} is missing or empty. ${cure}`);
    }
    return template as Fields;
}

const REPLICAS = "spec.mpiReplicaSpecs";

export const LAUNCHER = `${REPLICAS}.Launcher`;
export const WORKER = `${REPLICAS}.Worker`;

/** The path of the first container, which runs mpirun in the launcher and sshd in a worker. */
export function mainContainer(replicas: string): string {
    return `${replicas}.template.spec.containers[0]`;
}

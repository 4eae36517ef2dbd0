const REPLICAS = "spec.mpiReplicaSpecs";

export const LAUNCHER = `${REPLICAS}.Launcher`;
export const WORKER = `${REPLICAS}.Worker`;

/** The path of the first container, which runs mpirun in the launcher and sshd in a worker. */
export function mainContainer(replicas: string): string {
    return `${replicas}.template.spec.containers[0]`;
}

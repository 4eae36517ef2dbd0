import type { Fields, Reader, Values } from "../reader";

const PATH = "spec.runPolicy";

/** The default of Kubernetes for the launcher's Job. */
const BACKOFF_LIMIT = 6;

/** Reads an MPIJob's `runPolicy`. */
export function readRunPolicy(reader: Reader, policy: Fields, args: Values): void {
    args.backoffLimit = BACKOFF_LIMIT;
    const into = (name: string) => (value: unknown) => (args[name] = value);
    reader.read(policy, {
        activeDeadlineSeconds: into("activeDeadlineSeconds"),
        backoffLimit: into("backoffLimit"),
        ttlSecondsAfterFinished: into("ttlSecondsAfterFinished"),
        suspend: (value) => (args.suspend = value || undefined),
        cleanPodPolicy: (value) => {
            if (value === "All") {
                const reason = 'is "All"; here the pods of an ended command have ended too, and stay with their logs.';
                reader.warn(`${PATH}.cleanPodPolicy`, `${reason} To remove them, give ttlSecondsAfterFinished.`);
            }
        },
        managedBy: (value) => {
            if (value !== "kubeflow.org/mpi-operator") {
                const reason = `is "${value}", which lets Kueue run the MPIJob in another cluster. Here Pulumi makes the Job`;
                reader.warn(
                    `${PATH}.managedBy`,
                    `${reason} in one cluster; make a MiniCluster for the cluster you mean.`,
                );
            }
        },
        schedulingPolicy: (scheduling: Fields) => readScheduling(reader, scheduling, args),
    });
}

const NO_GROUP = "a field of the PodGroup, which Volcano or the scheduler plugins need. No PodGroup is made here";

function readScheduling(reader: Reader, scheduling: Fields, args: Values): void {
    const path = `${PATH}.schedulingPolicy`;
    reader.read(scheduling, {
        // The operator makes it the class of the PodGroup. Pods that have one keep it.
        priorityClass: (value) => (args.priorityClassName ??= value || undefined),
        queue: (value) =>
            value &&
            reader.warn(
                `${path}.queue`,
                `is "${value}", ${NO_GROUP}. For a LocalQueue of Kueue, which starts all pods or none, give queueName.`,
            ),
        minAvailable: (value) => {
            if (value > 1) {
                const reason = `is ${value}, ${NO_GROUP}, and the command starts when all ranks have joined.`;
                reader.warn(
                    `${path}.minAvailable`,
                    `${reason} To start with fewer ranks, give minSize and fewer tasks.`,
                );
            }
        },
        minResources: reader.without(`${path}.minResources`, `is ${NO_GROUP}. Use queueName with a quota of Kueue.`),
        scheduleTimeoutSeconds: (value) =>
            reader.warn(
                `${path}.scheduleTimeoutSeconds`,
                `is ${value}, ${NO_GROUP}. Give timeouts.unschedulable, after which an update fails.`,
            ),
    });
}

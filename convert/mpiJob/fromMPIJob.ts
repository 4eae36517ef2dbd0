import { documentsIn, findIn, isObject } from "../documents";
import type { Fields } from "../reader";
import { type ConvertedResource, typed } from "../resource";
import { readJob } from "./job";

/** An MPIJob of the MPI Operator, as arguments of a MiniCluster. */
export interface MPIJobResource extends ConvertedResource {}

/** What a conversion can't read in an MPIJob. */
export interface MPIJobOptions {
    /**
     * True if the workers' image has Flux. Otherwise Flux comes from another image, by the argument `view`.
     * @default false
     */
    readonly fluxInImage?: boolean;
}

/**
 * Reads an MPIJob of Kubeflow's MPI Operator (kubeflow.org/v2beta1) as arguments of a MiniCluster. The workers are the
 * ranks, and Flux starts the launcher's program in place of mpirun and ssh. The YAML is read as kubectl reads it. If it
 * has several documents, the first MPIJob is converted, and the others get warnings. Throws an error with the line if
 * the text is no YAML, and if there is no MPIJob of v2beta1, if its launcher has no command, or if a value has no meaning
 * in the operator's schema, such as a map in place of a list.
 * @param yaml Text of the MPIJob.
 * @param options What the MPIJob doesn't say.
 * @see https://www.kubeflow.org/docs/components/trainer/legacy-v1/user-guides/mpi/
 */
export function fromMPIJob(yaml: string, options: MPIJobOptions = {}): MPIJobResource {
    const documents = documentsIn(yaml);
    const found = findIn(documents, isMPIJob);
    if (found === undefined) {
        const other = findIn(documents, ({ kind }) => kind === "TrainJob");
        throw new Error(other === undefined ? NONE : TRAIN_JOB);
    }
    return typed(readJob(found, options.fluxInImage ?? false));
}

const NONE =
    "This text has no MPIJob with a spec. Give the YAML of an MPIJob of the MPI Operator, kubeflow.org/v2beta1.";

const TRAIN_JOB =
    "This text has a TrainJob of Kubeflow Trainer, whose pods are described by a TrainingRuntime in the cluster. " +
    "Give an MPIJob of kubeflow.org/v2beta1, or write the arguments of a MiniCluster by hand.";

function isMPIJob({ kind, spec }: Fields): boolean {
    return kind === "MPIJob" && isObject(spec);
}

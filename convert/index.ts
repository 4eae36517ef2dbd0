import type { MiniClusterArgs } from "../components/args";

/** A resource of an operator, as arguments of a MiniCluster. */
export interface ConvertedResource {
    /** Name of the resource. Pass it to the MiniCluster. */
    readonly name: string;
    /** Arguments of the MiniCluster. */
    readonly args: MiniClusterArgs;
    /**
     * Fields without an equal argument, and arguments that preview refuses: `path (line N): what differs, and what to
     * do`.
     */
    readonly warnings: readonly string[];
}

/** A resource of the Flux Operator, as arguments of a MiniCluster. */
export interface OperatorResource extends ConvertedResource {}

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

// Both functions load what they need at their first call, because most programs call none.

/**
 * Reads a MiniCluster of the Flux Operator (v1alpha2) as arguments of this package's MiniCluster. The YAML
 * is read as kubectl reads it. If it has several documents, the first MiniCluster is converted, and the others get
 * warnings. Throws an error with the line if the text is no YAML, and if there is no MiniCluster, if no container runs
 * Flux, or if a value has no meaning in the operator's schema, such as a map in place of a list.
 * @param yaml Text of the resource.
 * @see https://flux-framework.org/flux-operator/getting_started/custom-resource-definition.html
 */
export function fromOperator(yaml: string): OperatorResource {
    const { readMiniCluster } = require("./operator/resource") as typeof import("./operator/resource");
    const { args, ...rest } = readMiniCluster(yaml);
    const { certificate } = args;
    if (certificate === undefined) {
        return { args: args as MiniClusterArgs, ...rest };
    }
    const { secret } = require("@pulumi/pulumi") as typeof import("@pulumi/pulumi");
    return { args: { ...(args as MiniClusterArgs), certificate: secret(certificate) }, ...rest };
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
    const { readMPIJob } = require("./mpiJob/job") as typeof import("./mpiJob/job");
    const { args, ...rest } = readMPIJob(yaml, options.fluxInImage ?? false);
    return { args: args as unknown as MiniClusterArgs, ...rest };
}

import type { Input } from "@pulumi/pulumi";

import type { CodeFolderArgs } from "../features/code";
import type { Interrupt, OutputArgs } from "../features/update";
import type { Kubeconfig } from "../features/access";
import type { ResultRanks } from "../features/results";
import type { RendezvousArgs } from "../features/rendezvous/rendezvous";
import type { RunOptionsArguments } from "../runOptions/args";

/** A MiniCluster, or its outputs from a StackReference. */
export interface ClusterReferenceArgs {
    /** Its output `name`. */
    name: Input<string>;
    /** Its output `namespace`. */
    namespace: Input<string>;
    /**
     * Its output `uid`. With it, the job is submitted again when the cluster is recreated.
     * @default any cluster with this name
     */
    uid?: Input<string>;
}

/** How a job must have ended before another job starts. */
export const AfterEnd = {
    /** The job has succeeded: Flux' dependency `afterok`. */
    Ok: "ok",
    /** The job has ended: Flux' dependency `afterany`. Before Flux 0.85, it must have started too. */
    Any: "any",
} as const;

export type AfterEnd = (typeof AfterEnd)[keyof typeof AfterEnd];

export declare namespace AfterEnd {
    export type Ok = "ok";
    export type Any = "any";
}

/** A FluxJob that must have ended before another FluxJob starts. */
export interface AfterArgs {
    /** Its output `jobId`. */
    jobId: Input<string>;
    /** Its output `phase`. If the job has already ended, Flux isn't asked to wait for it. @default unknown */
    phase?: Input<string>;
    /** How the job must have ended. @default AfterEnd.Ok */
    end?: Input<AfterEnd>;
    /** Its output `jobIds`. An array without it counts as its first element. @default `jobId` alone */
    jobIds?: Input<Input<string>[]>;
}

/** The elements of an array: their number, or a value for each. */
export interface ElementsArgs {
    /** Number of elements, from 1 to 10000. Their indexes count from 0. @default the number of `values` */
    count?: Input<number>;
    /**
     * A value for each element, up to 10000. Its tasks get it as FLUXJOB_VALUE, and in place of `{{value}}`. All values
     * together may have 1 MiB.
     * @default none
     */
    values?: Input<Input<string>[]>;
}

/** What a job leaves behind, and where it is kept. */
export interface JobResultsArgs {
    /**
     * Patterns of files and folders, relative to the directory in which the tasks start, or absolute: `out/`, `*.png`. A
     * folder stands for all files in it. `*` and `?` stand for characters of one name, `**` for any folders. Files that
     * have not changed since the job started are left out.
     */
    paths: Input<Input<string>[]>;
    /**
     * Name of one of the cluster's `volumes`, to which the job's ranks copy the results. Without it, `pulumi up` fetches
     * them into the folder `results/NAME` of this machine, or `npx flux-minicluster results` does.
     * @default none: this machine
     */
    volume?: Input<string>;
    /** Folder in the volume. A folder that exists is replaced. @default the name of the FluxJob */
    path?: Input<string>;
    /**
     * Whose files are kept: those of the first of the job's ranks, or of all its ranks, each in a folder `rank-N` of the
     * results.
     * @default ResultRanks.Lead
     */
    ranks?: Input<ResultRanks>;
    /** Keep the results of a job that has failed too. @default false */
    onFailure?: Input<boolean>;
    /**
     * Size up to which `pulumi up` fetches the results by itself: a quantity. More is left to `npx flux-minicluster results`.
     * Without `volume` only.
     * @default 100Mi
     */
    limit?: Input<string>;
}

/** Timeouts of a FluxJob in seconds. */
export interface FluxJobTimeoutsArgs {
    /** Seconds to wait until the lead accepts the job, or answers again. @default 300 */
    ready?: Input<number>;
    /**
     * Seconds to wait for the job's end. After that the job keeps running, and the next update waits again.
     * @default no limit
     */
    completed?: Input<number>;
}

/**
 * Arguments of a FluxJob. If an argument from `cluster` to `triggers` changes, or a run option, the job is submitted
 * again.
 */
export interface FluxJobArgs extends RunOptionsArguments {
    /** A MiniCluster of the same program, or its outputs (`name`, `namespace`, `uid`) from a StackReference. @open */
    cluster: Input<ClusterReferenceArgs>;
    /** Program and arguments. No shell reads them. */
    command: Input<Input<string>[]>;
    /**
     * Number of nodes, which are ranks of the cluster, as `flux submit -N`. Without `tasks`, the job gets whole nodes
     * and runs one task on each.
     * @default as many as the tasks need
     */
    nodes?: Input<number>;
    /** Number of tasks, as `flux submit -n`. @default one for each node if `nodes` is given, else 1 */
    tasks?: Input<number>;
    /**
     * Submit the command several times, as `flux submit --cc`: each element is a job with these arguments. Its tasks get
     * its index as FLUX_JOB_CC. In the command, in variables and in the paths of files, `{{index}}` and `{{value}}` are
     * replaced.
     * @default one job
     */
    array?: Input<ElementsArgs>;
    /**
     * Jobs of the same cluster that must have ended before this job starts: FluxJobs, or their outputs `jobId`. With
     * `wait: false`, they are submitted at once, and Flux keeps the order. A job that is submitted again has another
     * `jobId`, so the jobs after it are submitted again too. @open
     * @default none
     */
    after?: Input<Input<AfterArgs>[]>;
    /**
     * Tell the tasks how they find each other, for PyTorch and programs that read the same variables (MASTER_ADDR, RANK
     * and others). `{}` is enough.
     * @default none
     */
    rendezvous?: Input<RendezvousArgs>;
    /**
     * Environment variables, in addition to the cluster's. A value that is a Pulumi secret doesn't go into the jobspec:
     * each task gets it from the lead.
     * @default none
     */
    environment?: Input<{ [name: string]: Input<string> }>;
    /** Directory in which the tasks start. @default the folder of `code`, else the cluster's */
    workingDir?: Input<string>;
    /**
     * A folder of this machine whose files each rank of the job has when its tasks start, without an image of its own. The
     * tasks start in this folder, which FLUX_JOB_TMPDIR names and which Flux removes with the job; with `results`, in a
     * copy of it on the pod's disk. The lead gets the files once for all FluxJobs with the same files. At most 16 MiB packed.
     * @default none
     */
    code?: CodeFolderArgs;
    /** Values: when one changes, the job is submitted again. @default none */
    triggers?: Input<any[]>;

    /**
     * Files that are kept when the job has ended. The output `results` has their names, sizes and SHA-256. A change keeps
     * other files of the same job, which isn't submitted again. Not with `array`.
     * @default none
     */
    results?: Input<JobResultsArgs>;

    /** Wait for the job's end. If false, a refresh records the end. @default true */
    wait?: Input<boolean>;
    /** If the job has failed, submit it again with the next update. @default true */
    rerunFailed?: Input<boolean>;
    /**
     * What an update does if it would cancel the job, or an element of an array, while it runs. Such an update changes
     * an argument from `cluster` to `triggers` or a run option, recreates the cluster, drops the job from the program, or
     * replaces the job by `--replace` or a taint. A `pulumi destroy` always cancels the job.
     * @default Interrupt.Refuse
     */
    interrupt?: Input<Interrupt>;
    /** How long an update waits before it fails. @default see its fields */
    timeouts?: Input<FluxJobTimeoutsArgs>;
    /** What an update shows of the job's log, and how much of it the output `output` keeps. @default see its fields */
    output?: OutputArgs;
    /**
     * Kubeconfig: its text, its path or an object.
     * @default that of `cluster` if it is a MiniCluster, else as for a MiniCluster
     * @secret
     */
    kubeconfig?: Input<Kubeconfig>;
    /** Context in the kubeconfig. @default as `kubeconfig` */
    context?: Input<string>;
}

import type { Input } from "@pulumi/pulumi";

import type { Kubeconfig } from "../parts/kubeconfig";
import type { OutputArgs } from "../parts/output";

/** A MiniCluster, by its outputs: what a StackReference gives of one. A MiniCluster itself has them too. */
export interface ClusterReferenceArgs {
    /** Its output `name`. */
    name: Input<string>;
    /** Its output `namespace`. */
    namespace: Input<string>;
    /** Its output `uid`: with it, a cluster that is made anew gets the job again. @default whichever has the name */
    uid?: Input<string>;
}

/** How long what may heal by itself gets. All in seconds. */
export interface FluxJobTimeoutsArgs {
    /** Seconds until the lead takes the job, or answers again. @default 300 */
    ready?: Input<number>;
    /**
     * Seconds that an update waits for the job's end. The job then goes on, and the next update waits again.
     * @default no limit
     */
    completed?: Input<number>;
}

/** Arguments of a FluxJob. A change of anything above `triggers`, and of it, submits the job anew. */
export interface FluxJobArgs {
    /** A MiniCluster of the same program, or its outputs (`name`, `namespace`, `uid`) from a StackReference. @open */
    cluster: Input<ClusterReferenceArgs>;
    /** Program and arguments. No shell reads them. */
    command: Input<Input<string>[]>;
    /**
     * Nodes: ranks of the cluster, as `flux submit -N`. Without `tasks` the job gets whole nodes, with one task on
     * each.
     * @default as many as the tasks need
     */
    nodes?: Input<number>;
    /** Tasks, as `flux submit -n`. @default one for each of `nodes`, else 1 */
    tasks?: Input<number>;
    /** Cores of each task, as `flux submit -c`. @default 1 */
    coresPerTask?: Input<number>;
    /** GPUs of each task, as `flux submit -g`. @default 0 */
    gpusPerTask?: Input<number>;
    /**
     * Environment variables, in addition to the cluster's. A value that is a Pulumi secret doesn't go into the jobspec:
     * each task gets it from the lead.
     * @default none
     */
    environment?: Input<{ [name: string]: Input<string> }>;
    /** Directory in which the tasks start. @default the cluster's */
    workingDir?: Input<string>;
    /** Seconds that the job may run. Flux then ends it. @default no limit */
    timeLimit?: Input<number>;
    /** Values: when one changes, the job is submitted again. @default none */
    triggers?: Input<any[]>;

    /** Wait for the job's end. Without it, a refresh sees the end. @default true */
    wait?: Input<boolean>;
    /** Submit a job that failed again with the next update. @default true */
    rerunFailed?: Input<boolean>;
    /** How long a wait goes on. @default see its fields */
    timeouts?: Input<FluxJobTimeoutsArgs>;
    /** How much of what the job prints the output `output` keeps. @default see its fields */
    output?: OutputArgs;
    /**
     * Kubeconfig: its text, its path or an object.
     * @default that of `cluster` if it is a MiniCluster, else as for a MiniCluster
     */
    kubeconfig?: Input<Kubeconfig>;
    /** Context in the kubeconfig. @default as `kubeconfig` */
    context?: Input<string>;
}

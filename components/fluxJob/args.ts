import type { Input } from "@pulumi/pulumi";

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
    /** Until rank 0 of the cluster takes the job, or answers again. @default 300 */
    ready?: Input<number>;
    /** From here to the job's end. It then goes on, and the next update waits again. @default no limit */
    completed?: Input<number>;
}

/** Arguments of a FluxJob. A change of anything above `triggers`, and of it, submits the job anew. */
export interface FluxJobArgs {
    /** The MiniCluster, or its outputs. */
    cluster: Input<ClusterReferenceArgs>;
    /** Program and arguments, kept as they are: no shell reads them. */
    command: Input<Input<string>[]>;
    /** Nodes (ranks of the cluster), as `flux submit -N`. Without `tasks` they are whole ones. @default as tasks need */
    nodes?: Input<number>;
    /** Tasks, as `flux submit -n`. @default one for each of `nodes`, else 1 */
    tasks?: Input<number>;
    /** Cores that each task gets, as `flux submit -c`. @default 1 */
    cores?: Input<number>;
    /** GPUs that each task gets, as `flux submit -g`. @default 0 */
    gpus?: Input<number>;
    /** Variables beside those of the cluster. Values that are Pulumi secrets don't go into the jobspec. */
    environment?: Input<{ [name: string]: Input<string> }>;
    /** Folder in which the tasks start. @default the cluster's */
    workingDirectory?: Input<string>;
    /** Seconds that the job may run; Flux then ends it. @default no limit */
    timeLimit?: Input<number>;
    /** Values; when one changes, the job is submitted anew. */
    triggers?: Input<any[]>;

    /** Wait for the job's end. Without it, its end is seen at the next refresh. @default true */
    wait?: Input<boolean>;
    /** Submit a job that has failed again with the next update. @default true */
    rerunFailed?: Input<boolean>;
    /** How long what may heal by itself gets. */
    timeouts?: Input<FluxJobTimeoutsArgs>;
    /** What the `output` output keeps of what the job prints. */
    output?: OutputArgs;
    /** Kubeconfig (text, path or object). @default that of `cluster`, where it is a MiniCluster; else as for a MiniCluster */
    kubeconfig?: Input<any>;
    /** Context in the kubeconfig. @default as `kubeconfig` */
    context?: Input<string>;
}

import type { Input } from "@pulumi/pulumi";

import type { ArchiveArgs } from "./archiveArgs";
import type { RestfulArgs } from "./restfulArgs";
import type { ServiceArgs } from "./serviceArgs";
import type { SidecarArgs } from "./sidecarArgs";

/** How the ranks are spread over the nodes. */
export enum Placement {
    /** As evenly as the scheduler can; several ranks may share a node. */
    Spread = "spread",
    /** At most one rank of any MiniCluster on a node. */
    Exclusive = "exclusive",
    /** As close together as the scheduler can. */
    Pack = "pack",
}

/** How ranks, and the programs on them, find each other by name. */
export enum Network {
    /** Brokers by the address of rank 0's Service, programs by cluster DNS. */
    Service = "service",
    /** Brokers and programs by cluster DNS. */
    Dns = "dns",
    /** All by each pod's /etc/hosts, which rank 0 keeps; cluster DNS isn't needed. */
    Hosts = "hosts",
}

/** How Flux comes out of the image of a view. */
export enum ViewMethod {
    /** An init container copies it, once for each pod. */
    Copy = "copy",
    /** The cluster mounts the image: Kubernetes has it on by default from 1.35 on, if the nodes' container runtime knows it. */
    ImageVolume = "imageVolume",
}

/** Flux from an image of its own, for an application's image that has none. */
export interface ViewArgs {
    /** Image that has Flux, with all that it needs, in folders of its own (a Spack view, for example). */
    image: Input<string>;
    /** Absolute path for which Flux was built; `flux` is in its `bin`. @default "/opt/view" */
    prefix?: Input<string>;
    /** Further folders that it needs, for example `/opt/software`. They take the place of the application's. @default none */
    folders?: Input<Input<string>[]>;
    /** How it comes out of the image. @default ViewMethod.Copy */
    method?: Input<ViewMethod>;
    /** `Always`, `IfNotPresent` or `Never`. @default Kubernetes' */
    imagePullPolicy?: Input<string>;
}

/** Whom everything in the pods runs as. */
export interface UserArgs {
    /** Name of the user and its group; not "root". @default "flux" */
    name?: Input<string>;
    /** Number of the user and its group, from 1 to 2147483647. @default 1000 */
    uid?: Input<number>;
}

/** Who makes the cluster's CURVE key. */
export enum Keygen {
    /** Pulumi: nothing is run for it, and the key is in the stack's state. */
    Native = "native",
    /** A pod of its own from the image, whose log is read; the key is in the stack's state. */
    Pod = "pod",
    /** An init container of rank 0; the key is in a Secret of the Kubernetes cluster only. */
    InitContainer = "initContainer",
}

/** What an update waits for. */
export enum WaitFor {
    /** Rank 0 has its quorum and `size` ranks are in. */
    Ready = "ready",
    /** The command has ended. */
    Completed = "completed",
    /** Nothing: the Job exists. */
    None = "none",
}

/** What an update that has to end a running command does. */
export enum Interrupt {
    /** Fails before anything is changed. */
    Refuse = "refuse",
    /** Ends the command. */
    Allow = "allow",
}

/** Compute resources of a pod, in Kubernetes quantities (`"4"`, `"500m"`, `"8Gi"`). */
export interface ResourcesArgs {
    /** Upper limits. Whole CPUs and GPUs in it are also what Flux schedules on. */
    limits?: Input<{ [name: string]: Input<string> }>;
    /** What the scheduler sets aside. @default the limits */
    requests?: Input<{ [name: string]: Input<string> }>;
}

/** A toleration of the pods. @see https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/ */
export interface TolerationArgs {
    /** Key of the taint. @default all keys, with the operator `Exists` */
    key?: Input<string>;
    /** `Equal` or `Exists`. @default "Equal" */
    operator?: Input<string>;
    /** Value of the taint; only with the operator `Equal`. */
    value?: Input<string>;
    /** `NoSchedule`, `PreferNoSchedule` or `NoExecute`. @default all of them */
    effect?: Input<string>;
    /** Seconds; only with `NoExecute`. @default for ever */
    tolerationSeconds?: Input<number>;
}

/** An empty folder that lives as long as the pod. */
export interface EmptyDirArgs {
    /** `"Memory"` for a tmpfs. @default the node's disk */
    medium?: Input<string>;
    /** Quantity, for example `"1Gi"`. @default no limit */
    sizeLimit?: Input<string>;
}

/** A volume that a CSI driver makes for each pod. @see https://kubernetes.io/docs/concepts/storage/ephemeral-volumes/#csi-ephemeral-volumes */
export interface CsiVolumeArgs {
    /** Name of the driver. */
    driver: Input<string>;
    /** What the driver wants to know. @default nothing */
    attributes?: Input<{ [name: string]: Input<string> }>;
    /** File system. @default the driver's */
    fsType?: Input<string>;
    /** Name of a Secret in the same namespace that the driver needs. @default none */
    secret?: Input<string>;
}

/** A volume and where it is mounted, in one declaration. Exactly one source is given. */
export interface VolumeArgs {
    /** DNS label; not `flux-...`. The same name with the same source may be mounted several times. */
    name: Input<string>;
    /** Absolute path in the container. */
    mountPath: Input<string>;
    /** Path in the volume. @default its root */
    subPath?: Input<string>;
    /** Mount it for reading only. @default false, but true for an image */
    readOnly?: Input<boolean>;
    /** Name of a PersistentVolumeClaim in the same namespace. */
    persistentVolumeClaim?: Input<string>;
    /** Name of a Secret in the same namespace. */
    secret?: Input<string>;
    /** Name of a ConfigMap in the same namespace. */
    configMap?: Input<string>;
    /** Path on the node. */
    hostPath?: Input<string>;
    /** An empty folder that lives as long as the pod. */
    emptyDir?: Input<EmptyDirArgs>;
    /** Key to path in the volume, for a Secret or a ConfigMap. @default all keys, as files of their names */
    items?: Input<{ [key: string]: Input<string> }>;
    /** Several Kubernetes volume projections in one folder. @see https://kubernetes.io/docs/concepts/storage/projected-volumes/ */
    projected?: Input<Input<{ [name: string]: any }>[]>;
    /** What a CSI driver makes for each pod. */
    csi?: Input<CsiVolumeArgs>;
    /**
     * Reference of an OCI image or artifact, for reading only. Kubernetes has it on by default from 1.35 on, and the nodes'
     * container runtime has to know it. @see https://kubernetes.io/docs/concepts/storage/volumes/#image
     */
    image?: Input<string>;
    /** Any other Kubernetes volume source, for example `{ nfs: { server: "...", path: "..." } }`. */
    source?: Input<{ [name: string]: any }>;
}

/**
 * Bash scripts of one's own; a hook that fails ends its pod with its exit code. `init`, `pre`, `lead` and `worker` are
 * sourced, so what they export reaches the broker and the command.
 */
export interface HooksArgs {
    /** Every rank, before anything else. */
    init?: Input<string>;
    /** Every rank, when the broker's configuration is written. */
    pre?: Input<string>;
    /** Rank 0 only, just before its broker starts. */
    lead?: Input<string>;
    /** All other ranks, just before their broker starts. */
    worker?: Input<string>;
    /** Every rank, after its broker has ended. */
    post?: Input<string>;
}

/** Settings of the Flux brokers. @see https://flux-framework.readthedocs.io/projects/flux-core/en/latest/man7/flux-broker-attributes.html */
export interface BrokerArgs {
    /** Most verbose level that a broker prints: 0 (emerg) to 7 (debug). @default 3 (err), which is Flux's own */
    logLevel?: Input<number>;
    /** `tbon.topo`: `custom` (flat), `kary:N`, `mincrit` or `binomial`. Other than flat needs cluster DNS. @default flat */
    topology?: Input<string>;
    /** `tbon.connect_timeout`, a Flux duration. Below 1s it comes before TCP's first retransmission. @default "2s" */
    connectTimeout?: Input<string>;
    /** Further broker attributes, name to value. */
    attributes?: Input<{ [name: string]: Input<string> }>;
    /** The whole broker.toml, instead of the one that is made. */
    config?: Input<string>;
    /** TCP port. @default 8050 */
    port?: Input<number>;
}

/** How long what may heal by itself gets. All in seconds. */
export interface TimeoutsArgs {
    /**
     * Until all ranks are in, counted from the moment at which the Job may start (its creation, a resume, the admission by
     * its queue), at which a rank was lost, or at which the update began. @default 1800
     */
    ready?: Input<number>;
    /** From the Job's start, or its last resume or admission, to the command's end. @default no limit */
    completed?: Input<number>;
    /** A pod that no node can take. @default 900 */
    unschedulable?: Input<number>;
    /** An image that can't be pulled. @default 120 */
    imagePull?: Input<number>;
    /** Pods that the API server refuses (quota, admission, service account). @default 30 */
    podCreation?: Input<number>;
    /** Until a deleted Job's pods are gone. @default 300 */
    delete?: Input<number>;
}

/** What the `output` output keeps of rank 0's log. */
export interface OutputArgs {
    /** Bytes, counted from the end; 0 keeps nothing. @default 16384 */
    maxBytes?: Input<number>;
    /** Encrypt it in the stack's state. @default false */
    secret?: boolean;
}

/** Arguments of a MiniCluster. */
export interface MiniClusterArgs {
    /** Container image; it has flux-core 0.72 or later (but see `view`) and bash. */
    image: Input<string>;
    /** Brings Flux from another image. @default none: `image` has Flux */
    view?: Input<ViewArgs>;
    /**
     * Program and arguments, kept as they are: no shell reads them. Rank 0 runs it through Flux and the cluster ends
     * with it. @default none: the cluster stays and takes jobs
     */
    command?: Input<Input<string>[]>;
    /** Number of ranks, one pod each. @default 1 */
    size?: Input<number>;
    /** Ranks that have to be in before rank 0 starts work. @default `size`, or 1 where `maxSize` is given */
    minSize?: Input<number>;
    /** Up to how many ranks the cluster can grow without being replaced. @default `size` */
    maxSize?: Input<number>;
    /** Tasks of the command. @default one for each rank */
    tasks?: Input<number>;
    /** Cores that each task gets. @default 1 */
    coresPerTask?: Input<number>;
    /** GPUs that each task gets. @default 0 */
    gpusPerTask?: Input<number>;
    /** Run the command once, on rank 0, as Flux' initial program: it submits the work itself. @default false */
    launcher?: Input<boolean>;

    /** Kubernetes name of the Job and its Services; the others start with it. @default the resource's name */
    name?: Input<string>;
    /** Kubernetes namespace; it has to exist. @default the Kubernetes provider's namespace */
    namespace?: Input<string>;
    /** Kubeconfig (text, path or object) of the cluster that the Kubernetes provider uses. @default as that provider does: the
     * stack's `kubernetes:kubeconfig`, KUBECONFIG, ~/.kube/config; that one is not stored */
    kubeconfig?: Input<any>;
    /** Context in the kubeconfig. @default the stack's `kubernetes:context`, else the current one */
    context?: Input<string>;

    /** Environment variables. Values that are Pulumi secrets go through the Secret and never into a jobspec. */
    environment?: Input<{ [name: string]: Input<string> }>;
    /** Compute resources of each pod. @default none: Flux detects what the node has */
    resources?: Input<ResourcesArgs>;
    /** Size limit of /dev/shm, which is a memory volume. A quantity. @default none but the pod's memory limit */
    sharedMemory?: Input<string>;
    /** How the ranks are spread over the nodes. @default Placement.Spread */
    placement?: Input<Placement>;
    /** Folder in which the command starts. @default the image's */
    workingDirectory?: Input<string>;
    /** `Always`, `IfNotPresent` or `Never`. @default Kubernetes' */
    imagePullPolicy?: Input<string>;
    /** Names of Secrets in the same namespace. */
    imagePullSecrets?: Input<Input<string>[]>;
    /** Labels of the Job and its pods. */
    labels?: Input<{ [name: string]: Input<string> }>;
    /** Annotations of the pods. */
    annotations?: Input<{ [name: string]: Input<string> }>;
    /** Annotations of the Job. */
    jobAnnotations?: Input<{ [name: string]: Input<string> }>;
    /** Labels that a node must have to get a rank. @default none */
    nodeSelector?: Input<{ [name: string]: Input<string> }>;
    /** Taints of nodes that the pods put up with. @default none */
    tolerations?: Input<Input<TolerationArgs>[]>;
    /** A Kubernetes Affinity; it replaces the one that `placement` makes. */
    affinity?: Input<{ [name: string]: any }>;
    /** Scheduler of the pods. @default Kubernetes' own */
    schedulerName?: Input<string>;
    /** PriorityClass of the pods. @default the Kubernetes cluster's */
    priorityClassName?: Input<string>;
    /** RuntimeClass of the pods, for example `nvidia`. @default the nodes' */
    runtimeClassName?: Input<string>;
    /** ServiceAccount of the pods. @default "default" */
    serviceAccountName?: Input<string>;
    /** Give the pods a token of their service account. @default false */
    automountServiceAccountToken?: Input<boolean>;
    /**
     * Run as this user from the start, also in images that don't know it. It doesn't go with another
     * `podSecurityContext.runAsUser`. @default the image's user
     */
    user?: Input<UserArgs>;
    /** A Kubernetes PodSecurityContext. For a user other than root give `runAsUser`; `fsGroup` follows it. */
    podSecurityContext?: Input<{ [name: string]: any }>;
    /** A Kubernetes SecurityContext of the container. */
    securityContext?: Input<{ [name: string]: any }>;
    /** Further volumes and where they are mounted. @default none */
    volumes?: Input<Input<VolumeArgs>[]>;
    /**
     * How ranks, and the programs on them, find each other by name. `hosts` takes one more port, the one after the
     * broker's. @default Network.Service
     */
    network?: Input<Network>;
    /**
     * Host names are full: `hostname` prints NAME-0.NAME.NAMESPACE.svc.DOMAIN, and so says broker.toml. Linux takes up to
     * 64 characters. @see https://kubernetes.io/docs/concepts/services-networking/dns-pod-service/#pod-s-sethostnameasfqdn-field
     * @default false
     */
    fqdn?: Input<boolean>;
    /** Containers beside the broker. @default none */
    sidecars?: Input<Input<SidecarArgs>[]>;
    /** Programs in a pod beside the cluster, that all ranks share. @default none */
    services?: Input<Input<ServiceArgs>[]>;
    /** Use the nodes' network. The broker's port must be free there. @default false */
    hostNetwork?: Input<boolean>;
    /** Leave the pods to a service mesh. @default false: they ask Istio and Linkerd to stay out */
    serviceMesh?: Input<boolean>;
    /** Admit connections from the cluster's own pods only, and from `restful.clients` to that server. @default false */
    networkPolicy?: boolean;
    /** Domain of the Kubernetes cluster. @default "cluster.local" */
    clusterDomain?: Input<string>;

    /** Bash scripts that run in the pods around the brokers. @default none */
    hooks?: Input<HooksArgs>;
    /** Settings of the Flux brokers. */
    broker?: Input<BrokerArgs>;
    /** The Flux RESTful server of a cluster without a command. @default it runs, with a user and a token */
    restful?: Input<RestfulArgs>;
    /** Where the queue of a cluster without a command outlives it. @default nowhere: it is lost with rank 0's pod */
    archive?: Input<ArchiveArgs>;
    /**
     * Seconds that running jobs get to end by themselves when a cluster without a command, or one of its ranks, is taken
     * away; what still runs then is cancelled. Nothing new starts meanwhile. @default 0: they are cancelled at once
     */
    drainTimeout?: Input<number>;
    /**
     * A MUNGE key in every pod at /etc/munge/munge.key, and munged where the image has it.
     * @see https://github.com/dun/munge/wiki @default false, unless `mungeSecret` is given
     */
    munge?: Input<boolean>;
    /** Name of a Secret in the same namespace whose key `munge.key` is the MUNGE key. @default one is made */
    mungeSecret?: Input<string>;

    /** Hold the Job: its pods are ended, or not started. @default false */
    suspend?: Input<boolean>;
    /** Name of a Kueue LocalQueue. It then decides on suspension and scheduling. */
    queue?: Input<string>;
    /** Seconds from its start after which Kubernetes ends the Job. @default none */
    deadlineSeconds?: Input<number>;
    /** Seconds from its end after which Kubernetes removes the Job. @default never */
    ttlSecondsAfterFinished?: Input<number>;
    /** Failed pods that are replaced before the Job fails. @default 0 with a command, else no limit */
    backoffLimit?: Input<number>;
    /**
     * Seconds that a pod gets for an orderly end.
     * @default 10 with a command, else 20, and `drainTimeout`, and 10 with `archive`
     */
    terminationGracePeriodSeconds?: Input<number>;

    /** What an update waits for. @default WaitFor.Completed with a command, else WaitFor.Ready */
    waitFor?: Input<WaitFor>;
    /** How long what may heal by itself gets, in seconds. */
    timeouts?: Input<TimeoutsArgs>;
    /** What the `output` output keeps of rank 0's log. */
    output?: OutputArgs;
    /** Values; when one changes, the Job is run again. */
    triggers?: Input<any[]>;
    /** Run a Job that failed again on the next update. @default true */
    rerunFailed?: Input<boolean>;
    /** What an update does that has to end a running command. @default Interrupt.Refuse */
    interrupt?: Input<Interrupt>;
    /**
     * Who makes the CURVE key. `pod` and `initContainer` run `flux keygen` of the image.
     * @see https://flux-framework.readthedocs.io/projects/flux-core/en/latest/man1/flux-keygen.html
     * @default Keygen.Native
     */
    keygen?: Keygen;
    /** A certificate of your own, as `flux keygen` writes it; a secret. @default one is made, see `keygen` */
    certificate?: Input<string>;
    /** Name of a Secret in the same namespace whose key `curve.cert` is the certificate. @default one is made, see `keygen` */
    certificateSecret?: Input<string>;
    /** A value; when it changes, the cluster gets a new CURVE key and starts anew. */
    rotate?: Input<string>;
    /**
     * Patch of the Job's pod template, for what no argument covers: objects are merged, lists of named items are merged
     * by name, other lists and values are replaced, null removes. The container is called `flux`.
     */
    podTemplate?: Input<{ [name: string]: any }>;
}

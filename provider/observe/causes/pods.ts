/** What a user can do about a problem of a pod. */
interface Cure {
    /** Words of the problem. The first rule that matches is used. */
    readonly words: RegExp;
    /** In the Markdown of docs/troubleshooting.md. */
    readonly cure: string;
    /** The cure as a sentence of its own, without Markdown, for a failure's text. */
    readonly sentence?: string;
    /** Only for a problem that lasts until a user changes something, or only for one that may pass. */
    readonly lasts?: boolean;
}

const SAYS = "as the message says";
const AMOUNTS = "other `resources`; for containers named `flux-...`, `resources` in `podTemplate.spec.initContainers`";
const CREATE = "create it; in the program, with `dependsOn`";

/** The API server refuses the pod. */
const CREATION: readonly Cure[] = [
    { words: /exceeded quota/, lasts: true, cure: "smaller `resources` or `size`, or a larger quota" },
    { words: /exceeded quota/, cure: "none if the other pods end; `queueName` with Kueue" },
    { words: /failed quota: \S+ must specify/, cure: "`resources.limits`" },
    { words: /maximum \S+ usage per /, cure: "smaller `resources.limits`" },
    {
        words: /minimum \S+ usage per Container|limit to request ratio per Container/,
        cure: AMOUNTS,
        sentence:
            "If the amount isn't of the arguments, it is of a small container flux-... of the cluster's own: change its " +
            "resources in podTemplate.spec.initContainers, by its name.",
    },
    { words: /minimum \S+ usage per |limit to request ratio/, cure: AMOUNTS },
    {
        words: /violates? PodSecurity/,
        cure: "the fields that the message names; [security.md](security.md) for *restricted*",
    },
    { words: /serviceaccount "[^"]*" not found/, cure: "create it; `serviceAccountName`" },
    { words: /no PriorityClass with name/, cure: "create it; `priorityClassName`" },
    { words: /RuntimeClass "[^"]*" not found/, cure: "create it; `runtimeClassName`" },
    { words: /denied the request/, cure: SAYS },
    { words: /failed calling webhook/, cure: "none while it starts; else repair or remove the webhook" },
];

/** The pod gets no node. */
const SCHEDULING: readonly Cure[] = [
    { words: /its PodGroup \S+ may not exist/, cure: "create the PodGroup; a `minCount` of at most `size`" },
    {
        words: /minCount \(\d+\)/,
        cure: "none if other pods end; else a smaller `minCount` or `resources.requests`, or more nodes",
    },
    { words: /no scheduler named/, cure: "`schedulerName`, or install the scheduler" },
    { words: /scheduling gates? "/, cure: "the controller that removes the gate; `podTemplate`" },
    { words: /instance type|pod group/, cure: SAYS },
    { words: /bound to non-existent persistentvolume/, cure: "recreate the claim" },
    { words: /persistentvolumeclaim "[^"]*" not found/, cure: CREATE },
    { words: /storageclass\S* "[^"]*" not found/, cure: "create the class; the class of the claim" },
    {
        words: /failed to provision volume.* code = InvalidArgument/,
        cure: "the parameters of the class, or the claim's size and access mode",
    },
    { words: /failed to provision volume/, cure: SAYS },
    {
        words: /unbound immediate PersistentVolumeClaims/,
        cure: "`kubectl describe pvc`; a storage class that makes volumes, or a volume for the claim",
    },
];

/** Reasons of nodes, of which a scheduler tells all in one message. */
const NODE_REASONS: readonly Cure[] = [
    {
        // Kubernetes 1.31 says it in the first way, 1.36 in the second.
        words: /volume node affinity conflict|didn't match PersistentVolume's node affinity/,
        cure: "nodes in the volume's zone, or a class with `WaitForFirstConsumer`",
    },
    { words: /untolerated taint/, cure: "`tolerations`" },
    { words: /pod anti-affinity rules/, cure: "more nodes, or another `placement` than `exclusive`" },
    {
        words: /Insufficient |Too many pods/,
        cure: "smaller `resources.requests`; more nodes, and a longer limit while they are created",
    },
    { words: /node affinity\/selector/, cure: "`nodeSelector`, `affinity`" },
];

/** The node can't prepare the pod. */
const NODES: readonly Cure[] = [
    {
        words: /^the kubelet of node \S+ has not looked/,
        cure: "none if Kubernetes gives up the node; `kubectl describe node`",
    },
    { words: /kubectl taint node/, cure: "none if the node comes back; else as the message says" },
    { words: /was refused by .*: OutOf/, cure: "none: Kubernetes creates the pod again" },
    { words: /unhealthy devices|no healthy devices/, cure: "the node's device plugin and driver" },
    {
        words: /TopologyAffinityError/,
        cure: "`resources` that fit into one NUMA node, or another policy of the kubelet",
    },
    {
        words: /SysctlForbidden/,
        cure: "`podSecurityContext.sysctls`, or the kubelet's `--allowed-unsafe-sysctls`",
    },
    { words: /configmap "kube-root-ca\.crt" not found|failed to sync \S+ cache/, cure: "none" },
    { words: /references non-existent (?:secret|config) key|couldn't find key/, cure: "the key's name" },
    { words: /(?:secret|configmap) "[^"]*" not found/, cure: CREATE },
    {
        words: /hostPath type check failed/,
        cure: "none if a DaemonSet mounts it; nodes that have it (`nodeSelector`), or another path",
    },
    { words: /mount\.nfs: Connection timed out/, cure: "the server, its name and the network" },
    { words: /access denied by server/, cure: "the server's exports" },
    { words: /\/sbin\/mount\.<type> helper/, cure: "none if a DaemonSet installs it; else install it on the nodes" },
    { words: /list of registered CSI drivers/, cure: "install the driver; none while it starts" },
    { words: /has volumeMode \w+, but is specified/, cure: "a claim with `volumeMode: Filesystem`" },
    { words: /code = InvalidArgument/, cure: "the attributes of the volume or of its class" },
    {
        words: /Multi-Attach error/,
        cure: "a volume that all nodes can mount (`ReadWriteMany`); after the loss of a node, none: it takes 6 minutes",
    },
    { words: /waiting for external-attacher/, cure: "a longer limit" },
    {
        words: /no runtime for "/,
        cure: "none if a DaemonSet installs it; nodes with that runtime, or another `runtimeClassName`",
    },
    { words: /[Nn]etwork plugin returns error/, cure: "none while it starts; else the network plugin of the node" },
    { words: /failed to assign an IP address/, cure: "larger subnets, fewer pods on a node" },
];

/** A container can't start. */
const CONTAINERS: readonly Cure[] = [
    { words: /ErrImageNeverPull/, cure: "`imagePullPolicy`, or load the image into the nodes" },
    { words: /InvalidImageName/, cure: "`image`" },
    {
        words: /ErrImagePull|ImagePullBackOff|RegistryUnavailable|SignatureValidationFailed/,
        cure: "`image`, `imagePullSecrets`; a longer limit if the registry is slow",
    },
    { words: /runAsNonRoot|non-root policy/, cure: "`podSecurityContext.runAsUser`" },
    {
        words: /exec: "\/bin\/sh": /,
        cure: SAYS,
        sentence:
            "The scripts of MiniCluster need /bin/sh. Use an image that has it, and mount no volume over /bin, /lib or /usr.",
    },
    { words: /executable file not found in \$PATH/, cure: "the path, or another image" },
    { words: /context deadline exceeded/, cure: "none, unless it lasts" },
    {
        words: /error mounting .*read-only file system/,
        cure: SAYS,
        sentence:
            "A volume that is read-only is mounted over a folder in which another mount needs a folder of its own. Use " +
            "another mountPath, or create the folder in the volume.",
    },
    {
        words: /error during container init: mkdir .*not a directory/,
        cure: SAYS,
        sentence: "The working directory is a file, or is below one. Set workingDir to a folder.",
    },
];

/**
 * The kubelet evicts the pod.
 * @see https://github.com/kubernetes/kubernetes/blob/master/pkg/kubelet/eviction/helpers.go
 */
const EVICTIONS: readonly Cure[] = [
    {
        words: /exceeded its local ephemeral storage limit|local storage usage exceeds/,
        cure: SAYS,
        sentence: 'Raise resources.limits["ephemeral-storage"], or write to a volume.',
    },
    { words: /^Usage of EmptyDir volume /, cure: SAYS, sentence: "Raise its sizeLimit, or write less." },
];

const CURES = [...CREATION, ...SCHEDULING, ...NODES, ...CONTAINERS, ...EVICTIONS];

/** What a user can do about a problem, by its message; a problem may last until then, or pass by itself. */
export function cureOf(message: string, lasts = false): string {
    const found = CURES.find((each) => each.words.test(message) && (each.lasts ?? lasts) === lasts)?.cure;
    const ofNodes = NODE_REASONS.filter(({ words }) => words.test(message)).map(({ cure }) => cure);
    return found ?? (ofNodes.length > 0 ? ofNodes.join("; ") : SAYS);
}

/** What the user can change about a problem: a sentence after its message, or nothing. */
export function sentenceOf(message: string): string {
    const found = CURES.find(({ sentence, words }) => sentence !== undefined && words.test(message));
    return found === undefined ? "" : ` ${found.sentence}`;
}

/** A cure without its Markdown, for a terminal. */
export function plainCure(cure: string): string {
    return cure.replace(/\[[^\]]*\]\((\S+?)\)/g, "docs/$1").replaceAll(/[`*]/g, "");
}

/** What a user can change about a problem that lasts; undefined if its message says that itself. */
export function knownCureOf(message: string): string | undefined {
    const cure = cureOf(message, true);
    return cure === SAYS ? undefined : plainCure(cure);
}

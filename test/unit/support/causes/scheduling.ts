import { CLAIM, type Cause, ofClaim, unschedulable, warning, withoutNode } from "./cause";

const GATED = { schedulingGates: [{ name: "example.com/licence" }] };
const UNBOUND = "0/3 nodes are available: pod has unbound immediate PersistentVolumeClaims.";

export const scheduling: readonly Cause[] = [
    {
        cause: "a scheduler that nobody runs",
        pod: withoutNode({}, { schedulerName: "fluence" }),
        limit: "unschedulable",
    },
    {
        cause: "a PodGroup that doesn't exist, or is too large",
        pod: withoutNode({}, { schedulerName: "default-scheduler", schedulingGroup: { podGroupName: "lammps" } }),
        limit: "unschedulable",
    },
    {
        cause: "a PodGroup without room for `minCount` pods",
        pod: unschedulable("minCount (4) cannot be satisfied: 2 scheduled, 1 remaining"),
        limit: "unschedulable",
    },
    {
        cause: "a scheduling gate",
        pod: withoutNode({ conditions: [{ type: "PodScheduled", status: "False", reason: "SchedulingGated" }] }, GATED),
        limit: "unschedulable",
    },
    {
        cause: "too little room",
        pod: unschedulable("0/3 nodes are available: 3 Insufficient cpu."),
        limit: "unschedulable",
    },
    {
        cause: "a taint",
        pod: unschedulable("0/3 nodes are available: 3 node(s) had untolerated taint {gpu: only}."),
        limit: "unschedulable",
    },
    {
        cause: "a selector that no node matches",
        pod: unschedulable("0/3 nodes are available: 3 node(s) didn't match Pod's node affinity/selector."),
        limit: "unschedulable",
    },
    {
        cause: "another scheduler's reason, for example a group that doesn't fit",
        pod: withoutNode({}, { schedulerName: "volcano" }),
        events: [warning("FailedScheduling", "3/4 tasks in gang unschedulable: pod group is not ready", "volcano")],
        limit: "unschedulable",
    },
    {
        cause: "an autoscaler that can't make a node",
        pod: unschedulable("0/3 nodes are available: 3 Insufficient nvidia.com/gpu."),
        events: [warning("FailedScheduling", "no instance type satisfied resources", "karpenter")],
        limit: "unschedulable",
    },
    {
        cause: "a claim that doesn't exist",
        pod: unschedulable('0/3 nodes are available: persistentvolumeclaim "data" not found.', CLAIM),
        limit: "unschedulable",
    },
    {
        cause: "a claim whose volume was deleted",
        pod: unschedulable(
            '0/3 nodes are available: persistentvolumeclaim "data" bound to non-existent persistentvolume "pv-7".',
            CLAIM,
        ),
        limit: "podCreation",
    },
    {
        cause: "a claim without a volume",
        pod: unschedulable(UNBOUND, CLAIM),
        limit: "unschedulable",
    },
    {
        cause: "a claim whose storage class doesn't exist",
        pod: unschedulable(UNBOUND, CLAIM),
        events: [ofClaim("ProvisioningFailed", 'storageclass.storage.k8s.io "fast" not found')],
        limit: "unschedulable",
    },
    {
        cause: "a provisioner with an error that may pass",
        pod: unschedulable(UNBOUND, CLAIM),
        events: [
            ofClaim(
                "ProvisioningFailed",
                'failed to provision volume with StorageClass "fast": rpc error: code = ResourceExhausted desc = no capacity left in the pool',
            ),
        ],
        limit: "unschedulable",
    },
    {
        cause: "a provisioner that refuses the claim",
        pod: unschedulable(UNBOUND, CLAIM),
        events: [
            ofClaim(
                "ProvisioningFailed",
                'failed to provision volume with StorageClass "fast": rpc error: code = InvalidArgument desc = unknown parameter "tier"',
            ),
        ],
        limit: "podCreation",
    },
    {
        cause: "a volume in another zone",
        pod: unschedulable("0/3 nodes are available: 3 node(s) had volume node affinity conflict.", CLAIM),
        limit: "unschedulable",
    },
    {
        cause: "the same, in the words of Kubernetes 1.36",
        pod: unschedulable("0/3 nodes are available: 3 node(s) didn't match PersistentVolume's node affinity.", CLAIM),
        limit: "unschedulable",
    },
    {
        cause: "more exclusive ranks than nodes",
        pod: unschedulable("0/3 nodes are available: 3 node(s) didn't match pod anti-affinity rules."),
        limit: "unschedulable",
    },
];

import { CLAIM, type Cause, ofClaim, unschedulable, warning, withoutNode } from "./cause";

const GATED = { schedulingGates: [{ name: "example.com/licence" }] };
const UNBOUND = "0/3 nodes are available: pod has unbound immediate PersistentVolumeClaims.";

export const scheduling: readonly Cause[] = [
    {
        cause: "a scheduler that nobody runs",
        pod: withoutNode({}, { schedulerName: "fluence" }),
        limit: "unschedulable",
        cure: "`schedulerName`, or install the scheduler",
    },
    {
        cause: "a scheduling gate",
        pod: withoutNode({ conditions: [{ type: "PodScheduled", status: "False", reason: "SchedulingGated" }] }, GATED),
        limit: "unschedulable",
        cure: "the controller that removes the gate; `podTemplate`",
    },
    {
        cause: "too little room",
        pod: unschedulable("0/3 nodes are available: 3 Insufficient cpu."),
        limit: "unschedulable",
        cure: "smaller `resources.requests`; more nodes, and a longer limit while they are created",
    },
    {
        cause: "a taint",
        pod: unschedulable("0/3 nodes are available: 3 node(s) had untolerated taint {gpu: only}."),
        limit: "unschedulable",
        cure: "`tolerations`",
    },
    {
        cause: "a selector that no node matches",
        pod: unschedulable("0/3 nodes are available: 3 node(s) didn't match Pod's node affinity/selector."),
        limit: "unschedulable",
        cure: "`nodeSelector`, `affinity`",
    },
    {
        cause: "another scheduler's reason, for example a group that doesn't fit",
        pod: withoutNode({}, { schedulerName: "volcano" }),
        events: [warning("FailedScheduling", "3/4 tasks in gang unschedulable: pod group is not ready", "volcano")],
        limit: "unschedulable",
        cure: "as the message says",
    },
    {
        cause: "an autoscaler that can't make a node",
        pod: unschedulable("0/3 nodes are available: 3 Insufficient nvidia.com/gpu."),
        events: [warning("FailedScheduling", "no instance type satisfied resources", "karpenter")],
        limit: "unschedulable",
        cure: "as the message says",
    },
    {
        cause: "a claim that doesn't exist",
        pod: unschedulable('0/3 nodes are available: persistentvolumeclaim "data" not found.', CLAIM),
        limit: "unschedulable",
        cure: "create it; in the program, with `dependsOn`",
    },
    {
        cause: "a claim whose volume was deleted",
        pod: unschedulable(
            '0/3 nodes are available: persistentvolumeclaim "data" bound to non-existent persistentvolume "pv-7".',
            CLAIM,
        ),
        limit: "podCreation",
        cure: "recreate the claim",
    },
    {
        cause: "a claim without a volume",
        pod: unschedulable(UNBOUND, CLAIM),
        limit: "unschedulable",
        cure: "`kubectl describe pvc`; a storage class that makes volumes, or a volume for the claim",
    },
    {
        cause: "a claim whose storage class doesn't exist",
        pod: unschedulable(UNBOUND, CLAIM),
        events: [ofClaim("ProvisioningFailed", 'storageclass.storage.k8s.io "fast" not found')],
        limit: "unschedulable",
        cure: "create the class; the class of the claim",
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
        cure: "as the message says",
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
        cure: "the parameters of the class, or the claim's size and access mode",
    },
    {
        cause: "a volume in another zone",
        pod: unschedulable("0/3 nodes are available: 3 node(s) had volume node affinity conflict.", CLAIM),
        limit: "unschedulable",
        cure: "nodes in the volume's zone, or a class with `WaitForFirstConsumer`",
    },
];

import { type Cause, preparing, refused, warning } from "./cause";

const mount = (volume: string, why: string) => [
    warning("FailedMount", `MountVolume.SetUp failed for volume "${volume}" : ${why}`),
];
const sandbox = (why: string) => [warning("FailedCreatePodSandBox", `Failed to create pod sandbox: ${why}`)];
const attach = (why: string) => [
    warning("FailedAttachVolume", `AttachVolume.Attach failed for volume "pv-7" : ${why}`, "attachdetach-controller"),
];
const nfs = (why: string) =>
    mount(
        "scratch",
        `mount failed: exit status 32\nMounting command: mount\nMounting arguments: -t nfs files:/scratch /var/lib/kubelet/pods/0a1b2c3d-0a1b-0a1b-0a1b-0a1b2c3d4e5f/volumes/kubernetes.io~nfs/scratch\nOutput: ${why}`,
    );

export const nodes: readonly Cause[] = [
    {
        cause: "a kubelet that doesn't answer",
        pod: preparing({ startTime: undefined, containerStatuses: undefined }),
        limit: "podStart",
    },
    {
        cause: "a node with less room than the scheduler knows",
        pod: refused(
            "OutOfcpu",
            "Node didn't have enough resource: cpu, requested: 4000, used: 61000, capacity: 64000",
        ),
        limit: "podStart",
    },
    {
        cause: "a device that isn't healthy",
        pod: refused(
            "UnexpectedAdmissionError",
            "Allocate failed due to no healthy devices present; cannot allocate unhealthy devices nvidia.com/gpu, which is unexpected",
        ),
        limit: "podStart",
    },
    {
        cause: "a node whose CPUs don't fit its topology policy",
        pod: refused("TopologyAffinityError", "Resources cannot be allocated with Topology locality"),
        limit: "podStart",
    },
    {
        cause: "a sysctl that the node doesn't allow",
        pod: refused("SysctlForbidden", 'forbidden sysctl: "kernel.shm_rmid_forced" not allowlisted'),
        limit: "podCreation",
    },
    {
        cause: "a Secret that doesn't exist",
        pod: preparing(),
        events: mount("licence", 'secret "licence" not found'),
        limit: "podStart",
    },
    {
        cause: "a ConfigMap that doesn't exist",
        pod: preparing(),
        events: mount("input", 'configmap "input" not found'),
        limit: "podStart",
    },
    {
        cause: "a key that isn't in the Secret (`config key` in a ConfigMap)",
        pod: preparing(),
        events: mount("licence", "references non-existent secret key: licence.dat"),
        limit: "podStart",
    },
    {
        cause: "a kubelet that hasn't read the Secret yet",
        pod: preparing(),
        events: mount("licence", "failed to sync secret cache: timed out waiting for the condition"),
        limit: "podStart",
    },
    {
        cause: "a new namespace",
        pod: preparing(),
        events: mount("kube-api-access-x7k2p", 'configmap "kube-root-ca.crt" not found'),
        limit: "podStart",
    },
    {
        cause: "a folder that the node doesn't have",
        pod: preparing(),
        events: mount("lustre", "hostPath type check failed: /lustre is not a directory"),
        limit: "podStart",
    },
    {
        cause: "a file server that doesn't answer",
        pod: preparing(),
        events: nfs("mount.nfs: Connection timed out"),
        limit: "podStart",
    },
    {
        cause: "a file server that refuses the node",
        pod: preparing(),
        events: nfs("mount.nfs: access denied by server while mounting files:/scratch"),
        limit: "podStart",
    },
    {
        cause: "a node without the mount program or the kernel module",
        pod: preparing(),
        events: nfs(
            "mount: bad option; for several filesystems (e.g. nfs, cifs) you might need a /sbin/mount.<type> helper program; wrong fs type, bad option, bad superblock on files:/scratch",
        ),
        limit: "podStart",
    },
    {
        cause: "a CSI driver that isn't there, or starts later",
        pod: preparing(),
        events: [
            warning(
                "FailedMount",
                'MountVolume.MountDevice failed for volume "pv-7" : kubernetes.io/csi: attacher.MountDevice failed to create newCsiDriverClient: driver name fsx.csi.aws.com not found in the list of registered CSI drivers',
            ),
        ],
        limit: "podStart",
    },
    {
        cause: "a claim of a block device that is mounted as a folder",
        pod: preparing(),
        events: [
            warning(
                "FailedMount",
                "Unable to attach or mount volumes: unmounted volumes=[data], unattached volumes=[], failed to process volumes=[data]: volume data has volumeMode Block, but is specified in volumeMounts",
            ),
        ],
        limit: "podCreation",
    },
    {
        cause: "a CSI driver that refuses the volume's attributes",
        pod: preparing(),
        events: mount("pv-7", 'rpc error: code = InvalidArgument desc = unknown attribute "tier"'),
        limit: "podCreation",
    },
    {
        cause: "a CSI driver with another error",
        pod: preparing(),
        events: mount("pv-7", "rpc error: code = Internal desc = could not mount fs-0a1b: mount target is not ready"),
        limit: "podStart",
    },
    {
        cause: "a volume that another node still has",
        pod: preparing(),
        events: [
            warning(
                "FailedAttachVolume",
                'Multi-Attach error for volume "pv-7" Volume is already exclusively attached to one node and can\'t be attached to another',
                "attachdetach-controller",
            ),
        ],
        limit: "podStart",
    },
    {
        cause: "a volume that is attached slowly",
        pod: preparing(),
        events: attach("timed out waiting for external-attacher of ebs.csi.aws.com CSI driver to attach volume vol-7"),
        limit: "podStart",
    },
    {
        cause: "a RuntimeClass whose runtime the node doesn't have",
        pod: preparing(),
        events: sandbox(
            'rpc error: code = Unknown desc = failed to get sandbox runtime: no runtime for "ghost" is configured',
        ),
        limit: "podStart",
    },
    {
        cause: "a node whose network starts",
        pod: preparing(),
        events: [
            warning(
                "NetworkNotReady",
                "network is not ready: container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:Network plugin returns error: cni plugin not initialized",
            ),
        ],
        limit: "podStart",
    },
    {
        cause: "a network plugin that has no address left",
        pod: preparing(),
        events: sandbox(
            'rpc error: code = Unknown desc = failed to setup network for sandbox "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08": plugin type="aws-cni" name="aws-cni" failed (add): add cmd: failed to assign an IP address to container',
        ),
        limit: "podStart",
    },
];

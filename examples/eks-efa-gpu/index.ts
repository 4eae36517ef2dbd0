import * as kubernetes from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { MiniCluster, Placement } from "flux-minicluster";

const config = new pulumi.Config();
const namespace = config.get("namespace") ?? "default";
const size = config.getNumber("size") ?? 2;
const claim = config.get("claim");

// Resources of one node of the instance type, less a few cores and some memory for the system. Defaults: p5.48xlarge.
const instanceType = config.get("instanceType") ?? "p5.48xlarge";
const gpus = config.getNumber("gpus") ?? 8;
const efas = config.getNumber("efas") ?? 32;
const cpus = config.getNumber("cpus") ?? 176;
const memory = config.get("memory") ?? "1800Gi";

// A secret, because the state would contain a plain text unencrypted. Without a kubeconfig, both the provider and the
// MiniCluster use KUBECONFIG or ~/.kube/config.
const kubeconfig = config.getSecret("kubeconfig");
const eks = new kubernetes.Provider("eks", { kubeconfig, namespace });

const cluster = new MiniCluster(
    "train",
    {
        image: config.get("image") ?? "ghcr.io/example/nccl-tests-flux:latest",
        size,
        kubeconfig,
        // One task for each GPU of each node.
        command: config.getObject<string[]>("command") ?? [
            "all_reduce_perf",
            "-b",
            "8",
            "-e",
            "1G",
            "-f",
            "2",
            "-g",
            "1",
        ],
        tasks: size * gpus,
        gpusPerTask: 1,
        coresPerTask: Math.floor(cpus / gpus),

        resources: {
            // A CPU limit would be a quota. The node has no other pods that need CPUs.
            requests: { cpu: String(cpus) },
            limits: {
                memory,
                "nvidia.com/gpu": String(gpus),
                "vpc.amazonaws.com/efa": String(efas),
                // EFA registers its buffers in huge pages.
                "hugepages-2Mi": "5120Mi",
            },
        },
        sharedMemory: config.get("sharedMemory") ?? "64Gi",

        // One rank on a node, all in one zone: EFA does not cross zones.
        placement: Placement.Exclusive,
        nodeSelector: {
            "node.kubernetes.io/instance-type": instanceType,
            "topology.kubernetes.io/zone": config.get("zone") ?? "us-east-1a",
        },
        tolerations: [{ key: "nvidia.com/gpu", operator: "Exists", effect: "NoSchedule" }],

        // Time for GPU nodes that are created on demand, and for a large image.
        timeouts: { ready: 3600, unschedulable: 1800, imagePull: 600 },

        environment: { FI_PROVIDER: "efa", FI_EFA_USE_DEVICE_RDMA: "1", NCCL_DEBUG: "WARN" },
        volumes: claim === undefined ? [] : [{ name: "data", mountPath: "/data", persistentVolumeClaim: claim }],

        // Accepted in namespaces that enforce the Pod Security Standard "restricted".
        podSecurityContext: { runAsUser: 1000, runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
        securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
    },
    { providers: [eks] },
);

export const output = cluster.output;
export const slowestRank = cluster.slowestRank;
export const timings = cluster.timings;

import { readFileSync } from "node:fs";
import { join } from "node:path";

import * as kubernetes from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { MiniCluster, OnRankLoss, Placement } from "flux-minicluster";

const config = new pulumi.Config();
const size = config.getNumber("size") ?? 2;
// GPUs of each rank; 0 for training on CPUs.
const gpus = config.getNumber("gpus") ?? 0;

const program = new kubernetes.core.v1.ConfigMap("program", {
    data: { "train.py": readFileSync(join(__dirname, "train.py"), "utf8") },
});

const cluster = new MiniCluster("train", {
    image: config.require("image"),
    size,
    tasks: size * Math.max(1, gpus),
    gpusPerTask: gpus > 0 ? 1 : undefined,
    command: ["python3", "/program/train.py"],
    // MASTER_ADDR, RANK and the others, by which the processes find each other.
    rendezvous: {},

    // When Kubernetes removes a pod, the command waits for the new one and starts again. Before, it has 30 s to save its state.
    onRankLoss: OnRankLoss.Rerun,
    checkpoint: { seconds: 30 },
    volumes: [
        { name: "program", mountPath: "/program", configMap: program.metadata.name },
        { name: "data", mountPath: "/data", persistentVolumeClaim: config.get("claim") ?? "data" },
    ],
    environment: {
        CHECKPOINT: "/data/checkpoint.pt",
        STEPS: String(config.getNumber("steps") ?? 600),
        SAVE_EVERY: String(config.getNumber("saveEvery") ?? 50),
        STEP_SECONDS: config.get("stepSeconds") ?? "0.1",
        OMP_NUM_THREADS: "1",
    },

    ...(gpus > 0 && {
        placement: Placement.Exclusive,
        resources: { limits: { "nvidia.com/gpu": String(gpus) } },
        // Data loaders exchange batches through it.
        sharedMemory: "8Gi",
    }),
    // Nodes that may be taken away: docs/nodes.md.
    tolerations: [
        { key: "nvidia.com/gpu", operator: "Exists", effect: "NoSchedule" },
        ...(config.getObject<{ key: string; operator: string; effect: string }[]>("tolerations") ?? []),
    ],
    nodeSelector: config.getObject<Record<string, string>>("nodeSelector"),
});

export const output = cluster.output;
export const timings = cluster.timings;
export const progress = cluster.progress;
export { cluster };

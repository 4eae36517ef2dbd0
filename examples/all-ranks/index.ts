import * as pulumi from "@pulumi/pulumi";
import { MiniCluster } from "flux-minicluster";

const config = new pulumi.Config();
const size = config.getNumber("size") ?? 4;
const tasks = config.getNumber("tasks") ?? 2 * size;

// Flux sets FLUX_TASK_RANK and FLUX_JOB_SIZE in every task. Only the task's own bash expands them.
const hello = ["bash", "-c", 'echo "task $FLUX_TASK_RANK of $FLUX_JOB_SIZE on $(hostname)"'];

const cluster = new MiniCluster("ranks", {
    image: config.require("image"),
    size,
    tasks,
    command: config.getObject<string[]>("command") ?? hello,
    // Two cores, so two tasks, for each rank. By default Flux counts the CPUs of the request.
    cores: Math.ceil(tasks / size),
    // Small, so that the example fits a small machine.
    resources: { requests: { cpu: "50m" } },
});

export const output = cluster.output;
export const nodes = cluster.nodes;
export const timings = cluster.timings;

import * as pulumi from "@pulumi/pulumi";
import { MiniCluster } from "flux-minicluster";

const config = new pulumi.Config();
const cpu = config.get("cpu") ?? "1";
const priority = config.get("priority");

// Kueue starts all pods together, or none. The quota of the queue counts the requests.
const cluster = new MiniCluster("flux", {
    image: config.require("image"),
    size: config.getNumber("size") ?? 2,
    maxSize: config.getNumber("maxSize") ?? 8,
    queueName: config.get("queue") ?? "jobs",
    labels: priority === undefined ? {} : { "kueue.x-k8s.io/priority-class": priority },
    resources: { requests: { cpu } },
});

export const phase = cluster.phase;
export const timings = cluster.timings;

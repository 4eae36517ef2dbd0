import * as pulumi from "@pulumi/pulumi";
import { MiniCluster } from "flux-minicluster";

const config = new pulumi.Config();

// Four brokers form one Flux instance. Each of four tasks prints the name of its pod.
const cluster = new MiniCluster("hello", {
    image: config.require("image"),
    size: 4,
    command: ["hostname"],
});

export const endpoint = cluster.endpoint;
export const output = cluster.output;
export const exitCode = cluster.exitCode;
export const nodes = cluster.nodes;
export const timings = cluster.timings;

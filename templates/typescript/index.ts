import * as pulumi from "@pulumi/pulumi";
import { MiniCluster } from "flux-minicluster";

const config = new pulumi.Config();

// The brokers form one Flux instance. Each of the tasks prints the name of its pod.
const cluster = new MiniCluster("hello", {
    image: config.require("image"),
    size: config.requireNumber("size"),
    command: ["hostname"],
});

export const output = cluster.output;
export const exitCode = cluster.exitCode;

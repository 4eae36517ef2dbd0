import * as pulumi from "@pulumi/pulumi";
import { MiniCluster } from "flux-minicluster";

const config = new pulumi.Config();

// Without a command the cluster is persistent: it runs until `pulumi destroy`. It resizes in place up to maxSize.
const cluster = new MiniCluster("flux", {
    image: config.require("image"),
    size: config.getNumber("size") ?? 2,
    maxSize: config.getNumber("maxSize") ?? 4,
});

export const forwardCommand = cluster.forwardCommand;
export const user = cluster.restfulUser;
export const token = cluster.restfulToken;
export const attachCommand = cluster.attachCommand;
export const logsCommand = cluster.logsCommand;
export const endpoint = cluster.endpoint;
export const hosts = cluster.hosts;
export const phase = cluster.phase;
export const nodes = cluster.nodes;

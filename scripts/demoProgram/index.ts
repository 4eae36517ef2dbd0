import * as pulumi from "@pulumi/pulumi";
import { MiniCluster } from "flux-minicluster";

const config = new pulumi.Config();
const command = config.getObject<string[]>("command");

// The cluster of `make demo`. Without a command, it is persistent and takes jobs.
export const cluster = new MiniCluster(command === undefined ? "flux" : "hello", {
    image: config.require("image"),
    size: config.requireNumber("size"),
    command,
    resources: { requests: { cpu: "100m" } },
    restful: { enabled: false },
});

export const output = cluster.output;

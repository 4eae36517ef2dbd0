import * as pulumi from "@pulumi/pulumi";
import { MiniCluster } from "flux-minicluster";

const config = new pulumi.Config();

const cluster = new MiniCluster("code", {
    image: config.require("image"),
    size: config.getNumber("size") ?? 2,
    // All files of this folder are on all ranks. The command starts there.
    code: { source: "src" },
    command: ["python3", "main.py"],
    // What the lead's task has written is in results/code of this folder after the update.
    results: { paths: ["out/"] },
    // Small, so that the example fits a small machine.
    resources: { requests: { cpu: "50m" } },
});

export const output = cluster.output;

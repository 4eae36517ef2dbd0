import { readFileSync } from "node:fs";
import { join } from "node:path";

import * as kubernetes from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { MiniCluster } from "flux-minicluster";

const config = new pulumi.Config();
const size = config.getNumber("size") ?? 2;

const rules = new kubernetes.core.v1.ConfigMap("rules", {
    data: { Snakefile: readFileSync(join(__dirname, "Snakefile"), "utf8") },
});

// As a launcher the command runs once, on the lead, and submits the jobs itself. It ends with the workflow.
const cluster = new MiniCluster("snakemake", {
    image: config.require("image"),
    size,
    launcher: true,
    command: [
        // This Python finds Flux' bindings, which the plugin of Snakemake needs.
        ...["flux", "python", "-m", "snakemake", "--executor", "flux", "--jobs", String(4 * size)],
        ...["--directory", "/work", "--snakefile", "/rules/Snakefile"],
        ...["--latency-wait", "30", "--rerun-incomplete"],
    ],
    volumes: [
        { name: "rules", mountPath: "/rules", configMap: rules.metadata.name },
        { name: "work", mountPath: "/work", persistentVolumeClaim: config.require("claim") },
    ],
});

export const output = cluster.output;
export const exitCode = cluster.exitCode;

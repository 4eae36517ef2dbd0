import { readFileSync } from "node:fs";
import { join } from "node:path";

import * as kubernetes from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { MiniCluster } from "flux-minicluster";

const config = new pulumi.Config();
const size = config.getNumber("size") ?? 2;

const rules = new kubernetes.core.v1.ConfigMap("rules", {
    data: { Makefile: readFileSync(join(__dirname, "Makefile"), "utf8") },
});

// As a launcher the command runs once, on the lead, and submits the jobs itself. It ends with the workflow.
const cluster = new MiniCluster("flow", {
    image: config.require("image"),
    size,
    launcher: true,
    command: ["make", "--silent", `--jobs=${4 * size}`, "--directory=/work", "--file=/rules/Makefile"],
    volumes: [
        { name: "rules", mountPath: "/rules", configMap: rules.metadata.name },
        { name: "work", mountPath: "/work", persistentVolumeClaim: config.require("claim") },
    ],
});

export const output = cluster.output;
export const exitCode = cluster.exitCode;

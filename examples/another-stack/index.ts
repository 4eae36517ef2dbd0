import * as pulumi from "@pulumi/pulumi";
import { FluxJob } from "flux-minicluster";

const config = new pulumi.Config();

// An update of this stack changes nothing in the other stack: it only reads its outputs.
const other = new pulumi.StackReference(config.require("clusterStack"));
const job = new FluxJob("more", { cluster: other.requireOutput("cluster"), command: ["hostname"], nodes: 2 });

export const output = job.output;
export const jobId = job.jobId;

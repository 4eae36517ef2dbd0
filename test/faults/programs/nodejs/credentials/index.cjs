// A MiniCluster and a FluxJob with the kubeconfig that a file has now.
const { readFileSync } = require("node:fs");
const kubernetes = require("@pulumi/kubernetes");
const pulumi = require("@pulumi/pulumi");
const { FluxJob, MiniCluster } = require("flux-minicluster");

const config = new pulumi.Config();
const kubeconfig = pulumi.secret(readFileSync(config.require("file"), "utf8"));
const provider = new kubernetes.Provider("given", { kubeconfig, clusterIdentifier: "test" });
const args = { image: config.require("image"), size: 1, restful: { enabled: false }, kubeconfig };
const cluster = new MiniCluster("given", args, { provider });
exports.output = new FluxJob("given-job", { cluster, command: ["echo", "done"] }).output;

// A MiniCluster whose name and arguments are in a file, which a test changes.
const { readFileSync } = require("node:fs");

const { MiniCluster } = require("flux-minicluster");

const { args, name } = JSON.parse(readFileSync(process.env.CLUSTER_FILE, "utf8"));
const { exitCode, phase } = new MiniCluster(name, args);
const versionOf = (name) => require(`${name}/package.json`).version;

module.exports = {
    exitCode,
    phase,
    node: process.versions.node,
    sdk: versionOf("@pulumi/pulumi"),
    kubernetes: versionOf("@pulumi/kubernetes"),
};

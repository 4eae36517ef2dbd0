// A Service of the Kubernetes plugin, with a label that a test changes.
const kubernetes = require("@pulumi/kubernetes");
const pulumi = require("@pulumi/pulumi");

const label = new pulumi.Config().require("label");

new kubernetes.core.v1.Service("plain", {
    metadata: { name: "plain", labels: { label }, annotations: { "pulumi.com/skipAwait": "true" } },
    spec: { ports: [{ port: 80 }] },
});

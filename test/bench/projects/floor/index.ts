import * as pulumi from "@pulumi/pulumi";

// The same objects as the plain program.
import "../plain";

const provider = `exports.handler = () => ({
    create: async () => ({ id: "nothing" }),
    diff: async () => ({ changes: false }),
});`;

/** A dynamic resource that does nothing: it starts Pulumi's host for dynamic resources. */
class Nothing extends pulumi.CustomResource {
    constructor(name: string) {
        super("pulumi-nodejs:dynamic:Nothing", name, { __provider: provider });
    }
}

new Nothing("nothing");

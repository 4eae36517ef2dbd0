import assert from "node:assert/strict";

import * as pulumi from "@pulumi/pulumi";

import { useNamespace } from "./support/namespace";
import { FluxJob, MiniCluster } from "./support/remote";
import { requireNoSecret } from "./support/secrets";
import { operations, type TestStack } from "./support/stack";

/** What the SDKs of other languages get. The program is in TypeScript, and the engine constructs in the plugin. */
describe("MiniCluster of the provider plugin", () => {
    const namespace = useNamespace();
    const secret = "ej3Oo0phi";
    let size = 2;
    let args: object = {};
    let stack: TestStack;

    before(() => {
        stack = namespace.stack("far", async () => {
            const cluster = new MiniCluster("far", {
                image: namespace.image,
                size,
                maxSize: 3,
                environment: { PASSWORD: pulumi.secret(secret), PLAIN: "plain" },
                tasks: null,
                ...args,
            } as never);
            const job = new FluxJob(
                "hello",
                { cluster: cluster as never, command: ["bash", "-c", 'echo "$PASSWORD" | tr a-z A-Z'] },
                { deletedWith: cluster },
            );
            return { cluster, job };
        });
    });
    afterEach(() => (args = {}));

    it("says at preview what it will create", async () => {
        const { events } = await stack.preview();
        assert.equal(operations(events)["far-job"], "create");
    });

    it("starts a cluster and runs a job on it", async () => {
        const { outputs, text } = await stack.up();
        assert.equal(outputs.cluster.phase, "ready");
        assert.equal(outputs.job.exitCode, 0);
        assert.equal(outputs.job.output, "EJ3OO0PHI\n");
        assert.match(text, /far: \d\/2 ranks joined/);
        const types = stack.resources().map(({ type }) => type);
        assert.deepEqual(
            types.filter((type) => type.startsWith("pulumi-nodejs:")),
            [],
        );
        assert(types.includes("flux-minicluster:index:IndexedJob"));
    });

    it("passes deletedWith on, and the component's own provider", () => {
        const resources = stack.resources();
        const urnOf = (ending: string) => resources.find(({ urn }) => urn.endsWith(ending));
        const submission = urnOf("::hello-submission");
        assert.equal(submission?.deletedWith, urnOf("MiniCluster::far")?.urn);
        const providers = resources.filter(({ type }) => type === "pulumi:providers:flux-minicluster");
        assert.deepEqual(
            providers.map(({ id, urn }) => `${urn}::${id}`),
            [submission?.provider],
        );
    });

    it("keeps only the secret variable out of the Job", () => {
        const job = stack.resources().find(({ type }) => type.endsWith(":IndexedJob"));
        assert.match(JSON.stringify(job?.inputs?.manifest), /"name":"PLAIN","value":"plain"/);
    });

    it("has no secret in state, output and log", async () => {
        const [key] = (await stack.decrypted()).filter(({ type }) => type.endsWith(":CurveKey"));
        requireNoSecret([...stack.files(), stack.printed], [secret, JSON.parse(key.outputs?.secretKey.plaintext)]);
    });
    it("shows no changes afterwards", async () => {
        await stack.unchanged();
        await stack.preview(true);
    });
    it("resizes in place", async () => {
        size = 3;
        const { events } = await stack.up();
        assert.equal(operations(events)["far-job"], "update");
        await stack.unchanged();
    });
    it("refuses a wrong argument with one message", async () => {
        args = { siz: 3 };
        const { text } = await stack.fails("preview");
        assert.match(
            text,
            /MiniCluster "far" has 1 problem in its arguments:\n  siz: does not exist\. Did you mean size\?\n/,
        );
    });
    it("refuses a wrong argument that comes from an output", async () => {
        args = { minSize: pulumi.output(new Promise((resolve) => setImmediate(() => resolve(4)))) };
        const { text } = await stack.fails("preview");
        assert.match(text, /has 1 problem in its arguments:\n  minSize: is 4; the quorum must be from 1 to size 3\.\n/);
    });
    it("leaves nothing", async () => {
        await stack.destroy();
        await namespace.assertNothingLeft();
    });
});

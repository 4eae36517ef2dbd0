import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import fc from "fast-check";

import { root } from "../../../scripts/local/paths";
import { run } from "../../../scripts/local/run";
import { FakeApi } from "../support/fakeApi";
import { DynamicHost, FakeEngine, type HostError } from "../support/host";
import { makeInputs, makeLive, makeOutputs } from "../support/jobs";

/** The form of a secret between engine and provider. Source: sdk/go/common/resource/sig. */
const secret = (value: unknown) => ({
    "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
    value,
});

/** Needs dist/. */
describe("provider plugin", () => {
    let engine: FakeEngine;
    let host: DynamicHost;

    before(async () => {
        engine = await FakeEngine.start();
        host = await DynamicHost.startPlugin(engine.address);
    });
    after(async () => {
        await host.stop();
        engine.stop();
    });

    const messageOf = (call: Promise<unknown>) =>
        call.then(
            () => assert.fail("the call did not fail"),
            (caught: HostError) => caught.failure.message,
        );

    it("starts without Pulumi's SDK, which loads slowly", async () => {
        const script = 'require("./dist/plugin/nativeHost"); console.log(JSON.stringify(Object.keys(require.cache)))';
        const loaded = JSON.parse(await run(process.execPath, ["--eval", script], { cwd: root })) as string[];
        assert.deepEqual(
            loaded.filter((file) => file.includes("/node_modules/")),
            [],
        );
    });

    it("accepts secrets, which the engine requires for components, and tells each secret from its neighbours", async () => {
        const { acceptoutputs, acceptsecrets } = await host.configure({});
        assert.deepEqual([acceptsecrets, acceptoutputs], [true, true]);
    });

    it("serves the schema of the package", async () => {
        assert.deepEqual(
            JSON.parse(await host.schema()),
            JSON.parse(readFileSync(join(root, "plugin/schema.json"), "utf8")),
        );
    });

    it("creates its resources without the text of a provider", async () => {
        const key = host.aboutNative("CurveKey");
        const { outs } = await key.create((await key.checkWith({}, {})).inputs);
        assert.deepEqual(Object.keys(outs).sort(), ["nonce", "publicKey", "schemaVersion", "secretKey"]);
    });

    it("marks in an answer the properties that are secret in the request", async () => {
        const key = host.aboutNative("CurveKey");
        const { inputs } = await key.checkWith({ rotate: secret("1") }, {});
        assert.deepEqual(inputs, { rotate: secret("1") });
        const { outs } = await key.create(inputs);
        assert.deepEqual(outs.rotate, secret("1"));
        const stored = { ...outs, secretKey: secret(outs.secretKey) };
        assert.deepEqual((await key.read("id", stored)).props, stored);
        assert.deepEqual(await key.diff("id", stored, { rotate: "1" }), { changes: 1, replaces: [] });
    });

    it("finds secrets at any depth, and keeps every value", async () => {
        const ticket = host.aboutNative("FluxTicket");
        const leaf = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null));
        const { tree } = fc.letrec((tie) => ({
            tree: fc.oneof({ maxDepth: 4 }, leaf, tie("list"), tie("map"), tie("hidden")),
            list: fc.array(tie("tree"), { maxLength: 3 }),
            map: fc.dictionary(fc.stringMatching(/^[a-z]{1,3}$/), tie("tree"), { maxKeys: 3 }),
            hidden: tie("tree").map(secret),
        }));
        await fc.assert(
            fc.asyncProperty(tree, async (value) => {
                const { inputs } = await ticket.checkWith({ value }, {});
                const opened = open(value);
                const isSecret = JSON.stringify(opened) !== JSON.stringify(value);
                assert.deepEqual(inputs, { value: isSecret ? secret(opened) : opened });
            }),
            { numRuns: 200 },
        );
    });

    it("keeps the secrets of a partial failure", async () => {
        const api = await FakeApi.start();
        const status = host.aboutNative("JobStatus");
        const error = await status
            .create({
                job: "hpc/lammps/uid",
                size: 1,
                ephemeral: true,
                waitFor: "completed",
                suspend: false,
                timeouts: { ready: 1, completed: 1, delete: 1, queued: 1, joined: 1 },
                maxBytes: 100,
                kubeconfig: secret(api.kubeconfig),
            })
            .then(
                () => assert.fail("the call did not fail"),
                (caught: HostError) => caught.failure,
            );
        assert.equal(error.id, "hpc/lammps");
        assert.deepEqual(error.properties?.kubeconfig, secret(api.kubeconfig));
        await api.stop();
    });

    it("ends a wait that begins after Ctrl-C", async () => {
        const api = await FakeApi.start();
        const { metadata } = api.put("jobs", { metadata: { name: "lammps" }, spec: { parallelism: 1 }, status: {} });
        const other = await DynamicHost.startPlugin(engine.address);
        await other.cancel();
        const status = other.aboutNative("JobStatus");
        const message = await messageOf(
            status.create({
                job: `hpc/lammps/${metadata.uid}`,
                size: 1,
                ephemeral: false,
                waitFor: "ready",
                suspend: false,
                timeouts: { ready: 600, completed: 600, delete: 1, queued: 600, joined: 600 },
                maxBytes: 100,
                kubeconfig: api.kubeconfig,
            }),
        );
        assert.match(message, /^The wait for lammps was interrupted/);
        await other.stop();
        await api.stop();
    });

    it("converts an MPIJob of the MPI Operator", async () => {
        const pod = (container: object) => ({ template: { spec: { containers: [{ image: "a", ...container }] } } });
        const mpiReplicaSpecs = { Launcher: pod({ command: ["mpirun", "b"] }), Worker: { replicas: 3, ...pod({}) } };
        const spec = { mpiImplementation: "MPICH", mpiReplicaSpecs };
        const yaml = JSON.stringify({
            apiVersion: "kubeflow.org/v2beta1",
            kind: "MPIJob",
            metadata: { name: "old" },
            spec,
        });
        const convert = (inputs: object) => host.invoke("flux-minicluster:index:fromMPIJob", { yaml, ...inputs });
        const { args, name, warnings } = await convert({ fluxInImage: true });
        assert.deepEqual([name, args.size, args.command, args.tasks, warnings], ["old", 3, ["b"], 3, []]);
        assert.equal((await convert({})).args.view.prefix, "/opt/view");
        assert.match(await messageOf(convert({ yaml: "kind: TrainJob" })), /^This text has a TrainJob/);
    });

    it("converts a resource of the Flux Operator", async () => {
        const yaml =
            "kind: MiniCluster\nmetadata: {name: old}\nspec: {size: 2, containers: [{image: a, command: b c}]}";
        const { args, name, warnings } = await host.invoke("flux-minicluster:index:fromOperator", { yaml });
        assert.deepEqual([name, args.size, args.image, warnings.length >= 0], ["old", 2, "a", true]);
        const message = await messageOf(host.invoke("flux-minicluster:index:fromOperator", { yaml: "a: 1" }));
        assert.match(message, /^This text has no MiniCluster with containers/);
    });

    it("returns the warnings of such a resource with their lines, and an error in its YAML with its line", async () => {
        const convert = (yaml: string) => host.invoke("flux-minicluster:index:fromOperator", { yaml });
        const head = "apiVersion: flux-framework.org/v1alpha2\nkind: MiniCluster\nmetadata: {name: old}\n";
        const { args, warnings } = await convert(
            `${head}spec:\n  sise: 2\n  interactive: yes\n  containers: [{image: a}]`,
        );
        assert.match(warnings[0], /^spec\.sise \(line 5\): is no field of the operator's v1alpha2/);
        assert.deepEqual(args.restful, { enabled: false });
        const message = await messageOf(convert(`${head}spec: [`));
        assert.match(message, /^The YAML has an error at line 4, column \d+: /);
    });

    it("returns the certificate of such a resource as a text, because one secret would make all values secret", async () => {
        const yaml = "kind: MiniCluster\nspec: {containers: [{image: a}], flux: {curveCert: hush}}";
        const answer = await host.invoke("flux-minicluster:index:fromOperator", { yaml });
        assert.deepEqual([answer.args.certificate, answer.args.image], ["hush", "a"]);
    });

    it("reads an existing cluster by the function, and refuses another Job", async () => {
        const api = await FakeApi.start();
        const { manifest } = makeInputs({}, { kubeconfig: api.kubeconfig });
        api.put("jobs", JSON.parse(JSON.stringify(manifest)));
        api.put("jobs", { metadata: { name: "other" } });
        const read = (name: string) =>
            host.invoke("flux-minicluster:index:getMiniCluster", {
                name,
                namespace: "hpc",
                kubeconfig: secret(api.kubeconfig),
            });
        const cluster = await read("lammps");
        assert.deepEqual([cluster.name, cluster.namespace, cluster.phase], ["lammps", "hpc", "starting"]);
        assert.match(cluster.uid, /^[0-9a-f-]{36}$/);
        assert.match(await messageOf(read("other")), /^Job hpc\/other is no MiniCluster/);
        assert.match(await messageOf(read("none")), /^There is no MiniCluster hpc\/none in the cluster at http/);
        await api.stop();
    });

    it("knows of a program that uses another version of the plugin, and refuses to delete a running Job", async () => {
        const api = await FakeApi.start();
        const operation = await FakeEngine.start();
        const [old, current] = [
            await DynamicHost.startPlugin(operation.address),
            await DynamicHost.startPlugin(operation.address),
        ];
        try {
            const props = makeOutputs({ command: ["run"] }, { kubeconfig: api.kubeconfig });
            const status = { active: 1, ready: 1, startTime: new Date() };
            api.put("jobs", JSON.parse(JSON.stringify(makeLive(props, status))));
            await current.register();
            assert.equal(operation.root, "urn:pulumi:stack::project::pulumi:pulumi:Stack::project-stack");
            const job = old.aboutNative("IndexedJob");
            assert.match(
                await messageOf(job.delete("hpc/lammps/job-uid", props)),
                /is not deleted, because its command has/,
            );
            // A destroy without a program is a permission.
            operation.root = "";
            await job.delete("hpc/lammps/job-uid", props);
            assert.equal(api.get("jobs", "lammps"), undefined);
        } finally {
            await Promise.all([old.stop(), current.stop(), api.stop()]);
            operation.stop();
        }
    });

    it("names what it doesn't have", async () => {
        assert.match(await messageOf(host.invoke("flux-minicluster:index:nothing", {})), /has no function/);
        assert.match(await messageOf(host.about("flux-minicluster:index:Nothing").create({})), /is no resource/);
    });
});

function open(value: any): any {
    if (Array.isArray(value)) {
        return value.map(open);
    }
    if (typeof value !== "object" || value === null) {
        return value;
    }
    return "value" in value && "4dabf18193072939515e22adb298388d" in value
        ? open(value.value)
        : Object.fromEntries(Object.entries(value).map(([name, item]) => [name, open(item)]));
}

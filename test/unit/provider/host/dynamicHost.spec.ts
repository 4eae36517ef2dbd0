import assert from "node:assert/strict";

import { shimText } from "../../../../provider/host/shimText";
import { putLeadService, useApi } from "../../support/fakeApi";
import { DynamicHost, FakeEngine, type HostError } from "../../support/host";
import { makeInputs, makeLive } from "../../support/jobs";
import { makePod, makeStatusInputs } from "../../support/states";
import { publicKeyOf } from "../../support/x25519";
import { decodeZ85 } from "../../support/z85";

const SOME = 2;
const NONE = 1;

/** Needs dist/: the host loads the package as a user's program does. */
describe("Pulumi's dynamic provider host", () => {
    const api = useApi(putLeadService);
    let engine: FakeEngine;
    let host: DynamicHost;

    before(async () => {
        engine = await FakeEngine.start();
        host = await DynamicHost.start(engine.address);
    });

    after(async () => {
        await host.stop();
        engine.stop();
    });

    const jobInputs = () => makeInputs({}, { kubeconfig: api.kubeconfig });
    const statusInputs = (job: string) =>
        makeStatusInputs({
            job,
            size: 2,
            ephemeral: true,
            waitFor: "completed",
            kubeconfig: api.kubeconfig,
            resourceUrn: "urn:of:the:status",
        });

    async function failureOf(call: Promise<unknown>) {
        const error = await call.then(
            () => assert.fail("the call did not fail"),
            (caught: HostError) => caught,
        );
        return error.failure;
    }

    it("makes a matching key pair, and a new one only if rotate changes", async () => {
        const { inputs } = await host.check("CurveKey", { rotate: "1" });
        const { id, outs } = await host.create(inputs);
        assert.deepEqual(publicKeyOf(decodeZ85(outs.secretKey)), decodeZ85(outs.publicKey));
        assert.deepEqual(Object.keys(outs).sort(), [
            "__provider",
            "nonce",
            "publicKey",
            "rotate",
            "schemaVersion",
            "secretKey",
        ]);
        assert.deepEqual(await host.diff(id, outs, inputs), { changes: NONE, replaces: [] });
        assert.deepEqual(await host.diff(id, outs, { ...inputs, rotate: "2" }), {
            changes: SOME,
            replaces: ["rotate"],
        });
        const { inputs: read, props } = await host.read(id, outs);
        assert.deepEqual([props, read], [outs, inputs]);
        await host.delete(id, outs);
    });

    it("creates, refreshes, updates and deletes a Job", async () => {
        const { inputs } = await host.check("IndexedJob", jobInputs());
        const { id, outs } = await host.create(inputs);
        assert.match(id, /^hpc\/lammps\/[0-9a-f-]{36}$/);
        assert.equal(outs.__provider, shimText("IndexedJob"));
        assert.deepEqual(await host.diff(id, outs, inputs), { changes: NONE, replaces: [] });

        const { inputs: read, props } = await host.read(id, outs);
        assert.deepEqual(props, outs);
        assert.deepEqual(read, inputs);

        const wanted = structuredClone(inputs);
        wanted.manifest.spec.suspend = true;
        const updated = await host.update(id, outs, wanted);
        assert.equal(api.get("jobs", "lammps")?.spec.suspend, true);
        assert.equal(updated.__provider, shimText("IndexedJob"));

        await host.delete(id, updated);
        assert.equal(api.get("jobs", "lammps"), undefined);
        assert.equal((await host.read(id, updated)).id, "");
    });

    it("refuses in check a change that would end a running command", async () => {
        const live = makeLive(jobInputs(), { active: 4, ready: 4, startTime: new Date() });
        api.put("jobs", JSON.parse(JSON.stringify(live)));
        const news = makeInputs({ image: "new" }, { kubeconfig: api.kubeconfig });
        const { failures } = await host.check("IndexedJob", news, jobInputs());
        assert.match(JSON.stringify(failures), /"property":"interrupt"/);
    });

    it("warns permanently on the Job's row about a resize that replaces the Job", async () => {
        const before = engine.lines.length;
        const news = {
            ...makeInputs({ size: 3, maxSize: 8 }, { kubeconfig: api.kubeconfig }),
            maxSize: 8,
            resourceUrn: "urn:of:the:job",
        };
        await host.check("IndexedJob", news, { ...jobInputs(), maxSize: 4 });
        const { ephemeral, message, urn } = await engine.line(before);
        assert.deepEqual([ephemeral, urn], [false, "urn:of:the:job"]);
        assert.match(message, /^lammps: maxSize changes from 4 to 8/);
    });

    it("passes a refusal on as a sentence, and keeps nothing in the state", async () => {
        api.put("jobs", { metadata: { name: "lammps", labels: { "app.kubernetes.io/managed-by": "Helm" } } });
        const { inputs } = await host.check("IndexedJob", jobInputs());
        assert.deepEqual(await failureOf(host.create(inputs)), {
            message:
                "Job hpc/lammps exists and belongs to Helm. Give the MiniCluster another name or namespace, or delete that " +
                "one with its Services. docs/troubleshooting.md tells how a stack takes over a Job.",
        });
    });

    /** A Job whose lead has ended. */
    function putEnded(exitCode: number): string {
        const conditions = [{ type: "FailureTarget", status: "True", reason: "BackoffLimitExceeded", message: "x" }];
        const job = api.put("jobs", {
            metadata: { name: "lammps" },
            spec: { parallelism: 2 },
            status: exitCode === 0 ? {} : { conditions },
        });
        const terminated = {
            exitCode,
            reason: "Error",
            startedAt: new Date(),
            message: "minicluster.quorum=1\nminicluster.started=2\n",
        };
        const container = {
            name: "flux",
            image: "",
            imageID: "",
            ready: false,
            restartCount: 0,
            state: { terminated },
        };
        const pod = makePod(0, { phase: exitCode === 0 ? "Succeeded" : "Failed", containerStatuses: [container] });
        const labels = { ...pod.metadata?.labels, "batch.kubernetes.io/controller-uid": job.metadata.uid };
        const ownerReferences = [{ uid: job.metadata.uid }];
        api.put("pods", { ...JSON.parse(JSON.stringify(pod)), metadata: { ...pod.metadata, labels, ownerReferences } });
        api.logs.set("lammps-0-abcde", "the end\n");
        return `hpc/lammps/${job.metadata.uid}`;
    }

    it("records the result of a run", async () => {
        const { inputs } = await host.check("JobStatus", statusInputs(putEnded(0)));
        const { id, outs } = await host.create(inputs);
        assert.deepEqual([id, outs.phase, outs.exitCode, outs.output], ["hpc/lammps", "succeeded", 0, "the end\n"]);
        assert.deepEqual(await host.diff(id, outs, inputs), { changes: NONE, replaces: [] });
        assert.deepEqual((await host.read(id, outs)).props, outs);
    });

    it("keeps a failed run in the state, with all that refresh and destroy need", async () => {
        const { inputs } = await host.check("JobStatus", statusInputs(putEnded(3)));
        const { id, message, properties, reasons } = await failureOf(host.create(inputs));
        assert.equal(message, "lammps: The command ended with exit code 3.\nThe end of the lead's log:\n  the end");
        assert.deepEqual([id, reasons], ["hpc/lammps", [message]]);
        assert.equal(properties?.__provider, shimText("JobStatus"));
        assert.deepEqual([properties?.phase, properties?.exitCode, properties?.job], ["failed", 3, inputs.job]);
        await host.delete(id!, properties);
    });

    it("keeps a failed run in the state after an update as well", async () => {
        const { inputs } = await host.check("JobStatus", statusInputs(putEnded(3)));
        const olds = {
            ...inputs,
            phase: "starting",
            output: "",
            nodes: {},
            timings: {},
            slowest: "",
            schemaVersion: 1,
        };
        const { properties } = await failureOf(host.update("hpc/lammps", olds, inputs));
        assert.equal(properties?.__provider, shimText("JobStatus"));
    });

    it("writes progress to the resource's own row", async () => {
        const before = engine.lines.length;
        const { inputs } = await host.check("JobStatus", statusInputs(putEnded(0)));
        await host.create(inputs);
        assert.deepEqual(await engine.line(before), {
            urn: "urn:of:the:status",
            message: "lammps: completed",
            ephemeral: true,
        });
    });

    describe("when it is interrupted", () => {
        /** A wait that nothing ends. */
        async function waitIn(other: DynamicHost): Promise<{ waiting: Promise<unknown> }> {
            const job = api.put("jobs", { metadata: { name: "lammps" }, spec: { parallelism: 2 }, status: {} });
            const { inputs } = await other.check("JobStatus", statusInputs(`hpc/lammps/${job.metadata.uid}`));
            const waiting = other.create(inputs);
            waiting.catch(() => undefined);
            await Promise.all(["jobs", "pods", "events"].map((kind) => api.seen(new RegExp(`${kind}\\?.*watch=true`))));
            return { waiting };
        }

        const interrupted = "The wait for lammps was interrupted (phase: pending). The next update resumes the wait.";

        it("ends a wait at Ctrl-C, and keeps the last phase", async () => {
            const other = await DynamicHost.start(engine.address);
            const { waiting } = await waitIn(other);
            await other.cancel();
            const { id, message, properties } = await failureOf(waiting);
            assert.deepEqual([id, message], ["hpc/lammps", interrupted]);
            assert.deepEqual([properties?.phase, properties?.__provider], ["pending", shimText("JobStatus")]);
            await other.stop();
        });

        it("ends a wait when the engine was killed", async () => {
            const other = await DynamicHost.start("127.0.0.1:1");
            const { waiting } = await waitIn(other);
            assert.equal((await failureOf(waiting)).message, interrupted);
            await other.stop();
        });
    });
});

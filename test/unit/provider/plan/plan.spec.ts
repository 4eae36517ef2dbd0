import assert from "node:assert/strict";

import type { PlainArgs } from "../../../../components/args";
import { connect } from "../../../../provider/kubernetes/client";
import type { IndexedJobInputs } from "../../../../provider/indexedJob/properties";
import { type ClusterPlan, planCluster } from "../../../../provider/plan/clusterPlan";
import { parseDigest } from "../../../../provider/plan/digest";
import { planJobs } from "../../../../provider/plan/jobPlan";
import { nativeToken, typeToken } from "../../../../provider/host/shimText";
import { UNKNOWN } from "../../../../provider/host/unknown";
import { onCall } from "../../support/calls";
import { FakeApi, putLeadService, useApi } from "../../support/fakeApi";
import { endOf, printed } from "../../support/fakeExec";
import { makeInputs } from "../../support/jobs";
import { putCluster } from "../../support/persistentCluster";
import { offerOf, putWaiting } from "../../support/waitingCluster";

const TRAIN = "run\tf2x\t0-1\t10800.5\ttrain\n";
const WAITS = "pending\tf4z\t\t0.0\tlater\n";
const TRAINING = { jobId: "f2x", name: "train", ranks: "0-1", seconds: 10_800.5 };
const WAITING = { jobId: "f4z", name: "later", ranks: "", seconds: 0 };

describe("The plan of an update", () => {
    const api = useApi(putLeadService);
    let lead: string;

    beforeEach(() => {
        lead = TRAIN + WAITS;
        api.serveCommands((connection) =>
            onCall(connection, (_words, socket) => {
                socket.send(printed(1, lead));
                socket.send(endOf(0));
            }),
        );
    });

    const inputsOf = (args: Partial<PlainArgs> = {}, overrides: Partial<IndexedJobInputs> = {}) =>
        makeInputs({ command: [], size: 4, maxSize: 4, ...args }, { kubeconfig: "[secret]", ...overrides });
    const urnOf = (type: "FluxSubmission" | "IndexedJob", name: string, token = typeToken) =>
        `urn:pulumi:dev::science::flux-minicluster:index:MiniCluster$${token(type)}::${name}`;
    const URN = urnOf("IndexedJob", "lammps-job");

    const step = (op: string, olds?: object, news?: object, more: object = {}) => ({
        op,
        urn: URN,
        oldState: olds && { outputs: olds },
        newState: news && { inputs: news },
        ...more,
    });

    function planOf(...steps: object[]): Promise<ClusterPlan> {
        const { clusters } = parseDigest(JSON.stringify({ steps }));
        assert.equal(clusters.length, 1);
        return planCluster(clusters[0], { kubeconfig: api.kubeconfig });
    }

    it("has nothing to end for a new cluster, and the node-hours of its limit", async () => {
        const plan = await planOf(step("create", undefined, inputsOf({ activeDeadlineSeconds: 5400 })));
        assert.deepEqual(plan, { urn: URN, name: "lammps", namespace: "hpc", operation: "create", nodeHours: 6 });
    });

    it("takes the time limit of the command, and knows no node-hours without any", async () => {
        const limited = inputsOf({ command: ["solve"], timeLimit: 1800 });
        assert.equal((await planOf(step("create", undefined, limited))).nodeHours, 2);
        assert.equal((await planOf(step("create", undefined, inputsOf()))).nodeHours, null);
        const again = inputsOf({ command: ["solve"], timeLimit: 1800, backoffLimit: 2 });
        assert.equal((await planOf(step("create", undefined, again))).nodeHours, null);
        const unknown = inputsOf({}, { manifest: UNKNOWN as any });
        assert.equal((await planOf(step("create", undefined, unknown))).nodeHours, null);
    });

    for (const [op, effect] of [
        ["replace", "replaces the Job"],
        ["delete", "deletes the Job"],
    ] as const) {
        it(`names the jobs of a cluster that it ${op}s`, async () => {
            putCluster(api, inputsOf());
            const news = op === "replace" ? inputsOf({ image: "other" }) : undefined;
            const { ends } = await planOf(step(op, inputsOf(), news));
            assert.deepEqual(ends, {
                effect,
                running: [TRAINING],
                pending: [WAITING],
                keepsPending: false,
                kills: true,
            });
        });
    }

    it("names the results of a command that are lost, and not the command, which has ended", async () => {
        const results = { paths: ["out"] };
        putWaiting(api, offerOf({ "out/a": "first", b: "" }).line, { command: ["solve"] });
        const inputs = inputsOf({ command: ["solve"], results });
        const { ends } = await planOf(step("delete", inputs));
        assert.deepEqual(ends, {
            effect: "deletes the Job",
            results: { count: 2, bytes: 5, until: "2025-11-30T00:00:00Z" },
            running: [],
            pending: [],
            keepsPending: false,
            kills: true,
        });
    });

    it("joins the steps of a replacement", async () => {
        putCluster(api, inputsOf());
        const news = inputsOf({ image: "other" });
        const plan = await planOf(
            step("delete-replaced", inputsOf()),
            step("replace", inputsOf(), news),
            step("create-replacement", inputsOf(), news),
        );
        assert.deepEqual([plan.operation, plan.ends?.kills], ["replace", true]);
    });

    it("names the jobs of the ranks that it removes, and starts no others", async () => {
        putCluster(api, inputsOf());
        const { ends, nodeHours } = await planOf(step("update", inputsOf(), inputsOf({ size: 1, maxSize: 4 })));
        assert.deepEqual(
            [ends?.effect, ends?.running, nodeHours],
            ["removes 3 of the Job's 4 ranks (size 1)", [TRAINING], 0],
        );
        const { ends: none } = await planOf(step("update", inputsOf(), inputsOf({ size: 2, maxSize: 4 })));
        assert.equal(none, undefined);
    });

    it("judges by the API server's clock whether a deadline has passed", async () => {
        const sooner = step("update", inputsOf(), inputsOf({ activeDeadlineSeconds: 86_700 }));
        putCluster(api, inputsOf());
        assert.equal((await planOf(sooner)).ends, undefined);
        api.answerHeaders = { Date: new Date(Date.now() + 600_000).toUTCString() };
        const { ends } = await planOf(sooner);
        assert.equal(ends?.effect, "sets a deadline that has passed (activeDeadlineSeconds 86700)");
    });

    it("has the node-hours of added ranks, and of a cluster that is resumed", async () => {
        const small = inputsOf({ size: 2, maxSize: 4, activeDeadlineSeconds: 3600 });
        const large = inputsOf({ size: 3, maxSize: 4, activeDeadlineSeconds: 3600 });
        assert.equal((await planOf(step("update", small, large))).nodeHours, 1);
        const held = inputsOf({ size: 3, maxSize: 4, activeDeadlineSeconds: 3600, suspend: true });
        assert.equal((await planOf(step("update", held, large))).nodeHours, 3);
        assert.equal((await planOf(step("create", undefined, held))).nodeHours, 0);
        const queued = inputsOf({ size: 3, maxSize: 4, activeDeadlineSeconds: 3600, queueName: "ml" });
        assert.equal((await planOf(step("create", undefined, queued))).nodeHours, 3);
        const longer = inputsOf({ size: 3, maxSize: 4, activeDeadlineSeconds: 7200 });
        assert.equal((await planOf(step("update", small, longer))).nodeHours, 4);
        assert.equal((await planOf(step("update", longer, large))).nodeHours, 0);
        const endless = inputsOf({ size: 3, maxSize: 4 });
        assert.equal((await planOf(step("update", large, endless))).nodeHours, null);
        assert.equal((await planOf(step("update", endless, endless))).nodeHours, 0);
    });

    it("ends nothing if another cluster has the name now, or if the object is kept", async () => {
        putCluster(api, inputsOf({}, { nonce: "fedcba9876543210" }));
        assert.equal((await planOf(step("delete", inputsOf()))).ends, undefined);
        const kept = step("delete", undefined, undefined, { oldState: { outputs: inputsOf(), retainOnDelete: true } });
        assert.deepEqual(parseDigest(JSON.stringify({ steps: [kept] })).clusters, []);
    });

    it("takes for a kill what can't be known, and says why", async () => {
        putCluster(api, inputsOf());
        api.fail(/jobs/, 403, { times: 9, message: "jobs is forbidden" });
        const { ends } = await planOf(step("delete", inputsOf()));
        assert.deepEqual([ends?.effect, ends?.kills, ends?.unknown], ["deletes the Job", true, "jobs is forbidden"]);
    });

    it("takes for a kill what it can't find, because the credentials may be those of another cluster", async () => {
        const other = await FakeApi.start();
        try {
            const { clusters } = parseDigest(JSON.stringify({ steps: [step("delete", inputsOf())] }));
            const { ends } = await planCluster(clusters[0], { kubeconfig: other.kubeconfig });
            assert.equal(ends?.kills, true);
            assert.match(
                ends?.unknown ?? "",
                /neither Job hpc\/lammps nor its Service lammps-lead is in the cluster at http/,
            );
            const moved = step(
                "replace",
                inputsOf({}, { kubeconfig: api.kubeconfig }),
                inputsOf({}, { kubeconfig: other.kubeconfig }),
            );
            putCluster(api, inputsOf());
            const plan = await planCluster(parseDigest(JSON.stringify({ steps: [moved] })).clusters[0], {});
            assert.equal(plan.ends?.running.length, 1);
        } finally {
            await other.stop();
        }
    });

    for (const [what, more] of [
        ["manifest", { manifest: UNKNOWN }],
        ["lead Service", { lead: UNKNOWN }],
        ["triggers", { triggers: [UNKNOWN] }],
        ["secret manifest", { manifest: "[secret]" }],
    ] as const) {
        it(`takes an update with an unknown ${what} for a replacement`, async () => {
            putCluster(api, inputsOf());
            const { ends } = await planOf(step("update", inputsOf(), { ...inputsOf(), ...more }));
            assert.match(ends?.effect ?? "", /^may replace the Job/);
            assert.equal(ends?.kills, true);
        });
    }

    it("doesn't fail if the credentials are wrong and there is no fit to judge", async () => {
        const kubeconfig = JSON.stringify({ "current-context": "none" });
        const { clusters } = parseDigest(JSON.stringify({ steps: [step("delete", inputsOf({}, { fit: "off" }))] }));
        const { ends } = await planCluster(clusters[0], { kubeconfig });
        assert.equal(ends?.kills, true);
        await new Promise((resolve) => setImmediate(resolve));
    });

    it("takes for a kill the deletion of a cluster whose manifest is a secret", async () => {
        const { ends, name } = await planOf(step("delete", { ...inputsOf(), manifest: "[secret]" }));
        assert.deepEqual(
            [ends?.kills, ends?.unknown, name],
            [true, "its manifest is a secret, and a preview has no secrets", ""],
        );
    });

    it("knows the clusters and jobs of programs in other languages", () => {
        const urn = urnOf("IndexedJob", "lammps-job", nativeToken);
        const { clusters, jobs } = parseDigest(
            JSON.stringify({
                steps: [
                    { op: "create", urn, newState: { inputs: {} } },
                    { op: "delete", urn: urnOf("FluxSubmission", "a", nativeToken), oldState: { outputs: {} } },
                    { op: "create", urn: "urn:pulumi:dev::science::kubernetes:core/v1:Service::lammps" },
                    { op: "same", urn: urnOf("IndexedJob", "other") },
                ],
            }),
        );
        assert.deepEqual([clusters.length, jobs.length], [1, 1]);
    });

    it("has the errors of the preview, and refuses other texts", () => {
        const diagnostics = [
            { severity: "error", message: "interrupt: This change replaces the Job", prefix: "error: " },
            { severity: "warning", message: "anything" },
        ];
        assert.deepEqual(parseDigest(JSON.stringify({ diagnostics })).errors, [
            "error: interrupt: This change replaces the Job",
        ]);
        assert.deepEqual(parseDigest('{"duration": 1}'), { clusters: [], jobs: [], errors: [] });
        for (const [text, message] of [
            ["Previewing update", /is no JSON\. Give the output of pulumi preview --json/],
            ['{"other": 1}', /has no steps/],
            ["null", /has no steps/],
        ] as const) {
            assert.throws(() => parseDigest(text), message);
        }
    });

    describe("of FluxJobs", () => {
        const submission = (name: string, jobId: string, more: object = {}) => ({
            cluster: { name: "lammps", namespace: "hpc" },
            clusterUid: api.get("jobs", "lammps")?.metadata.uid,
            lead: { uid: "service-uid" },
            jobId,
            jobName: name,
            phase: "running",
            ...more,
        });
        const planOfJobs = (...steps: [op: string, olds: object][]) =>
            planJobs(
                parseDigest(
                    JSON.stringify({
                        steps: steps.map(([op, outputs], index) => ({
                            op,
                            urn: urnOf("FluxSubmission", `job-${index}`),
                            oldState: { outputs },
                        })),
                    }),
                ).jobs,
                { kubeconfig: api.kubeconfig },
            );

        it("names what runs and what waits of those that it cancels, and asks the lead once", async () => {
            putCluster(api, inputsOf());
            const plans = await planOfJobs(
                ["delete", submission("train", "f2x")],
                ["replace", submission("later", "f9", { jobIds: ["f9", "f4z"] })],
                ["delete", submission("ended", "f1")],
                ["delete", submission("train", "f2x", { phase: "succeeded" })],
                ["delete", submission("train", "f8")],
                ["delete", submission("train", "f8", { array: { count: 500 }, jobIds: [] })],
                ["update", submission("other", "f2x")],
            );
            assert.deepEqual(
                plans.map(({ name, kills, running, pending }) => [name, kills, running.length, pending.length]),
                [
                    ["train", true, 1, 0],
                    ["later", false, 0, 1],
                    ["ended", false, 0, 0],
                    ["train", false, 0, 0],
                    ["train", false, 0, 0],
                    ["train", true, 1, 0],
                ],
            );
            assert.equal(api.requests.filter((request) => request.startsWith("EXEC")).length, 1);
        });

        it("finds the elements of an array whose name a terminal can't show", async () => {
            putCluster(api, inputsOf());
            const name = `${"long".repeat(40)}\u202e\t`;
            const quoted = `'${"long".repeat(40)}\\u202e\\t'`;
            lead = `run\tf2x\t0\t60\t${quoted}\npending\tf3\t\t0\t${quoted}\n`;
            const [plan] = await planOfJobs(["delete", submission(name, "f1", { array: { count: 500 }, jobIds: [] })]);
            assert.deepEqual([plan.kills, plan.running.length, plan.pending.length], [true, 1, 1]);
        });

        it("takes for a kill what can't be known", async () => {
            putCluster(api, inputsOf());
            api.fail(/jobs|pods/, 403, { times: 9, message: "pods is forbidden" });
            const [{ kills, unknown }] = await planOfJobs(["delete", submission("train", "f2x")]);
            assert.deepEqual([kills, unknown], [true, "pods is forbidden"]);
        });

        it("ends nothing on a cluster that doesn't run", async () => {
            const gone = submission("train", "f2x", { clusterUid: "gone" });
            api.remove("services", "lammps-lead");
            const [missing] = await planOfJobs(["delete", gone]);
            assert.match(
                missing.unknown ?? "",
                /^neither Job hpc\/lammps nor its Service lammps-lead is in the cluster at http/,
            );
            putCluster(api, inputsOf());
            api.put("services", { metadata: { name: "lammps-lead", uid: "of another cluster" } });
            const [namesake] = await planOfJobs(["delete", gone]);
            api.put("services", { metadata: { name: "lammps-lead", uid: "service-uid" } });
            const [{ kills }] = await planOfJobs(["delete", gone]);
            assert.deepEqual([missing.kills, namesake.kills, kills], [true, true, false]);
        });
    });

    it("uses the credentials that are given, because the plan has none of the state", async () => {
        putCluster(api, inputsOf());
        assert.equal(connect({ kubeconfig: api.kubeconfig }).server.startsWith("http://127.0.0.1"), true);
        const { ends } = await planOf(step("delete", inputsOf()));
        assert.equal(ends?.running.length, 1);
    });
});

import assert from "node:assert/strict";

import { ARCHIVE_DIR } from "../../../../provider/contract/paths";
import { fluxTicket } from "../../../../provider/fluxTicket/verbs";
import { remember, rememberRemoval } from "../../../../provider/guard/guard";
import { rememberAccess } from "../../../../provider/kubernetes/kubeconfig/unreachable";
import { UNKNOWN } from "../../../../provider/host/unknown";
import { type Answer, FakeLead } from "../../support/fakeLead";
import { newOperation } from "../../support/newOperation";
import { operate } from "../../support/program";

describe("fluxTicket", () => {
    const cluster = { name: "lammps", namespace: "hpc" };

    it("makes a nonce in a form that Flux takes for a text, and a key, once", async () => {
        const { id, outs } = await fluxTicket.create({ jobName: "solve" });
        assert.match(outs.nonce, /^m[0-9a-f]{16}$/);
        assert.match(outs.key, /^[0-9a-f]{64}$/);
        assert.equal(id, outs.nonce);
        const other = await fluxTicket.create({ jobName: "solve" });
        assert.notEqual(other.outs.key, outs.key);
        assert.deepEqual(await fluxTicket.diff(id, outs, { jobName: "solve" }), { changes: false });
        assert.deepEqual((await fluxTicket.update(id, outs, { jobName: "solve" })).outs, outs);
        assert.deepEqual(await fluxTicket.read(id, outs), { id, props: outs, inputs: { jobName: "solve" } });
    });

    it("keeps the first name of a FluxJob that is renamed", async () => {
        const { inputs } = await fluxTicket.check({ jobName: "solve" }, { jobName: "renamed" });
        assert.deepEqual(inputs, { jobName: "solve" });
        assert.deepEqual((await fluxTicket.check({}, { jobName: "solve" })).inputs, { jobName: "solve" });
    });

    it("stays as it is while a preview doesn't know the cluster, and without one", async () => {
        const olds = { jobName: "solve", cluster, kubeconfig: "old" };
        const outs = { ...olds, nonce: "m1", key: "k", schemaVersion: 1 };
        for (const unknown of [UNKNOWN, { name: UNKNOWN, namespace: "hpc" }] as any[]) {
            const { inputs } = await fluxTicket.check(olds, { ...olds, cluster: unknown, kubeconfig: UNKNOWN });
            assert.deepEqual(inputs, olds);
            assert.deepEqual(await fluxTicket.diff("m1", outs, { ...olds, cluster: unknown }), { changes: false });
        }
        const { cluster: _none, ...earlier } = outs;
        assert.deepEqual(await fluxTicket.diff("m1", earlier, olds), { changes: false });
    });

    it("is replaced if its FluxJob goes to another cluster, so that the deletion looks for a job in the old one", async () => {
        const olds = { jobName: "solve", cluster, kubeconfig: "old" };
        const outs = { ...olds, nonce: "m1", key: "k", schemaVersion: 1 };
        for (const other of [{ namespace: "other" }, { name: "other" }]) {
            const moved = { ...olds, cluster: { ...cluster, ...other }, kubeconfig: "new" };
            assert.deepEqual(await fluxTicket.diff("m1", outs, moved), { changes: true, replaces: ["cluster"] });
        }
        assert.deepEqual(await fluxTicket.diff("m1", outs, olds), { changes: false, replaces: [] });
    });

    describe("on a cluster", () => {
        let lead: FakeLead;
        let swept: Answer;
        /** Is called after the answer to a call is known. */
        let onSweep: () => unknown;
        /** The answers of array.py. */
        let left: string[];

        beforeEach(async () => {
            swept = 0;
            left = [];
            onSweep = () => undefined;
            lead = await FakeLead.start(([name]) => {
                const answer = name === "remove_array" ? (left.shift() ?? "") : swept;
                onSweep();
                return answer;
            });
        });

        afterEach(async () => {
            newOperation();
            await lead.stop();
        });

        const create = async () =>
            (await fluxTicket.create({ jobName: "solve", cluster, kubeconfig: lead.kubeconfig })).outs;

        it("records the lead Service, as soon as there is a Job", async () => {
            lead.state = "gone";
            const outs = await create();
            assert.equal(outs.lead, undefined);
            lead.state = "ready";
            const marks = { lead: { uid: "service-uid" }, clusterMark: "kube-system/cluster-uid" };
            assert.deepEqual((await fluxTicket.read(outs.nonce, outs)).props, { ...outs, ...marks });
            const created = await create();
            assert.deepEqual({ ...created, ...marks }, created);
        });

        it("gets new credentials of the same cluster, and is replaced by those of another one", async () => {
            const outs = await create();
            const { id, props = outs } = await fluxTicket.read(outs.nonce, outs);
            const news = { jobName: "solve", cluster, kubeconfig: `${lead.kubeconfig} ` };
            assert.deepEqual(await fluxTicket.diff(id ?? "", props, news), { changes: true, replaces: [] });
            assert.deepEqual((await fluxTicket.update(outs.nonce, props, news)).outs, { ...props, ...news });
            lead.clusterUid = "another";
            assert.deepEqual(await fluxTicket.diff(id ?? "", props, news), { changes: true, replaces: ["cluster"] });
        });

        it("keeps credentials that can be used, and doesn't begin with others", async () => {
            const outs = await create();
            const news = { jobName: "solve", cluster, kubeconfig: JSON.stringify({ contexts: [] }) };
            assert.deepEqual(await fluxTicket.diff(outs.nonce, outs, news), { changes: true, replaces: [] });
            await assert.rejects(fluxTicket.update(outs.nonce, outs, news), /kubeconfig names no clusters/);
            await assert.rejects(fluxTicket.create(news), /kubeconfig names no clusters/);
        });

        it("is deleted with the credentials of the program if its own can't be used, in the same cluster", async () => {
            const outs = { ...(await create()), kubeconfig: JSON.stringify({ contexts: [] }) };
            await assert.rejects(fluxTicket.delete(outs.nonce, outs), /kubeconfig names no clusters/);
            rememberAccess({ kubeconfig: lead.kubeconfig });
            const { clusterMark: _mark, lead: _lead, ...unseen } = outs;
            await assert.rejects(fluxTicket.delete(outs.nonce, unseen), /kubeconfig names no clusters/);
            await fluxTicket.delete(outs.nonce, outs);
            assert.deepEqual(lead.called, ["sweep"]);
        });

        it("asks no other cluster that has a Job of the same name", async () => {
            const { clusterMark: _mark, ...outs } = await create();
            for (const elsewhere of [
                { ...outs, lead: { uid: "of another cluster" } },
                { ...outs, clusterMark: "kube-system/another" },
            ]) {
                await assert.rejects(
                    fluxTicket.delete(outs.nonce, elsewhere),
                    /may still run in another cluster.*PULUMI_K8S_DELETE_UNREACHABLE/,
                );
            }
            assert.deepEqual(lead.calls, []);
            // The MiniCluster has been created again with another key.
            const again = { ...outs, lead: { uid: "former" }, clusterMark: "kube-system/cluster-uid" };
            await fluxTicket.delete(outs.nonce, again);
            assert.deepEqual(lead.called, ["sweep"]);
        });

        it("removes the job that no state has, when it is deleted", async () => {
            const outs = await create();
            await fluxTicket.delete(outs.nonce, outs);
            assert.deepEqual(lead.calls, [["sweep", outs.nonce, "solve", "allow"]]);
        });

        it("removes all elements of an array that no state has, in as many calls as it takes", async () => {
            const outs = await create();
            swept = 67;
            left = [JSON.stringify({ busy: 0, left: 7 }), JSON.stringify({ busy: 0, left: 0 })];
            const argv = process.argv;
            try {
                await operate(true);
                await fluxTicket.delete(outs.nonce, outs);
                assert.deepEqual(lead.called, ["sweep", "remove_array", "sweep", "remove_array"]);
                const requests = lead.calls
                    .filter(([name]) => name === "remove_array")
                    .map(([, text]) => JSON.parse(text));
                const request = { call: "remove", name: "solve", key: outs.nonce };
                // The elements that are left were cancelled by the first call.
                assert.deepEqual(requests, [
                    { ...request, refuse: true },
                    { ...request, refuse: false },
                ]);
                left = [JSON.stringify({ busy: 2, left: 3 })];
                await assert.rejects(
                    fluxTicket.delete(outs.nonce, outs),
                    /it is running\. Wait until it ends, or cancel it/,
                );
            } finally {
                process.argv = argv;
            }
        });

        it("cancels no job that runs, unless it is destroyed without a program", async () => {
            const outs = await create();
            const argv = process.argv;
            try {
                for (const isProgram of [true, false]) {
                    await operate(isProgram);
                    await fluxTicket.delete(outs.nonce, outs);
                }
            } finally {
                process.argv = argv;
            }
            assert.deepEqual(
                lead.calls.map((words) => words.at(-1)),
                ["refuse", "allow"],
            );
        });

        it("asks nothing if the job was removed by this process, and of a ticket without a cluster", async () => {
            const outs = await create();
            const { cluster: _none, ...earlier } = outs;
            await fluxTicket.delete(outs.nonce, earlier);
            rememberRemoval(outs.nonce, true);
            remember(outs.nonce, { interrupt: "refuse" }, true);
            await fluxTicket.delete(outs.nonce, outs);
            assert.deepEqual(lead.calls, []);
        });

        it("is kept if the agent can't look for the job, unless the image never had the bindings", async () => {
            const outs = await create();
            swept = { ends: 127, why: "bash: line 1: flux: command not found" };
            await assert.rejects(
                fluxTicket.delete(outs.nonce, outs),
                /may still have a job solve .*: the agent can't run in the lead: .*command not found/,
            );
            swept = { ends: 78, why: "the image's Flux has no Python bindings, which FluxJob needs (flux)" };
            await fluxTicket.delete(outs.nonce, outs);
            assert.deepEqual(lead.called, ["sweep", "sweep"]);
        });

        for (const [code, why] of [
            [254, "bash: fork: retry: Resource temporarily unavailable"],
            [1, "ImportError: libflux.so: failed to map segment from shared object"],
        ] as const) {
            it(`looks again after a shortage in the lead: ${why}`, async () => {
                const outs = await create();
                swept = { ends: code, why };
                onSweep = () => (swept = 0);
                await fluxTicket.delete(outs.nonce, outs);
                assert.deepEqual(lead.called, ["sweep", "sweep"]);
            });
        }

        describe("whose lead is away", () => {
            const notReady = (since: string) => ({
                conditions: [{ type: "Ready", status: "False", lastTransitionTime: since }],
                containerStatuses: [{ name: "flux", state: { running: { startedAt: "2026-01-01T00:00:00Z" } } }],
            });
            const { now } = Date;

            afterEach(() => {
                Date.now = now;
                delete process.env.PULUMI_K8S_DELETE_UNREACHABLE;
            });

            it("is deleted at once if the lead was never ready, because it never had a job", async () => {
                const outs = await create();
                lead.podStatus = notReady("2026-01-01T00:00:00Z");
                await fluxTicket.delete(outs.nonce, outs);
                assert.deepEqual(lead.calls, []);
            });

            it("waits for a lead that was ready", async () => {
                const outs = await create();
                lead.podStatus = notReady("2026-01-01T00:00:09Z");
                lead.onLook = () => (lead.podStatus = {});
                await fluxTicket.delete(outs.nonce, outs);
                assert.deepEqual(lead.called, ["sweep"]);
            });

            it("is kept if the lead doesn't come, unless the user permits to forget it", async () => {
                const outs = await create();
                lead.podStatus = notReady("2026-01-01T00:00:09Z");
                let late = 0;
                Date.now = () => now() + late;
                lead.onLook = () => (late += 151_000);
                await assert.rejects(
                    fluxTicket.delete(outs.nonce, outs),
                    /may still have a job solve .*: its queue is kept, and the lead has no quorum yet\. .*DELETE_UNREACHABLE/,
                );
                process.env.PULUMI_K8S_DELETE_UNREACHABLE = "true";
                await fluxTicket.delete(outs.nonce, outs);
                assert.deepEqual(lead.calls, []);
            });

            it("wakes a cluster that sleeps with its queue, and waits for no user", async () => {
                const outs = await create();
                const mount = { name: "archive", mountPath: ARCHIVE_DIR };
                const template = { spec: { containers: [{ name: "flux", volumeMounts: [mount] }] } };
                lead.state = "suspended";
                lead.job = { spec: { template } };
                await assert.rejects(
                    fluxTicket.delete(outs.nonce, outs),
                    /its queue is kept, and the cluster is suspended/,
                );
                const annotations = { "flux-minicluster/asleep": "2026-01-01T00:00:00Z" };
                lead.job = { metadata: { annotations }, spec: { template } };
                await fluxTicket.delete(outs.nonce, outs);
                assert.deepEqual(lead.called, ["sweep"]);
            });
        });

        it("fails if the job can't be removed, or its cluster may be another one", async () => {
            const outs = await create();
            swept = 1;
            await assert.rejects(
                fluxTicket.delete(outs.nonce, outs),
                /hpc\/lammps may still have a job solve .*: Flux did not remove it: .*no/,
            );
            swept = 66;
            await assert.rejects(
                fluxTicket.delete(outs.nonce, outs),
                /: it is running\. Wait until it ends, or cancel it/,
            );
            lead.state = "gone";
            await fluxTicket.delete(outs.nonce, outs);
            const elsewhere = { ...outs, lead: { uid: "of another cluster" }, clusterMark: undefined };
            await assert.rejects(
                fluxTicket.delete(outs.nonce, elsewhere),
                /neither Job hpc\/lammps nor its Service .*PULUMI_K8S_DELETE_UNREACHABLE/,
            );
            lead.state = "suspended";
            await fluxTicket.delete(outs.nonce, outs);
            assert.deepEqual(lead.called, ["sweep", "sweep"]);
        });
    });
});

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { V1ContainerState } from "@kubernetes/client-node";

import { placeOf } from "../../../../provider/flux/clusterPlace";
import { overcome } from "../../../../provider/flux/lead";
import { waitingFor } from "../../../../provider/fluxSubmission/waiting";
import { jobStatus } from "../../../../provider/jobStatus/verbs";
import { BRIEFLY, connect } from "../../../../provider/kubernetes/client";
import { followAddress } from "../../../../provider/kubernetes/kubeconfig/newAddress";
import { type Between, tunnel } from "../../support/between";
import { FakeApi, putLeadService, useApi } from "../../support/fakeApi";
import { makePod, makeStatusInputs, TIMEOUTS } from "../../support/states";
import { makeSubmission } from "../../support/submissions";

/** The kubeconfig's file gets another address while an operation waits, as behind a tunnel that starts again. */
describe("A wait at an address that has changed", () => {
    const api = useApi(putLeadService);
    const { log } = console;
    let folder: string;
    let way: Between;

    beforeEach(async () => {
        console.log = () => undefined;
        folder = mkdtempSync(join(tmpdir(), "new-address-"));
        await lead(api);
    });

    afterEach(() => {
        console.log = log;
        way.close();
        rmSync(folder, { recursive: true });
    });

    const file = () => join(folder, "kubeconfig");
    const portOf = ({ kubeconfig }: FakeApi) => new URL(JSON.parse(kubeconfig).clusters[0].cluster.server).port;

    /** Lets the kubeconfig lead to an API server by a new tunnel. The one before it ends. */
    async function lead(to: FakeApi): Promise<void> {
        const before: Between | undefined = way;
        way = await tunnel(Number(portOf(to)));
        writeFileSync(file(), to.kubeconfig.replace(`:${portOf(to)}`, `:${way.port}`));
        before?.close();
    }

    const putJob = () => api.put("jobs", { metadata: { name: "lammps", uid: "job-uid" }, status: {} });

    function putPod(state: V1ContainerState, phase = "Running"): void {
        const conditions = [
            { type: "PodScheduled", status: "True", lastTransitionTime: new Date() },
            { type: "Ready", status: "True", lastTransitionTime: new Date() },
        ];
        const container = { name: "flux", image: "", imageID: "", ready: true, restartCount: 0, state };
        const pod = makePod(0, { phase, conditions, containerStatuses: [container] });
        const labels = { ...pod.metadata?.labels, "batch.kubernetes.io/controller-uid": "job-uid" };
        api.put("pods", { ...JSON.parse(JSON.stringify(pod)), metadata: { ...pod.metadata, labels } });
    }

    /** Waits for the end of a command that runs. */
    async function wait(ready: number): Promise<{ readonly waiting: ReturnType<typeof jobStatus.create> }> {
        putJob();
        putPod({ running: { startedAt: new Date() } });
        const goal = { ephemeral: true, waitFor: "completed", size: 1, timeouts: { ...TIMEOUTS, ready } };
        const waiting = jobStatus.create(makeStatusInputs({ kubeconfig: file(), ...goal }));
        await api.watchedByWait();
        return { waiting };
    }

    it("of a cluster goes on at the new one", async () => {
        const { waiting } = await wait(TIMEOUTS.ready);
        await lead(api);
        putPod({ terminated: { exitCode: 0, reason: "Completed", startedAt: new Date() } }, "Succeeded");
        assert.equal((await waiting).outs.phase, "succeeded");
    });

    it("of a cluster doesn't go on in another cluster, where the Job would count as deleted", async () => {
        const other = await FakeApi.start();
        try {
            const { waiting } = await wait(1);
            await lead(other);
            await assert.rejects(waiting, /^Error: lammps: The API server does not answer/);
            assert.match(other.requests.join("\n"), /GET \S*jobs\/lammps/);
            assert.doesNotMatch(other.requests.join("\n"), /watch/);
        } finally {
            await other.stop();
        }
    });

    it("goes back to an address that it has left", async () => {
        await lead(api);
        const texts = [readFileSync(file(), "utf8"), api.kubeconfig];
        const access = { kubeconfig: file() };
        const [waiting, asked] = [connect(access), connect(access, BRIEFLY)];
        const addresses = [waiting.server];
        for (const text of [texts[1], texts[0], texts[1]]) {
            writeFileSync(file(), text);
            for (const kube of [waiting, asked]) {
                await followAddress(kube, access, async () => true);
                assert.equal(kube.server, connect(access, kube.patience).server);
            }
            addresses.push(waiting.server);
        }
        assert.deepEqual(addresses, [...addresses.slice(2), ...addresses.slice(2)]);
        assert.notEqual(addresses[0], addresses[1]);
    });

    for (const [what, uid, service, follows] of [
        ["of a FluxJob goes on at the new one", "job-uid", undefined, true],
        ["of a FluxJob goes on where the Service is that its submission has found", undefined, "service-uid", true],
        ["of a FluxJob doesn't go on where its cluster isn't", "another", undefined, false],
        ["of a FluxJob doesn't go on where another Service has its name", undefined, "another", false],
        ["of a FluxJob doesn't go on where only a name could tell its cluster", undefined, undefined, false],
    ] as const) {
        it(what, async () => {
            putJob();
            const cluster = { name: "lammps", namespace: "hpc", uid };
            const means = waitingFor(makeSubmission({ kubeconfig: file(), cluster }));
            const found = { cluster, clusterUid: uid, lead: service && { uid: service, nonce: "n" } };
            const waiting = { ...means, cluster: placeOf(found) };
            const before = waiting.kube.server;
            await lead(api);
            await overcome(Object.assign(new Error("cut"), { code: "ECONNRESET" }), waiting, Infinity);
            assert.equal(waiting.kube.server, follows ? connect({ kubeconfig: file() }).server : before);
        });
    }
});

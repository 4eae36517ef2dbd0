import { KubeConfig } from "@kubernetes/client-node";
import assert from "node:assert/strict";

import { Kube, retry } from "../../../../provider/kube/client";
import { isTransient } from "../../../../provider/kube/failure";
import { FakeApi } from "../../support/fakeApi";

describe("Kube", () => {
    let api: FakeApi;
    let config: KubeConfig;

    beforeEach(async () => {
        api = await FakeApi.start();
        config = new KubeConfig();
        config.loadFromString(api.kubeconfig);
    });

    afterEach(() => api.stop());

    it("asks again where the API server takes a request and doesn't answer", async () => {
        api.put("services", { metadata: { name: "lammps-lead", uid: "service-uid" } });
        api.fail(/services/, "hang", { times: 2 });
        const service = await new Kube(config, { seconds: 0.1, tries: 7 }).getService("hpc", "lammps-lead");
        assert.equal(service.metadata?.uid, "service-uid");
        assert.equal(api.requests.length, 3);
    });

    it("doesn't ask again for a Job to be made, which may have been", async () => {
        api.fail(/^POST/, "hang");
        const created = new Kube(config, { seconds: 0.1, tries: 7 }).createJob("hpc", { metadata: { name: "lammps" } });
        await assert.rejects(created, (error) => isTransient(error));
        assert.equal(api.requests.length, 1);
    });

    it("refuses a kubeconfig that names no cluster", () => {
        assert.throws(() => new Kube(new KubeConfig()), /The kubeconfig has no current context with a cluster\./);
    });
});

describe("retry", () => {
    it("gives up on what can't heal at once", async () => {
        let calls = 0;
        const refused = () => {
            calls++;
            return Promise.reject(Object.assign(new Error("no"), { code: 403, body: {} }));
        };
        await assert.rejects(retry(refused));
        assert.equal(calls, 1);
    });
});

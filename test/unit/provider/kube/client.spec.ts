import { KubeConfig } from "@kubernetes/client-node";
import assert from "node:assert/strict";

import { Kube, retry } from "../../../../provider/kube/client";
import { isTransient } from "../../../../provider/kube/failure";
import { useApi } from "../../support/fakeApi";

describe("Kube", () => {
    const api = useApi();
    let config: KubeConfig;

    beforeEach(() => {
        config = new KubeConfig();
        config.loadFromString(api.kubeconfig);
    });

    it("repeats a read if the API server accepts the request and doesn't answer", async () => {
        api.put("services", { metadata: { name: "lammps-lead", uid: "service-uid" } });
        api.fail(/services/, "hang", { times: 2 });
        const service = await new Kube(config, { seconds: 0.1, tries: 7 }).getService("hpc", "lammps-lead");
        assert.equal(service.metadata?.uid, "service-uid");
        assert.equal(api.requests.length, 3);
    });

    it("doesn't repeat the creation of a Job, which may have succeeded", async () => {
        api.fail(/^POST/, "hang");
        const created = new Kube(config, { seconds: 0.1, tries: 7 }).createJob("hpc", { metadata: { name: "lammps" } });
        await assert.rejects(created, (error) => isTransient(error));
        assert.equal(api.requests.length, 1);
    });

    describe("with a long answer", () => {
        const log = (kube: Kube) =>
            kube.core.readNamespacedPodLog({ namespace: "hpc", name: "lammps-0-x", container: "flux" });

        it("waits for as long as more of it comes", async () => {
            api.serveLog = (_url, response) => {
                let left = 6;
                response.writeHead(200, { "content-type": "text/plain" });
                const timer = setInterval(() => {
                    response.write(`${left}\n`);
                    if (--left === 0) {
                        clearInterval(timer);
                        response.end();
                    }
                }, 250);
            };
            assert.equal(await log(new Kube(config, { seconds: 1, tries: 1 })), "6\n5\n4\n3\n2\n1\n");
        });

        it("fails if nothing more of it comes", async () => {
            api.serveLog = (_url, response) => response.writeHead(200, { "content-type": "text/plain" }).write("a");
            await assert.rejects(log(new Kube(config, { seconds: 0.1, tries: 1 })), (error) => isTransient(error));
        });
    });

    it("refuses a kubeconfig without a cluster", () => {
        assert.throws(() => new Kube(new KubeConfig()), /The kubeconfig has no current context with a cluster\./);
    });
});

describe("retry", () => {
    it("gives up at once on an error that can't heal", async () => {
        let calls = 0;
        const refused = () => {
            calls++;
            return Promise.reject(Object.assign(new Error("no"), { code: 403, body: {} }));
        };
        await assert.rejects(retry(refused));
        assert.equal(calls, 1);
    });
});

import { KubeConfig } from "@kubernetes/client-node";
import assert from "node:assert/strict";

import { Kube, retry } from "../../../../provider/kubernetes/client";
import { isTransient } from "../../../../provider/kubernetes/failures/failure";
import { waitAfter } from "../../../../provider/kubernetes/retry";
import { onSlowAnswer, orTold } from "../../../../provider/kubernetes/failures/slowAnswer";
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

    it("names the API server that doesn't answer, for as long as it was waited for", async () => {
        api.fail(/services/, "hang", { times: 2 });
        const kube = new Kube(config, { seconds: 0.1, tries: 2 });
        await assert.rejects(kube.getService("hpc", "lammps-lead"), {
            message: `the API server at ${kube.server} does not answer (0.1 s)`,
        });
        assert.equal(api.requests.length, 2);
    });

    it("tells once that it waits for a server, only if the answer takes long", async () => {
        const told: string[] = [];
        onSlowAnswer((text) => told.push(text));
        let answer: (value: number) => void = () => undefined;
        const slow = Array.from({ length: 2 }, () =>
            orTold("the API server at a", new Promise((end) => (answer = end)), 1),
        );
        await orTold("the API server at b", Promise.resolve(), 60_000);
        await new Promise<void>((resolve) => {
            const look = () => (told.length > 0 ? resolve() : setTimeout(look, 5));
            look();
        });
        answer(1);
        await slow[1];
        onSlowAnswer(undefined);
        assert.deepEqual(told, ["waits for the API server at a"]);
    });

    it("knows the time by the API server's clock, if this machine's is another", async () => {
        const kube = new Kube(config, { seconds: 5, tries: 1 });
        const ahead = () => Math.round((kube.now().getTime() - Date.now()) / 60_000);
        await kube.version();
        assert.equal(kube.now().getTime() - Date.now(), 0);
        api.answerHeaders = { Date: new Date(Date.now() + 600_000).toUTCString() };
        await kube.version();
        assert.equal(ahead(), 10);
    });

    it("keeps the header Retry-After of a refusal", async () => {
        api.answerHeaders = { "Retry-After": "7" };
        api.fail(/services|version/, 429, { times: 9 });
        const kube = new Kube(config, { seconds: 5, tries: 1 });
        for (const call of [() => kube.getService("hpc", "lammps-lead"), () => kube.read("/version", {})]) {
            await assert.rejects(call, (error) => waitAfter(error, 1) === 7000);
        }
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

describe("waitAfter", () => {
    it("is the wait that the server asks for, if it is longer than our own, and limited", () => {
        const refusal = (after: string) => Object.assign(new Error(), { code: 429, headers: { "retry-after": after } });
        const waits = ["1", "0", "3600", "soon", new Date(Date.now() + 3_600_000).toUTCString()].map((after) =>
            waitAfter(refusal(after), 3),
        );
        assert.deepEqual(waits, [1000, 400, 30_000, 400, 30_000]);
        assert.equal(waitAfter(new Error(), 1), 100);
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

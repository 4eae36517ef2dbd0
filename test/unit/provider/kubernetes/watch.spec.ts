import type { V1Pod } from "@kubernetes/client-node";
import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { mock } from "node:test";

import { connect, type Patience } from "../../../../provider/kubernetes/client";
import { sentence } from "../../../../provider/kubernetes/failures/failure";
import { watchList } from "../../../../provider/kubernetes/watch";
import { soon } from "../../../e2e/support/until";
import { useApi } from "../../support/fakeApi";

describe("watchList", () => {
    const api = useApi();
    let stop: AbortController;
    let log: string[];

    beforeEach(() => {
        stop = new AbortController();
        log = [];
    });

    afterEach(() => {
        stop.abort();
    });

    const names = (pods: readonly V1Pod[]) => pods.map((pod) => pod.metadata?.name).join(" ");

    function start(patience?: Patience): Promise<void> {
        const request = { kind: "pods" as const, namespace: "hpc", labelSelector: "app=x" };
        const handler = {
            listed: (pods: readonly V1Pod[]) => log.push(`listed ${names(pods)}`.trim()),
            present: (pod: V1Pod) => log.push(`present ${pod.metadata?.name}`),
            gone: (pod: V1Pod) => log.push(`gone ${pod.metadata?.name}`),
            reachable: (error: unknown) => log.push(error === undefined ? "reachable" : "unreachable"),
        };
        return watchList<V1Pod>(connect({ kubeconfig: api.kubeconfig }, patience), request, handler, stop.signal);
    }

    const put = (name: string, app = "x") => api.put("pods", { metadata: { name, labels: { app } } });
    const watching = (times = 1) => api.seen(/watch=true/, times);

    /** Waits until the log has this line. */
    const logged = (line: string): Promise<boolean> =>
        soon(
            () => `no "${line}" in ${log.join(", ")}`,
            () => log.includes(line),
        );

    it("reports the present objects, then those that are added, changed and removed", async () => {
        put("a");
        put("other", "y");
        const watched = start();
        await watching();
        put("b");
        put("a");
        api.remove("pods", "b");
        await logged("gone b");
        stop.abort();
        await watched;
        assert.deepEqual(log, ["listed a", "reachable", "present b", "present a", "gone b"]);
    });

    it("reads long lists in pages", async () => {
        for (let index = 0; index < 1200; index++) {
            put(`pod-${index}`);
        }
        const watched = start();
        await watching();
        stop.abort();
        await watched;
        assert.equal(log[0].split(" ").length, 1201);
        assert.equal(api.requests.filter((request) => request.includes("limit=500")).length, 3);
    });

    it("continues after a broken connection, and misses nothing in between", async () => {
        put("a");
        const watched = start();
        await watching();
        api.cutWatches();
        put("b");
        await logged("present b");
        stop.abort();
        await watched;
        assert.deepEqual(
            log.filter((line) => line.startsWith("listed")),
            ["listed a"],
        );
    });

    it("lists again if the API server no longer has the version", async () => {
        put("a");
        const watched = start();
        await watching();
        put("b");
        await logged("present b");
        api.expireWatches();
        await logged("listed a b");
        stop.abort();
        await watched;
    });

    it("lists again if the watch itself is answered with 410", async () => {
        api.fail(/watch=true/, 410);
        const watched = start();
        await watching(2);
        stop.abort();
        await watched;
        assert.deepEqual(log.filter((line) => line === "listed").length, 2);
    });

    it("pauses if the API server answers every list with 410", async () => {
        api.fail(/pods/, 410, { times: 99 });
        const before = Date.now();
        const watched = start();
        await api.seen(/pods/, 3);
        assert.ok(Date.now() - before >= 900, "there were no pauses");
        stop.abort();
        await watched;
    });

    it("pauses and lists again if every watch is ended at once without an event", async () => {
        api.fail(/watch=true/, 200, { times: 99 });
        const before = Date.now();
        const watched = start();
        await watching(3);
        assert.ok(Date.now() - before >= 900, "there were no pauses");
        stop.abort();
        await watched;
        assert.equal(log.filter((line) => line === "listed").length, 3);
    });

    it("continues at once if a short watch has reported something", async () => {
        const watched = start();
        await watching();
        put("a");
        await logged("present a");
        const timers = mock.method(globalThis, "setTimeout");
        api.endWatches();
        await watching(2);
        const pauses = timers.mock.calls.filter(({ arguments: [, milliseconds] }) => milliseconds === 500);
        timers.mock.restore();
        assert.deepEqual(pauses, []);
        stop.abort();
        await watched;
    });

    it("listens to its signal only once, however often it reconnects", async () => {
        const watched = start();
        for (const connections of [1, 2, 3]) {
            await watching(connections);
            assert.equal(getEventListeners(stop.signal, "abort").length, 1);
            api.expireWatches();
        }
        stop.abort();
        await watched;
    });

    it("ends at once on its signal while a watch gets no answer", async () => {
        api.fail(/watch=true/, "hang");
        const watched = start();
        await watching();
        stop.abort();
        await watched;
    });

    for (const kept of ["hang", "mute"] as const) {
        it(`lists again if a proxy keeps what watches are sent (${kept}), and says nothing`, async () => {
            api.fail(/watch=true/, kept, { times: 2 });
            const watched = start({ seconds: 0.5, tries: 7 });
            await watching();
            put("a");
            await watching(3);
            put("b");
            await logged("present b");
            stop.abort();
            await watched;
            assert.deepEqual(log, ["listed", "reachable", "listed a", "listed a", "present b"]);
        });
    }

    it("keeps a watch of events, of which there are no signs of life", async () => {
        const kube = connect({ kubeconfig: api.kubeconfig }, { seconds: 0.1, tries: 7 });
        const handler = { listed: () => {}, present: () => {}, gone: () => {} };
        void watchList(kube, { kind: "events", namespace: "hpc" }, handler, stop.signal);
        await api.seen(/events.*watch=true/);
        // A watch of pods that gets nothing has listed them twice meanwhile.
        void start({ seconds: 0.1, tries: 7 });
        await api.seen(/pods\?(?!.*watch)/, 3);
        assert.equal(api.requests.filter((request) => /events.*watch=true/.test(request)).length, 1);
    });

    it("keeps a quiet watch for longer than an answer may take", async () => {
        const patience = { seconds: 0.3, tries: 7 };
        const watched = start(patience);
        await watching();
        // Another watch gets no answer. When its time is over, that of the first watch is over too.
        api.fail(/jobs.*watch=true/, "hang");
        const kube = connect({ kubeconfig: api.kubeconfig }, patience);
        const handler = { listed: () => {}, present: () => {}, gone: () => {} };
        void watchList(kube, { kind: "jobs", namespace: "hpc" }, handler, stop.signal);
        await api.seen(/jobs\?(?!.*watch)/, 2);
        put("a");
        await logged("present a");
        stop.abort();
        await watched;
        assert.deepEqual(log, ["listed", "reachable", "present a"]);
        assert.equal(api.requests.filter((request) => /pods.*watch=true/.test(request)).length, 1);
    });

    for (const code of [429, 500, "cut"] as const) {
        it(`reports an unavailable API server (${code}), and lists again`, async () => {
            api.fail(/pods\?(?!.*watch)/, code);
            const watched = start();
            await watching();
            stop.abort();
            await watched;
            assert.deepEqual(log, ["unreachable", "listed", "reachable"]);
        });
    }

    it("reports that the API server answers only when it does, even without a new list", async () => {
        api.fail(/watch=true/, 503, { times: 2 });
        const watched = start();
        await watching(3);
        put("a");
        await logged("present a");
        stop.abort();
        await watched;
        assert.deepEqual(
            log.filter((line) => line !== "present a"),
            ["listed", "reachable", "unreachable", "unreachable", "reachable"],
        );
    });

    it("fails at an error that can't heal, with the API server's message", async () => {
        const message =
            'pods is forbidden: User "me" cannot list resource "pods" in API group "" in the namespace "hpc"';
        api.fail(/pods/, 403, { message });
        await assert.rejects(start(), (error: { body?: unknown }) => {
            assert.match(JSON.stringify(error.body), /cannot list resource/);
            return true;
        });
    });

    it("fails if only watching is forbidden, and names the right", async () => {
        api.fail(/watch=true/, 403, { message: "x" });
        await assert.rejects(start(), (error: Error) => {
            assert.equal(sentence(error), 'cannot watch pods in the namespace "hpc": Forbidden');
            return true;
        });
    });

    it("ends at once on its signal, even while the API server is unavailable", async () => {
        api.fail(/pods/, 503, { times: 99 });
        const watched = start();
        await logged("unreachable");
        // The end needs no input and no timer, so it comes first even on a busy machine.
        const late = new Promise((resolve) => setTimeout(resolve, 400, "late"));
        stop.abort();
        assert.notEqual(await Promise.race([watched, late]), "late");
    });

    it("sends no request if its signal came before", async () => {
        stop.abort();
        await start();
        assert.deepEqual(api.requests, []);
    });
});

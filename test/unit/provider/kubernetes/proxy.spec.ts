import assert from "node:assert/strict";
import { createServer, request, type Server } from "node:http";
import { type AddressInfo, connect as dial } from "node:net";
import { text } from "node:stream/consumers";

import { connect, type Kube } from "../../../../provider/kubernetes/client";
import { execute } from "../../../../provider/kubernetes/streams/exec";
import { readLog } from "../../../../provider/kubernetes/streams/podLog";
import { proxyFor } from "../../../../provider/kubernetes/kubeconfig/proxy";
import { watchList } from "../../../../provider/kubernetes/watch";
import { useApi } from "../../support/fakeApi";

describe("proxyFor", () => {
    const HTTPS_PROXY = "http://proxy:3128";
    const chosen = (server: string, environment: Record<string, string>) => proxyFor(server, environment);

    it("chooses by the scheme of the server, and prefers variables in upper case", () => {
        const both = { HTTP_PROXY: "http://a", HTTPS_PROXY: "http://b" };
        assert.equal(chosen("http://api", both), "http://a");
        assert.equal(chosen("https://api", both), "http://b");
        assert.equal(chosen("https://api", { https_proxy: "http://c" }), "http://c");
        assert.equal(chosen("https://api", { HTTPS_PROXY, https_proxy: "http://c" }), HTTPS_PROXY);
        assert.equal(chosen("https://api", { HTTPS_PROXY: "proxy:3128" }), HTTPS_PROXY);
        assert.equal(chosen("https://api", {}), undefined);
        assert.equal(chosen("no address", { HTTP_PROXY: "http://a" }), undefined);
    });

    for (const server of [
        "https://localhost:6443",
        "https://127.0.0.1:6443",
        "https://127.9.9.9",
        "https://[::1]:6443",
    ]) {
        it(`connects directly to ${server}`, () => assert.equal(chosen(server, { HTTPS_PROXY }), undefined));
    }

    const direct: [exceptions: string, server: string][] = [
        ["*", "https://api.corp:6443"],
        ["api.corp", "https://api.corp:6443"],
        ["corp", "https://api.corp:6443"],
        [".corp", "https://api.corp:6443"],
        ["*.corp", "https://API.corp:6443"],
        ["api.corp:6443", "https://api.corp:6443"],
        ["api.corp:443", "https://api.corp"],
        [" other , api.corp ", "https://api.corp"],
        ["10.1.2.3", "https://10.1.2.3:6443"],
        ["10.1.2.3:6443", "https://10.1.2.3:6443"],
        ["10.0.0.0/8,192.168.0.0/16", "https://10.1.2.3:6443"],
        ["fd00::/8", "https://[fd00::1]:6443"],
        ["[fd00::1]:6443", "https://[fd00::1]:6443"],
        ["fd00::1", "https://[fd00::1]:6443"],
    ];
    for (const [exceptions, server] of direct) {
        it(`connects directly to ${server} if NO_PROXY is "${exceptions}"`, () => {
            assert.equal(chosen(server, { HTTPS_PROXY, NO_PROXY: exceptions }), undefined);
            assert.equal(chosen(server, { HTTPS_PROXY, no_proxy: exceptions }), undefined);
        });
    }

    const proxied: [exceptions: string, server: string][] = [
        ["", "https://api.corp"],
        [",/,:,[]", "https://api.corp"],
        ["pi.corp", "https://api.corp"],
        [".corp", "https://corp"],
        ["api.corp:443", "https://api.corp:6443"],
        ["10.0.0.0/8", "https://11.1.2.3"],
        ["10.0.0.0/99", "https://10.1.2.3"],
        ["10.0.0.0/8", "https://10.corp"],
        ["2.3", "https://10.1.2.3"],
        ["fd00::/8", "https://10.1.2.3"],
    ];
    for (const [exceptions, server] of proxied) {
        it(`uses the proxy for ${server} if NO_PROXY is "${exceptions}"`, () => {
            assert.equal(chosen(server, { HTTPS_PROXY, NO_PROXY: exceptions }), HTTPS_PROXY);
        });
    }
});

describe("a proxy", () => {
    const api = useApi();
    let proxy: Server;
    /** How many connections and requests the proxy has passed on. */
    let passed: number;
    const { HTTP_PROXY } = process.env;

    /** The address of the API server as only the proxy knows it. */
    const hidden = "http://api.corp";

    beforeEach(async () => {
        passed = 0;
        const { port } = new URL(JSON.parse(api.kubeconfig).clusters[0].cluster.server);
        proxy = createServer((incoming, response) => {
            passed++;
            const { pathname, search } = new URL(incoming.url ?? "", hidden);
            const onward = request(
                { port, path: pathname + search, method: incoming.method, headers: incoming.headers },
                (answer) => {
                    response.writeHead(answer.statusCode ?? 500, answer.headers).flushHeaders();
                    answer.pipe(response);
                },
            );
            incoming.pipe(onward);
        });
        proxy.on("connect", (_request, socket) => {
            passed++;
            const onward = dial(Number(port), "127.0.0.1", () => socket.write("HTTP/1.1 200 OK\r\n\r\n"));
            socket.pipe(onward).pipe(socket);
            for (const end of [socket, onward]) {
                end.on("error", () => [socket, onward].forEach((each) => each.destroy()));
            }
        });
        await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
        api.put("jobs", { metadata: { name: "lammps" } });
        api.logs.set("lammps-0", "printed");
    });

    afterEach(() => {
        process.env.HTTP_PROXY = HTTP_PROXY;
        if (HTTP_PROXY === undefined) {
            delete process.env.HTTP_PROXY;
        }
        proxy.closeAllConnections();
        proxy.close();
    });

    const address = () => `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const kubeconfig = (cluster: object) => {
        const config = JSON.parse(api.kubeconfig);
        // Clients are kept by their kubeconfig, so each test needs its own.
        config.users[0].user.token = address();
        config.clusters[0].cluster = { ...config.clusters[0].cluster, server: hidden, ...cluster };
        return JSON.stringify(config);
    };

    const signal = () => new AbortController().signal;
    const ways: Record<string, (kube: Kube) => Promise<unknown>> = {
        "a call": async (kube) => assert.equal((await kube.getJob("hpc", "lammps")).metadata?.name, "lammps"),
        "a watch": async (kube) => {
            const stop = new AbortController();
            const handler = { present: () => undefined, gone: () => undefined, listed: () => undefined };
            const watched = watchList(kube, { kind: "jobs", namespace: "hpc" }, handler, stop.signal);
            await api.seen(/watch=true/);
            stop.abort();
            await watched;
        },
        "a log": async (kube) => {
            const container = { namespace: "hpc", pod: "lammps-0", container: "flux" };
            assert.equal(await text(readLog(kube, container, {}, { seconds: 9 })), "printed");
        },
        "a command": async (kube) => {
            const container = { namespace: "hpc", pod: "lammps-0", container: "flux" };
            await assert.rejects(
                execute(kube, container, { command: ["id"], input: "", seconds: 9, signal: signal() }),
                /lammps-0/,
            );
            assert.match(api.requests.join("\n"), /pods\/lammps-0\/exec/);
        },
    };
    for (const [what, go] of Object.entries(ways)) {
        it(`of the kubeconfig passes ${what} on`, async () => {
            await go(connect({ kubeconfig: kubeconfig({ "proxy-url": address() }) }));
            assert.ok(passed > 0);
        });

        it(`of the environment passes ${what} on`, async () => {
            process.env.HTTP_PROXY = address();
            await go(connect({ kubeconfig: kubeconfig({}) }));
            assert.ok(passed > 0);
        });
    }

    it("of the kubeconfig takes precedence over that of the environment", () => {
        process.env.HTTP_PROXY = "http://127.0.0.1:1";
        const { config } = connect({ kubeconfig: kubeconfig({ "proxy-url": address() }) });
        assert.equal(config.getCurrentCluster()?.proxyUrl, address());
    });
});

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { FluxJob, MiniCluster } from "flux-minicluster";

import { type Between, gateway, refuseUpgrade, tunnel } from "../unit/support/between";
import { FaultProxy } from "./support/faultProxy";
import { useNamespace } from "./support/namespace";
import { until } from "./support/until";

const PREFIX = "/k8s/clusters/c-1";

/** Rows of docs/kubeconfigs.md with the real API server. Each other one is made for a fake one. */
describe("MiniCluster whose API server is behind a proxy", () => {
    const namespace = useNamespace();
    let proxy: FaultProxy;
    let folder: string;
    let between: Between | undefined;

    before(async () => {
        folder = mkdtempSync(join(tmpdir(), "flux-minicluster-between-"));
        proxy = await FaultProxy.start(namespace.kubeconfig);
    });

    afterEach(() => between?.close());

    after(async () => {
        await proxy.close();
        rmSync(folder, { recursive: true });
    });

    const direct = () => JSON.parse(readFileSync(proxy.kubeconfig, "utf8"));
    const target = () => Number(new URL(direct().clusters[0].cluster.server).port);
    const file = () => join(folder, "kubeconfig");

    /** Puts something before the API server, and its address into the kubeconfig's file. */
    async function put(start: (target: number) => Promise<Between>, path = ""): Promise<void> {
        const before = between;
        between = await start(target());
        const config = direct();
        config.clusters[0].cluster.server = `http://127.0.0.1:${between.port}${path}`;
        writeFileSync(file(), JSON.stringify(config));
        before?.close();
    }

    const stackOf = (name: string, command: string[]) =>
        namespace.stack(name, async () => ({
            output: new MiniCluster(name, { image: namespace.image, command, kubeconfig: file() }).output,
        }));

    const kinds: [string, Parameters<typeof put>][] = [
        ["that keeps an answer until it is complete", [(to) => gateway(to, { isBuffering: true })]],
        ["that cuts idle connections", [(to) => gateway(to, { cutsIdle: true })]],
        ["that closes each connection soon", [(to) => tunnel(to, { lasts: 300 })]],
        ["that has a path prefix", [(to) => gateway(to, { prefix: PREFIX }), `${PREFIX}/`]],
    ];
    for (const [index, [what, how]] of kinds.entries()) {
        it(`${what} runs its command`, async () => {
            await put(...how);
            const { outputs } = await stackOf(`kind-${index}`, ["sh", "-c", "sleep 2; echo done"]).up();
            assert.equal(outputs.output, "done\n");
            assert.ok((between?.passed() ?? 0) > 0);
        });
    }

    it("that passes no Upgrade comes up, and a FluxJob on it says why it can't run", async () => {
        await put((to) => gateway(to, { upgrade: refuseUpgrade(400) }));
        let hasJob = false;
        const stack = namespace.stack("plain", async () => {
            const restful = { enabled: false };
            const cluster = new MiniCluster("plain", { image: namespace.image, size: 1, restful, kubeconfig: file() });
            if (hasJob) {
                new FluxJob("job", { cluster, command: ["hostname"], timeouts: { ready: 5 } });
            }
        });
        await stack.up();
        hasJob = true;
        const { text } = await stack.fails("up");
        assert.match(text, /a proxy or a login may pass no WebSockets\. Let it pass the header Upgrade/);
    });

    it("whose address changes during an update is waited for at the new one", async () => {
        await put((to) => tunnel(to));
        const stack = stackOf("moving", ["sh", "-c", "until test -e /tmp/end; do sleep 0.2; done; echo done"]);
        const up = stack.up();
        await until("the command runs", async () => /moving: command runs/.test(stack.printed) || undefined);
        await put((to) => tunnel(to));
        await until("the wait misses the API server", async () => /does not answer/.test(stack.printed) || undefined);
        await namespace.exec("moving", ["touch", "/tmp/end"]);
        assert.equal((await up).outputs.output, "done\n");
    });
});

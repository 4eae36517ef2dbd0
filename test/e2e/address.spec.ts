import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import * as kubernetes from "@pulumi/kubernetes";
import { MiniCluster } from "flux-minicluster";

import { type Between, tunnel } from "../unit/support/between";
import { selfSigned } from "./support/certificate";
import { ChangingCluster } from "./support/changing";
import { useNamespace } from "./support/namespace";
import { operations } from "./support/stack";

type Entry = Readonly<Record<string, unknown>>;

/** The API server of a cluster gets another address or another authority, and the cluster stays the same. */
describe("MiniCluster whose API server gets another address", () => {
    const namespace = useNamespace();
    let folder: string;
    let user: string;
    let server: Entry;
    let way: Between;

    before(() => {
        folder = mkdtempSync(join(tmpdir(), "flux-minicluster-address-"));
        user = readFileSync(namespace.kubeconfig, "utf8");
        namespace.kubeconfig = join(folder, "kubeconfig");
    });

    beforeEach(async () => {
        server = JSON.parse(user).clusters[0].cluster;
        await changes["another address"]();
    });

    afterEach(() => way.close());

    after(() => rmSync(folder, { recursive: true }));

    /** The kubeconfig with the API server as it is now. */
    function kubeconfig(): string {
        const config = JSON.parse(user);
        const [{ name }] = config.clusters;
        return JSON.stringify({ ...config, clusters: [{ name, cluster: server }] });
    }

    function api() {
        const { hostname, port } = new URL(JSON.parse(user).clusters[0].cluster.server);
        return { host: hostname, port: Number(port) };
    }

    function change(fields: Entry): void {
        server = { ...server, ...fields };
        writeFileSync(namespace.kubeconfig, kubeconfig());
    }

    const changes: Record<string, () => Promise<void>> = {
        "another address": async () => {
            const before: Between | undefined = way;
            way = await tunnel(api());
            before?.close();
            change({ server: `https://localhost:${way.port}` });
        },
        "an authority with its successor": async () => {
            const known = Buffer.from(String(server["certificate-authority-data"]), "base64");
            const bundle = Buffer.concat([known, Buffer.from(selfSigned("successor").certificate)]);
            change({ "certificate-authority-data": bundle.toString("base64") });
        },
        "no verification": async () => {
            change({ "certificate-authority-data": undefined, "insecure-skip-tls-verify": true });
        },
    };

    /** A stack with a cluster, by the way in which its program gives the kubeconfig. */
    function make(
        name: string,
        provides: (text: string) => { readonly provider?: object; readonly kubeconfig?: string },
    ) {
        const cluster: ChangingCluster = new ChangingCluster(namespace, name, { size: 1 }, undefined, async () => {
            const { kubeconfig: text, provider } = provides(kubeconfig());
            new MiniCluster(
                name,
                { image: namespace.image, restful: { enabled: false }, ...cluster.args, kubeconfig: text },
                { provider: provider as kubernetes.Provider },
            );
        });
        return cluster;
    }

    const explicit = (identifier?: string) => (text: string) => ({
        kubeconfig: text,
        provider: new kubernetes.Provider("tunnel", {
            kubeconfig: text,
            namespace: namespace.name,
            clusterIdentifier: identifier,
        }),
    });

    const kept: Record<string, Parameters<typeof make>[1]> = {
        "the environment": () => ({}),
        "the argument kubeconfig": (text) => ({ kubeconfig: text }),
        "a provider with clusterIdentifier": explicit("hpc"),
    };
    const runProgram = { runProgram: true };
    for (const [from, provides] of Object.entries(kept)) {
        it(`stays if the kubeconfig is from ${from}`, async () => {
            const cluster = make(`kept-${Object.keys(kept).indexOf(from)}`, provides);
            await cluster.stack.up();
            const pods = await cluster.podUids();
            for (const [what, act] of Object.entries(changes)) {
                await act();
                const { events } = await cluster.stack.up();
                assert.doesNotMatch(JSON.stringify(Object.values(operations(events))), /replace|create|delete/, what);
                assert.deepEqual(await cluster.podUids(), pods, what);
            }
        });

        it(`is refreshed and destroyed at another address than the state's, if the kubeconfig is from ${from}`, async () => {
            const cluster = make(`left-${Object.keys(kept).indexOf(from)}`, provides);
            await cluster.stack.up();
            await changes["another address"]();
            await cluster.stack.run((stack, onEvent) => stack.refresh({ onEvent, ...runProgram }));
            await cluster.stack.run((stack, onEvent) => stack.destroy({ onEvent, ...runProgram }));
            await namespace.assertNothingLeft((object) => object.includes(cluster.name));
        });
    }

    const advice = /give the Kubernetes provider clusterIdentifier in an update before that change/;

    describe("and whose Kubernetes provider has no clusterIdentifier", () => {
        it("says in the preview that Pulumi replaces it, and names the cure, which keeps it", async () => {
            const cluster = make("bare", explicit());
            await cluster.stack.up();
            const pods = await cluster.podUids();
            const old = { server, way };
            way = await tunnel(api());
            change({ server: `https://localhost:${way.port}` });

            const idle = await cluster.preview();
            assert.match(idle.changes["bare-job"] ?? "", /replace/);
            assert.match(idle.warnings.join(), /Job \S+\/bare is replaced together with its lead Service/);
            assert.match(idle.warnings.join(), advice);

            const job = await cluster.flux("submit", "sleep", "inf");
            await cluster.flux("job", "wait-event", job, "start");
            const busy = await cluster.stack.fails("preview");
            assert.match(busy.text, /is not replaced together with its lead Service, because its Flux job runs: sleep/);
            assert.match(busy.text, advice);
            await cluster.flux("cancel", job);

            old.way.close();
            const lost = await cluster.stack.fails("up");
            assert.match(lost.text, /deletes the Service at \S+, which can't be reached: \S+ \S+ \S* ?ECONNREFUSED/);
            assert.match(lost.text, advice);
            assert.deepEqual(await cluster.podUids(), pods);
        });

        it("stays if clusterIdentifier is given before the address, also if no API server is at the old one", async () => {
            const given: { identifier?: string } = {};
            const cluster = make("cured", (text) => explicit(given.identifier)(text));
            await cluster.stack.up();
            const pods = await cluster.podUids();
            way.close();
            given.identifier = "hpc";
            const first = await cluster.stack.up();
            await changes["another address"]();
            const second = await cluster.stack.up();
            for (const { events } of [first, second]) {
                assert.doesNotMatch(JSON.stringify(Object.values(operations(events))), /replace|create|delete/);
            }
            assert.deepEqual(await cluster.podUids(), pods);
        });
    });
});

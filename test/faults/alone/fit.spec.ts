import assert from "node:assert/strict";

import { survey } from "../../../provider/judge/fit/survey";
import { connect, Kube as ProviderKube } from "../../../provider/kubernetes/client";
import { Kube } from "../../e2e/support/kube";
import { sharedCluster } from "../../e2e/support/sharedCluster";
import { until } from "../../e2e/support/until";
import { report } from "../support/report";
import { type Judged, tryOut } from "../support/scheduled";
import { useSimulatedNodes } from "../support/simulatedNodes";
import { type Situation, situations } from "../support/situations";

/** `FIT_SITUATIONS=20` tries fewer, `FIT_SEED=7` others. */
const SITUATIONS = Number(process.env.FIT_SITUATIONS ?? 300);
const SEED = Number(process.env.FIT_SEED ?? 1);
/** Number of situations at the same time, each in a namespace of its own. */
const WORKERS = 4;

describe("fit", () => {
    // KWOK also manages the nodes that the situations bring.
    useSimulatedNodes(0);
    const namespaces: string[] = [];
    const judged: Judged[] = [];
    let kube: Kube;
    let kubeconfig: string;

    before(async () => {
        ({ kubeconfig } = (await sharedCluster()).cluster);
        kube = new Kube(kubeconfig);
    });

    after(() => Promise.all(namespaces.map((name) => kube.core.deleteNamespace({ name }))));

    async function makeNamespace(): Promise<string> {
        const { metadata } = await kube.core.createNamespace({ body: { metadata: { generateName: "fit-" } } });
        const namespace = metadata?.name ?? "";
        namespaces.push(namespace);
        const account = () => kube.core.readNamespacedServiceAccount({ namespace, name: "default" });
        await until("the namespace has its account", () =>
            account().then(
                () => true,
                () => undefined,
            ),
        );
        return namespace;
    }

    describe(`of ${SITUATIONS} random Jobs (seed ${SEED})`, () => {
        before(async function () {
            this.timeout(7_200_000);
            const left = situations(SITUATIONS, SEED);
            await Promise.all(Array.from({ length: WORKERS }, () => work(left)));
            const counts: Record<string, number> = {};
            for (const { outcome, verdict } of judged) {
                const kind = `called ${verdict.class}, was ${outcome}`;
                counts[kind] = (counts[kind] ?? 0) + 1;
            }
            console.table(counts);
        });

        async function work(left: Situation[]): Promise<void> {
            const namespace = await makeNamespace();
            for (let next = left.shift(); next !== undefined; next = left.shift()) {
                judged.push(await tryOut(kube, kubeconfig, namespace, next));
            }
        }

        /** The situations of one verdict that ended otherwise, each with its sentence. */
        const wrong = (verdict: string, isWrong: (of: Judged) => boolean) =>
            judged.filter((of) => of.verdict.class === verdict && isWrong(of)).map(told);
        const share = (part: number, whole: number) => (whole === 0 ? 0 : part / whole);

        it("starts at once at least 95 % of those of which it is said", () => {
            const all = judged.filter(({ verdict }) => verdict.class === "now");
            const failed = wrong("now", ({ outcome }) => outcome !== "now");
            assert(all.length > SITUATIONS / 20, `only ${all.length} situations`);
            assert(share(failed.length, all.length) <= 0.05, failed.join("\n"));
        });

        it("starts none of those that are called impossible", () => {
            assert(judged.some(({ verdict }) => verdict.class === "never"));
            assert.deepEqual(
                wrong("never", ({ outcome }) => outcome !== "never"),
                [],
            );
        });

        it("calls at most 10 % of those that start at once or never waiting", () => {
            const all = judged.filter(({ outcome }) => outcome !== "waits");
            const mild = wrong("waits", ({ outcome }) => outcome !== "waits");
            assert(share(mild.length, all.length) <= 0.1, mild.join("\n"));
        });
    });

    it("reads 5,000 nodes within its deadline, with one request for each 500", async function () {
        this.timeout(1_800_000);
        const rows: { nodes: number; requests: number; milliseconds: number }[] = [];
        const names: string[] = [];
        try {
            for (const nodes of [1, 100, 5000]) {
                await addNodes(names, nodes);
                rows.push({ nodes, ...(await measure()) });
            }
        } finally {
            report("fit", "Milliseconds of a survey", rows, [["survey", "milliseconds"]]);
            await inParts(names, (name) => kube.core.deleteNode({ name }));
        }
        for (const { nodes, requests } of rows) {
            // Four other lists, and a page for nodes of other tests.
            assert(requests <= 5 + Math.ceil(nodes / 500), `${requests} requests for ${nodes} nodes`);
        }
    });

    /** Adds nodes without a kubelet, which no pod gets, until there are so many. */
    async function addNodes(names: string[], count: number): Promise<void> {
        const added = Array.from({ length: count - names.length }, (_, index) => `fit-${names.length + index}`);
        names.push(...added);
        const taints = [{ key: "flux-minicluster/nobody", effect: "NoSchedule" }];
        await inParts(added, (name) => kube.core.createNode({ body: { metadata: { name }, spec: { taints } } }));
    }

    async function measure(): Promise<{ requests: number; milliseconds: number }> {
        const client = new CountingKube(connect({ kubeconfig }).config);
        const begun = performance.now();
        const { unread } = await survey(client, { namespace: "default", nodes: true, devices: true });
        const milliseconds = Math.round(performance.now() - begun);
        assert.deepEqual(unread, []);
        return { requests: client.requests, milliseconds };
    }
});

class CountingKube extends ProviderKube {
    requests = 0;

    override read<T>(path: string, query: Readonly<Record<string, string>>): Promise<T> {
        this.requests++;
        return super.read(path, query);
    }
}

/** Calls the API server for many objects, some at a time. */
async function inParts(names: readonly string[], call: (name: string) => Promise<unknown>): Promise<void> {
    for (let from = 0; from < names.length; from += 50) {
        await Promise.allSettled(names.slice(from, from + 50).map(call));
    }
}

function told({ outcome, situation, verdict }: Judged): string {
    const { limitRange, name, nodes, others, quota, size, spec } = situation;
    return JSON.stringify({ name, outcome, verdict, size, spec, nodes, others, quota, limitRange });
}

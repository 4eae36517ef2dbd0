import assert from "node:assert/strict";

import { MiniCluster } from "flux-minicluster";

import { type ApiRequest, requestsOf } from "../e2e/support/auditLog";
import { runningPulumi } from "../e2e/support/interruptions";
import { useNamespace } from "../e2e/support/namespace";
import { closedWatches } from "./support/closedWatches";
import { peakMegabytesDuring } from "./support/memory";
import { ON_SIMULATED_NODES, useSimulatedNodes } from "./support/simulatedNodes";

/** The costs of an up, a second up and a destroy of a cluster. */
interface Cost {
    readonly size: number;
    readonly requests: readonly ApiRequest[];
    readonly watches: number;
    /** Number of watches that the API server has closed itself. */
    readonly closed: number;
    readonly megabytes: number;
    /** Seconds of `pulumi up`, and those of them after the last pod was ready. */
    readonly up: number;
    readonly after: number;
    readonly again: number;
    readonly destroy: number;
    readonly lines: number;
}

describe("Job of thousands of simulated pods", () => {
    useSimulatedNodes(10);
    const namespace = useNamespace();
    const costs: Cost[] = [];

    before(async function () {
        this.timeout(1_800_000);
        for (const size of [10, 1000, 5000]) {
            costs.push(await measure(size));
        }
        console.table(costs.map(({ requests, ...rest }) => ({ ...rest, requests: requests.length })));
    });

    async function measure(size: number): Promise<Cost> {
        const args = { image: "registry.example/flux:1", size, restful: { enabled: false }, ...ON_SIMULATED_NODES };
        const stack = namespace.stack(`size-${size}`, async () => ({
            phase: new MiniCluster(`size-${size}`, args).phase,
        }));
        const from = requestsOf(namespace.username).length;
        const update = stack.up();
        const megabytes = await peakMegabytesDuring(update, (await runningPulumi(stack)).host.pid);
        const { outputs, seconds, text } = await update;
        const ended = Date.now();
        assert.equal(outputs.phase, "ready");
        const requests = requestsOf(namespace.username).slice(from);
        const watches = requests.filter(({ verb }) => verb === "watch").length;
        const closed = closedWatches(namespace.name, `size-${size}`);
        const pods = await namespace.pods(`size-${size}`);
        const last = Math.max(...pods.map(({ status }) => readyAt(status?.conditions)));
        const again = await stack.up(true);
        const destroyed = await stack.destroy();
        const round = (value: number) => Math.round(value * 10) / 10;
        return {
            size,
            requests,
            watches,
            closed,
            megabytes,
            up: round(seconds),
            after: round((ended - last) / 1000),
            again: round(again.seconds),
            destroy: round(destroyed.seconds),
            lines: text.split("\n").length,
        };
    }

    it("needs as few requests as 10 pods, except list pages and closed watches", () => {
        const once = ({ requests }: Cost) =>
            requests.filter(({ uri, verb }) => verb !== "watch" && !uri.includes("continue=")).length;
        const [few, ...many] = costs;
        for (const cost of many) {
            assert(once(cost) <= once(few) + 3, `${once(cost)} requests for ${cost.size} pods, ${once(few)} for 10`);
            // The client reopens a watch after 30 s without an event.
            const quiet = 4 * Math.ceil(cost.up / 30);
            const told = `${cost.watches} watches in ${cost.up} s, ${few.watches} for 10 pods; the API server has closed ${cost.closed}`;
            assert(cost.watches <= few.watches + cost.closed + quiet, told);
        }
    });

    it("takes at most 150 MB more memory in the host than 10 pods", () => {
        const [few, ...many] = costs;
        for (const { megabytes, size } of many) {
            assert(megabytes <= few.megabytes + 150, `${megabytes} MB for ${size} pods, ${few.megabytes} for 10`);
        }
    });

    it("is reported in at most 400 lines", () => {
        assert.deepEqual(
            costs.filter(({ lines }) => lines > 400).map(({ lines, size }) => `${lines} lines for ${size} pods`),
            [],
        );
    });
});

function readyAt(conditions: readonly { type: string; lastTransitionTime?: Date }[] = []): number {
    return conditions.find(({ type }) => type === "Ready")?.lastTransitionTime?.getTime() ?? 0;
}

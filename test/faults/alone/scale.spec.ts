import assert from "node:assert/strict";

import { MiniCluster } from "flux-minicluster";

import { useNamespace } from "../../e2e/support/namespace";
import { closedWatches } from "../support/closedWatches";
import { type Cost, type Costs, costOf, most, tenths } from "../support/cost";
import { report } from "../support/report";
import { ON_SIMULATED_NODES, useSimulatedNodes } from "../support/simulatedNodes";
import { type ControlPlane, measureWithoutPulumi } from "../support/withoutPulumi";
import { limit } from "../../../scripts/tests/limits";

interface Measured extends Costs {
    readonly size: number;
    readonly plain: ControlPlane;
    /** Seconds of the first up before the Job's creation, and after the last pod was ready. */
    readonly over: number;
    /** Number of watches that the API server has closed itself during the first up. */
    readonly closed: number;
}

describe("Job of thousands of simulated pods", () => {
    useSimulatedNodes(10);
    const namespace = useNamespace();
    const measured: Measured[] = [];

    before(async function () {
        this.timeout(3_600_000);
        for (const size of [10, 1000, 10_000]) {
            measured.push(await measure(size));
            report("scale", "Seconds for one cluster, and for the same objects without Pulumi", measured.map(row), [
                ["the same objects ready", "plain up"],
                ["pulumi up", "up"],
                ["the same objects deleted", "plain destroy"],
                ["pulumi destroy", "destroy"],
                ["no-op pulumi up", "no-op up"],
            ]);
        }
    });

    async function measure(size: number): Promise<Measured> {
        const args = {
            image: "registry.example/flux:1",
            size,
            restful: { enabled: false },
            // Simulated pods have no log, and attempts to read it would take 6 s.
            output: { maxBytes: 0 },
            timeouts: { delete: 1800 },
            ...ON_SIMULATED_NODES,
        };
        const plain = await measureWithoutPulumi(namespace, 1, args);
        const stack = namespace.stack(`size-${size}`, async () => ({
            phase: new MiniCluster(`size-${size}`, args).phase,
        }));
        const up = await costOf(namespace, stack, () => stack.up());
        assert.equal(up.outputs.phase, "ready");
        const closed = closedWatches(namespace.name, `size-${size}`);
        const starting = await secondsOfStart(`size-${size}`);
        const again = await costOf(namespace, stack, () => stack.up(true));
        const destroy = await costOf(namespace, stack, () => stack.destroy());
        return { size, plain, up, again, destroy, over: up.seconds - starting, closed };
    }

    /** Seconds from the creation of a Job until its last pod was ready, by the clocks of the API server and of KWOK. */
    async function secondsOfStart(name: string): Promise<number> {
        const { metadata } = await namespace.kube.batch.readNamespacedJob({ name, namespace: namespace.name });
        const pods = await namespace.pods(name);
        const last = Math.max(...pods.map(({ status }) => readyAt(status?.conditions)));
        return (last - (metadata?.creationTimestamp?.getTime() ?? 0)) / 1000;
    }

    it("takes at most 1.5 times the control plane's time for an up, and twice for a destroy, and 15 s", () => {
        for (const { destroy, plain, size, up } of measured) {
            const told = `${size} pods: ${JSON.stringify({ plain, up: up.seconds, destroy: destroy.seconds })}`;
            assert(up.seconds <= 1.5 * plain.up + limit(15), told);
            assert(destroy.seconds <= 2 * plain.destroy + limit(15), told);
        }
    });

    it("takes at most 1 s more for each 1,000 pods, and 5 s, before the Job's creation and after the last pod is ready", () => {
        const [few, ...many] = measured;
        for (const { over, size } of many) {
            assert(over <= few.over + 5 + size / 1000, `${over} s for ${size} pods, ${few.over} s for 10`);
        }
    });

    it("needs as few requests as 10 pods, except list pages and closed watches", () => {
        const once = ({ requests }: Cost) =>
            requests.filter(({ uri, verb }) => verb !== "watch" && !uri.includes("continue=")).length;
        const [few, ...many] = measured;
        for (const { again, closed, destroy, size, up } of many) {
            const told = `${once(up)} requests for ${size} pods, ${once(few.up)} for 10`;
            assert(once(up) <= once(few.up) + 3, told);
            assert(once(again) <= once(few.again) + 3, `no-op up: ${once(again)}, ${once(few.again)} for 10`);
            assert(once(destroy) <= once(few.destroy) + 3, `destroy: ${once(destroy)}, ${once(few.destroy)} for 10`);
            // The client reopens a watch after 30 s without an event.
            const quiet = 4 * Math.ceil(up.seconds / 30);
            const watches = `${watchesOf(up)} watches in ${up.seconds} s, ${watchesOf(few.up)} for 10 pods; the API server has closed ${closed}`;
            assert(watchesOf(up) <= watchesOf(few.up) + closed + quiet, watches);
        }
    });

    it("takes at most 20 MB more memory for each 1,000 pods than 10 pods, and 100 MB, in the host and in the engine", () => {
        const [few, ...many] = measured;
        for (const costs of many) {
            for (const process of ["host", "engine"] as const) {
                const told = `${process}: ${most(process, costs)} MB for ${costs.size} pods, ${most(process, few)} for 10`;
                assert(most(process, costs) <= most(process, few) + 100 + costs.size / 50, told);
            }
        }
    });

    it("is reported in at most 400 lines", () => {
        assert.deepEqual(
            measured.filter(({ up }) => up.lines > 400).map(({ size, up }) => `${up.lines} lines for ${size} pods`),
            [],
        );
    });
});

function row(costs: Measured) {
    const { again, closed, destroy, over, plain, size, up } = costs;
    return {
        pods: size,
        up: tenths(up.seconds),
        "plain up": tenths(plain.up),
        over: tenths(over),
        "no-op up": tenths(again.seconds),
        destroy: tenths(destroy.seconds),
        "plain destroy": tenths(plain.destroy),
        requests: up.requests.length,
        watches: watchesOf(up),
        closed,
        "no-op requests": again.requests.length,
        "destroy requests": destroy.requests.length,
        "host MB": most("host", costs),
        "engine MB": most("engine", costs),
        lines: up.lines,
    };
}

function watchesOf({ requests }: Cost): number {
    return requests.filter(({ verb }) => verb === "watch").length;
}

function readyAt(conditions: readonly { type: string; lastTransitionTime?: Date }[] = []): number {
    return conditions.find(({ type }) => type === "Ready")?.lastTransitionTime?.getTime() ?? 0;
}

import assert from "node:assert/strict";
import { loadavg } from "node:os";

import { MiniCluster, Placement } from "flux-minicluster";

import { useNamespace } from "../../e2e/support/namespace";
import { SecondCluster } from "../../e2e/support/secondCluster";
import { startKubernetes } from "../../e2e/support/secondKubernetes";

const RUNS = 7;
const SIZE = 3;

describe("the quorum of three ranks", function () {
    this.timeout(1_200_000);
    const kubernetes = new SecondCluster();
    const namespace = useNamespace({ world: () => startKubernetes(kubernetes, { NODES: "3" }) });
    after(() => kubernetes.remove());

    /** The seconds from the Job's creation to its quorum, and the number of its nodes. */
    async function measure(
        name: string,
        placement: Placement,
    ): Promise<{ readonly seconds: number; readonly nodes: number }> {
        const stack = namespace.stack(name, async () => {
            const args = { image: namespace.image, size: SIZE, placement, command: ["true"] };
            const { nodes, timings } = new MiniCluster(name, args);
            return { nodes, timings };
        });
        const { outputs } = await stack.up();
        await stack.destroy();
        const nodes = new Set(Object.values(outputs["nodes"] as Record<string, string>));
        return { seconds: (outputs["timings"] as Record<string, number>)["quorum"] ?? NaN, nodes: nodes.size };
    }

    it("takes less than twice as long on three nodes as on one", async () => {
        const seconds: Record<string, number[]> = { pack: [], exclusive: [] };
        const placements = [Placement.Pack, Placement.Exclusive];
        // The first cluster of each node has nothing in the page cache.
        await measure("warm", Placement.Exclusive);
        for (let run = 1; run <= RUNS; run++) {
            for (const placement of run % 2 === 0 ? placements : placements.toReversed()) {
                const measured = await measure(`${placement}-${run}`, placement);
                assert.equal(measured.nodes, placement === Placement.Pack ? 1 : SIZE);
                seconds[placement]?.push(measured.seconds);
            }
        }
        const medians = Object.entries(seconds).map(([placement, values]) => {
            const sorted = values.toSorted((a, b) => a - b);
            const median = sorted[Math.floor(RUNS / 2)] ?? NaN;
            console.log(`      ${placement}: ${sorted.join(" ")}, median ${median}, load ${loadavg()[0]?.toFixed(1)}`);
            return median;
        });
        const [one = NaN, three = NaN] = medians;
        assert(three < 2 * one, `three nodes need ${three} s, and one needs ${one} s`);
    });
});

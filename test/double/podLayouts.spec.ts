import assert from "node:assert/strict";

import type { PlainArgs } from "../../components/args";
import { OnRankLoss } from "../../components/features/attempts/lossPolicy";
import { until } from "../e2e/support/until";
import { provideImage, withPods } from "./support/pods/cluster";
import { brokerOf } from "./support/pods/tasks";

/*
 * The table "Quorum and layout" of docs/run-options.md: on which ranks a command runs. The lead starts alone, and the
 * other ranks start when its broker waits for them.
 */

const SIZE = 3;
const CORES = 8;

/** Sizes, and the number of pods that start. Without `minSize`, all of them must. */
const sizes: readonly (readonly [string, Partial<PlainArgs>, number])[] = [
    ["only size", {}, SIZE],
    ["maxSize above size", { maxSize: 4 }, SIZE],
    ["minSize below size", { minSize: 2, maxSize: 4 }, 2],
];

const COMMAND = ["bash", "-c", 'echo "at $HOSTNAME"'];
const ALL_UP = "flux run -N $(flux resource list --states=up --no-header --format={nnodes}) ";
const LAUNCHER = ["bash", "-c", `${ALL_UP} bash -c 'echo "at $HOSTNAME"'`];

/** Arguments of the command for a number of ranks, and the tasks of each rank. */
const layouts: readonly (readonly [string, (ranks: number) => Partial<PlainArgs>, (ranks: number) => number[]])[] = [
    ["no numbers", () => ({}), (ranks) => Array<number>(ranks).fill(1)],
    ["6 tasks", () => ({ tasks: 6 }), (ranks) => Array<number>(ranks).fill(6 / ranks)],
    ["2 tasks", () => ({ tasks: 2 }), () => [1, 1]],
    ["2 nodes", () => ({ nodes: 2 }), () => [1, 1]],
    ["2 tasks on each node", () => ({ tasksPerNode: 2 }), (ranks) => Array<number>(ranks).fill(2)],
    [
        "a launcher on all ranks that are up",
        () => ({ launcher: true, command: LAUNCHER }),
        (ranks) => Array<number>(ranks).fill(1),
    ],
    [
        "another attempt after a loss",
        (ranks) => ({ onRankLoss: OnRankLoss.Rerun, nodes: ranks }),
        (ranks) => Array<number>(ranks).fill(1),
    ],
];

before(provideImage);

describe("the layout of a command", function () {
    this.timeout(120_000);

    for (const [sized, sizeArgs, pods] of sizes) {
        for (const [given, argsOf, tasksOf] of layouts) {
            it(`with ${sized} and ${given} has ${tasksOf(pods).join(" + ")} tasks`, () => {
                const args = { size: SIZE, cores: CORES, command: COMMAND, ...sizeArgs, ...argsOf(pods) };
                return withPods(args, async (cluster) => {
                    const [lead] = await cluster.start(0);
                    await until("the lead has a broker", async () => brokerOf(cluster, 0));
                    await cluster.start(...Array.from({ length: pods - 1 }, (_, more) => more + 1));
                    assert.equal((await lead.ended()).code, 0);
                    const counts = new Map<string, number>();
                    for (const [, host] of lead.container.output.matchAll(/^at (\S+)$/gm)) {
                        counts.set(host, (counts.get(host) ?? 0) + 1);
                    }
                    assert.deepEqual([...counts.values()], tasksOf(pods));
                });
            });
        }
    }
});

/** Without a command: the number of ranks with which the cluster is ready. test/e2e/elastic.spec.ts has those of `elastic`. */
const quorums: readonly (readonly [string, Partial<PlainArgs>, number])[] = [
    ["only size", {}, SIZE],
    ["maxSize above size", { maxSize: 4 }, 1],
    ["minSize below size", { minSize: 2, maxSize: 4 }, 2],
];

describe("the quorum of a cluster without a command", function () {
    this.timeout(120_000);

    for (const [given, args, ranks] of quorums) {
        it(`with ${given} is ${ranks}, and a job gets that many nodes`, () =>
            withPods({ size: SIZE, cores: CORES, ...args }, async (cluster) => {
                const [lead] = await cluster.start(0);
                await until("the lead has a broker", async () => brokerOf(cluster, 0));
                await cluster.start(...Array.from({ length: ranks - 1 }, (_, more) => more + 1));
                await lead.ready();
                assert.equal(await cluster.flux("getattr", "broker.quorum"), String(ranks));
                const hosts = await cluster.flux("run", "-N", String(ranks), "hostname");
                assert.equal(new Set(hosts.split("\n")).size, ranks, hosts);
            }));
    }
});

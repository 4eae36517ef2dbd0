import { Random } from "../../double/support/random";
import { useNamespace } from "../../e2e/support/namespace";
import { SecondCluster } from "../../e2e/support/secondCluster";
import { startKubernetes } from "../../e2e/support/secondKubernetes";
import { NodeHistory } from "../support/nodeHistory";
import type { Tally } from "../support/notedJobs";

/** NODE_HISTORIES=50 runs more sequences of faults, NODE_SEED=... others, NODE_FIRST=7 leaves out those before the seventh. */
const HISTORIES = Number(process.env["NODE_HISTORIES"] ?? 5);
const SEED = Number(process.env["NODE_SEED"] ?? 41);
const FIRST = Number(process.env["NODE_FIRST"] ?? 1);
/** Clusters that have the same faults at the same time, each with jobs of its own. */
const CLUSTERS = 3;
const [LEAST_FAULTS, MOST_FAULTS] = [2, 4];
/** Histories of a namespace, whose account has an hour. */
const GROUP = 8;

const TOTALS: Record<keyof Tally, number> = { submitted: 0, completed: 0, failed: 0, lost: 0, refused: 0, twice: 0 };

describe("random faults of three nodes", function () {
    this.timeout(1_800_000);
    const kubernetes = new SecondCluster();
    let started: ReturnType<typeof startKubernetes> | undefined;
    const start = () => (started ??= startKubernetes(kubernetes, { NODES: "3", NODE_LOST: "10" }));
    after(async () => {
        console.log(`      ${JSON.stringify(TOTALS)}`);
        await kubernetes.remove();
    });

    const numbers = Array.from({ length: HISTORIES }, (_, index) => FIRST + index);
    for (let from = 0; from < numbers.length; from += GROUP) {
        describe(`NODE_HISTORIES=${HISTORIES} NODE_SEED=${SEED}, from ${numbers[from]}`, () => {
            const namespace = useNamespace({ world: start });
            for (const number of numbers.slice(from, from + GROUP)) {
                it(`loses and repeats no job, except as docs/nodes.md says: history ${number}`, async () => {
                    const random = new Random(SEED * 1000 + number);
                    const options = { name: `h${number}`, clusters: CLUSTERS };
                    const history = new NodeHistory(kubernetes, namespace, random, options);
                    try {
                        await history.run(LEAST_FAULTS + random.below(MOST_FAULTS - LEAST_FAULTS + 1));
                        const tallies = await history.conclude();
                        console.log(`        ${JSON.stringify(tallies)}`);
                        for (const tally of tallies) {
                            for (const key of Object.keys(TOTALS) as (keyof Tally)[]) {
                                TOTALS[key] += tally[key];
                            }
                        }
                    } catch (error) {
                        console.log(`        ${(error as Error).stack}`);
                        throw error;
                    } finally {
                        await history.leave();
                    }
                });
            }
        });
    }
});

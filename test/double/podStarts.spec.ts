import assert from "node:assert/strict";

import type { PlainArgs } from "../../components/args";
import { type PodCluster, provideImage, withPods } from "./support/pods/cluster";
import type { Pod, PodEnd } from "./support/pods/pod";

/** Milliseconds between the moments of SIGTERM. FLUX_TEST_STEP=50 is for tests by hand. */
const STEP = Number(process.env["FLUX_TEST_STEP"] ?? 500);
/** Milliseconds after which a start has finished, with the stand-in, or with Flux on an idle machine. */
const LAST = 3000;
const MOMENTS = Array.from({ length: Math.floor(LAST / STEP) + 1 }, (_, index) => index * STEP);
/** Number of pods that start in parallel. More pods would only slow each other down. */
const AT_A_TIME = 3;
const SLEEP = ["sleep", "10000"];

/** Exit code of a pod after SIGTERM, by docs/troubleshooting.md. 0 would complete the Job. */
const LEFT = 143;

before(provideImage);

describe("SIGTERM at any moment of a start", function () {
    this.timeout(60_000 + MOMENTS.length * 10_000);

    it("ends the lead of a persistent cluster with 143", () => eachAlone({}));

    it("ends the lead of an ephemeral cluster with 143", () => eachAlone({ command: SLEEP }));

    it("ends a follower with 143, and the cluster continues", () =>
        withPods({ size: MOMENTS.length + 1, minSize: 1, resources: { limits: { cpu: "1" } } }, async (cluster) => {
            await cluster.up(1);
            await inTurns(MOMENTS, async (moment, index) => {
                const [pod] = await cluster.start(index + 1);
                assertEnd(moment, await endAt(pod, moment));
            });
            assert.equal(await cluster.flux("run", "echo", "alive"), "alive");
        }));

    function eachAlone(args: Partial<PlainArgs>): Promise<void> {
        return inTurns(MOMENTS, (moment) =>
            withPods({ size: 1, ...args }, async (cluster) => {
                const [pod] = await cluster.start(0);
                assertEnd(moment, await endAt(pod, moment));
            }),
        );
    }

    async function endAt(pod: Pod | undefined, moment: number): Promise<PodEnd> {
        assert.ok(pod);
        await new Promise((resolve) => setTimeout(resolve, Math.max(0, pod.container.began + moment - Date.now())));
        await pod.container.listens();
        assert.ok(pod.container.alive, "the pod ended before SIGTERM");
        return pod.delete();
    }

    function assertEnd(moment: number, { code, killed, seconds }: PodEnd): void {
        assert.deepEqual(
            { code, killed },
            { code: LEFT, killed: false },
            `with SIGTERM after ${moment} ms, it ended with ${code} after ${seconds} s${killed ? ", killed" : ""}`,
        );
    }
});

describe("hook that calls exit 0", function () {
    this.timeout(120_000);
    const HOOKS = [
        ["init", 0],
        ["pre", 0],
        ["worker", 1],
        ["lead", 0],
    ] as const;

    it("fails its pod with exit code 79", async () => {
        await inTurns(HOOKS, ([hook, rank]) =>
            withPods({ size: 2, hooks: { [hook]: "exit 0\n" } }, async (cluster: PodCluster) => {
                const [pod] = await cluster.start(rank);
                const { code, message } = (await pod?.ended()) ?? {};
                assert.equal(code, 79, hook);
                assert.match(message ?? "", new RegExp(`^minicluster\\.error=.*${hook}.*hook`, "m"));
            }),
        );
    });
});

/** Runs some actions in parallel. After the first failure no further action starts. */
async function inTurns<T>(items: readonly T[], action: (item: T, index: number) => Promise<void>): Promise<void> {
    const rest = items.map((item, index) => [item, index] as const);
    const failures: unknown[] = [];
    await Promise.all(
        Array.from({ length: AT_A_TIME }, async () => {
            for (let next = rest.shift(); next !== undefined && failures.length === 0; next = rest.shift()) {
                await action(...next).catch((error: unknown) => failures.push(error));
            }
        }),
    );
    if (failures.length > 0) {
        throw failures[0];
    }
}

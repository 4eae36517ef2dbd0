import assert from "node:assert/strict";

import { MiniCluster } from "flux-minicluster";

import { ARCHIVES } from "../e2e/support/archives";
import { FIND_BROKER } from "../e2e/support/broker";
import { ChangingCluster } from "../e2e/support/changing";
import { type PodAction, doTo } from "../e2e/support/podActions";
import { isReady } from "../e2e/support/kube";
import { rankOf, useNamespace } from "../e2e/support/namespace";
import type { TestStack } from "../e2e/support/stack";
import { until } from "../e2e/support/until";

const SIZE = 3;

describe("persistent MiniCluster", () => {
    const namespace = useNamespace();
    let stack: TestStack;
    let trigger = "";

    before(async () => {
        const args = { image: namespace.image, size: SIZE, restful: { enabled: false } };
        stack = namespace.stack("stays", async () => ({
            phase: new MiniCluster("stays", { ...args, triggers: [trigger] }).phase,
        }));
        await stack.up();
    });

    for (const [who, rank] of [
        ["lead", 0],
        ["follower", 2],
    ] as const) {
        it(`recovers in the same pods after each of ten kills of its ${who}'s broker`, async function () {
            this.timeout(600_000);
            const pods = await uids();
            for (let time = 0; time < 10; time += 1) {
                const before = await brokerOf(rank);
                await doTo(namespace, "stays", rank, "broker is killed");
                await until("the broker is restarted", async () =>
                    ["", before].includes(await brokerOf(rank)) ? undefined : true,
                );
                await until("all ranks have joined", allIn);
            }
            assert.deepEqual(await uids(), pods);
            await assertNoIndexIsOver();
        });
    }

    for (const action of ["pod is deleted", "pod is evicted"] as const satisfies readonly PodAction[]) {
        describe(`whose follower's ${action}`, () => {
            before(async () => {
                // The trigger replaces the Job, because the back-off of a Job never becomes shorter.
                trigger = action;
                await stack.up();
            });

            // The Job controller waits 10 s before it recreates a pod, and twice as long after each further one.
            for (const times of [1, 2]) {
                it(`recovers after the Job's back-off, and is drained and undrained once each time (${times})`, async () => {
                    const before = (await uids())[1];
                    await doTo(namespace, "stays", 1, action);
                    await until(
                        "the pod is recreated",
                        async () => ([undefined, before].includes((await uids())[1]) ? undefined : true),
                        60,
                    );
                    await until("all ranks have joined", allIn, 60);
                    assert.deepEqual(await drains(), { drain: times, undrain: times });
                    await assertNoIndexIsOver();
                });
            }
        });
    }

    /** Pid of the broker in the pod: another one after each start, none while the supervisor waits. */
    async function brokerOf(rank: number): Promise<string> {
        return (await namespace.exec("stays", ["sh", "-c", FIND_BROKER], rank)).trim();
    }

    async function allIn(): Promise<true | undefined> {
        const said = await namespace
            .exec("stays", ["flux", "resource", "list", "-no", "{nnodes}", "-s", "free"])
            .catch(() => "");
        return said.trim() === String(SIZE) ? true : undefined;
    }

    /** How often rank 1 drained and undrained itself. */
    async function drains(): Promise<Record<"drain" | "undrain", number>> {
        const events = await namespace.exec("stays", ["flux", "kvs", "eventlog", "get", "resource.eventlog"]);
        const count = (pattern: RegExp) => events.match(pattern)?.length ?? 0;
        return { drain: count(/ drain idset="1" .*"the pod is leaving"/g), undrain: count(/ undrain idset="1"/g) };
    }

    async function uids(): Promise<(string | undefined)[]> {
        const all = await namespace.pods("stays");
        const running = all.filter(
            ({ metadata, status }) => metadata?.deletionTimestamp === undefined && status?.phase === "Running",
        );
        return Array.from({ length: SIZE }, (_, rank) => running.find((pod) => rankOf(pod) === rank)?.metadata?.uid);
    }

    async function assertNoIndexIsOver(): Promise<void> {
        const { status } = await namespace.kube.batch.readNamespacedJob({ name: "stays", namespace: namespace.name });
        assert.equal(status?.completedIndexes ?? "", "");
        assert.equal(
            status?.conditions?.some(({ status: is, type }) => type === "Failed" && is === "True") ?? false,
            false,
        );
    }
});

describe("archive of a running MiniCluster", () => {
    const namespace = useNamespace();

    it("holds the queue soon, and restores it after the loss of the lead's node", async () => {
        const archive = { hostPath: ARCHIVES, folder: namespace.name, period: 1 };
        const cluster = new ChangingCluster(namespace, "lasts", { archive });
        await cluster.stack.up();
        // The job ignores SIGTERM, so an orderly end would take longer than the lost pod has.
        const stubborn = "trap '' TERM; while :; do sleep 1; done";
        const running = await cluster.flux("submit", "--job-name=lost", "sh", "-c", stubborn);
        await cluster.flux("job", "wait-event", "-q", running, "start");
        await cluster.flux("submit", "--urgency=hold", "--job-name=held", "hostname");
        const content = `tar -xzOf /var/lib/flux-archive/${namespace.name}/content.tgz`;
        await until("the archive has the job", async () => {
            const found = await namespace.exec("lasts", [
                "sh",
                "-c",
                `${content} | grep -acq '"held"' && echo yes || true`,
            ]);
            return found.trim() === "yes" || undefined;
        });
        const [lost] = await namespace.pods("lasts");
        await doTo(namespace, "lasts", 0, "node is lost");
        await until(
            "the new lead is ready",
            async () => {
                return (
                    isReady(
                        (await namespace.pods("lasts")).find(({ metadata }) => metadata?.uid !== lost.metadata?.uid),
                    ) || undefined
                );
            },
            60,
        );
        const jobs = () => cluster.flux("jobs", "-ano", "{id.dec} {name} {state} {result}");
        // The simulated loss sends the pod SIGTERM, which cancels its jobs. The last dump may or may not have this.
        await until(
            "the running job has ended",
            async () => /^\d+ lost INACTIVE (CANCELED|FAILED)$/m.test(await jobs()) || undefined,
        );
        const [, held = ""] = /^(\d+) held SCHED ?$/m.exec(await jobs()) ?? [];
        await cluster.flux("job", "urgency", held, "default");
        assert.match(await cluster.flux("job", "attach", held), /^lasts-0$/m);
    });
});

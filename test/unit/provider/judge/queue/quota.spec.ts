import assert from "node:assert/strict";

import { surveyFor } from "../../../../../provider/judge/fit/fit";
import type { QueueQuota } from "../../../../../provider/judge/queue/quota";
import { type Survey, verdictOf, type Wish } from "../../../../../provider/judge/fit/fit";
import { useApi } from "../../../support/fakeApi";
import { podSpec } from "../../../support/nodes";

const flavor = (name: string, left: number, most: number) => ({
    name,
    left: { cpu: left * 1000 },
    most: { cpu: most * 1000 },
});

/** Four pods of 8 CPUs. */
function told(
    queue: QueueQuota | undefined,
    wish: Partial<Wish> = {},
    requests: Record<string, string> = { cpu: "8" },
): string {
    const survey: Survey = {
        nodes: undefined,
        pods: undefined,
        quotas: [],
        limitRanges: [],
        devices: [],
        unread: [],
        queue,
    };
    const all = {
        name: "lammps",
        namespace: "hpc",
        template: { spec: podSpec(requests) },
        added: 4,
        kept: 0,
        least: 1,
        queue: "team",
        ...wish,
    };
    const { class: kind, isRefusable, text } = verdictOf(all, survey);
    return `${kind}${isRefusable ? "!" : ""}: ${text}`;
}

const queueOf = (...groups: QueueQuota["groups"] & object): QueueQuota => ({
    queue: "team",
    clusterQueue: "shared",
    groups,
});

describe("the quota of a queue", () => {
    const END = "; Kueue starts all of them together, or none.";
    const cases: [string, string, string][] = [
        ["suffices", told(queueOf([flavor("plain", 32, 64)])), "now: "],
        [
            "has too little left for all pods, although some would fit",
            told(queueOf([flavor("plain", 16, 64)])),
            `waits!: 4 pods of 8 cpu: queue team (ClusterQueue shared) leaves 16 of 64 cpu${END}`,
        ],
        [
            "is too small in any case",
            told(queueOf([flavor("plain", 16, 24)])),
            "never!: 4 pods of 8 cpu can never start: queue team (ClusterQueue shared) has 24 cpu in all, and 4 pods need 32 cpu; size 3 could start.",
        ],
        [
            "suffices for the least number of pods of partial admission",
            told(queueOf([flavor("plain", 16, 24)]), { leastInQueue: 2 }),
            "now: ",
        ],
        [
            "is too small even for these",
            told(queueOf([flavor("plain", 8, 64)]), { leastInQueue: 2 }),
            "waits!: 4 pods of 8 cpu: queue team (ClusterQueue shared) leaves 8 of 64 cpu; Kueue starts at least 2 of them, or none.",
        ],
        [
            "is too small for the pods that run and those that come",
            told(queueOf([flavor("plain", 32, 40)]), { kept: 2 }).replace(/:.*has/, ": has"),
            "never!: has 40 cpu in all, and 6 pods need 48 cpu; size 5 could start.",
        ],
        [
            "is too small for one pod",
            told(queueOf([flavor("plain", 4, 4)])).replace(/:.*has/, ": has"),
            "never!: has 4 cpu in all, and 4 pods need 32 cpu; change the pods, or the cluster.",
        ],
        [
            "has more in another flavor",
            told(queueOf([flavor("plain", 8, 8), flavor("spot", 16, 16)])).replace(/:.*has/, ": has"),
            "never!: has 16 cpu in all, and 4 pods need 32 cpu; size 2 could start.",
        ],
        [
            "is too small for the least number of pods of partial admission",
            told(queueOf([flavor("plain", 8, 8)]), { least: 2, leastInQueue: 2 }).replace(/:.*has/, ": has"),
            "never!: has 8 cpu in all, and 2 pods need 16 cpu; size 1 could start, with minSize 1.",
        ],
        ["suffices in another flavor", told(queueOf([flavor("plain", 0, 64), flavor("spot", 32, 32)])), "now: "],
        ["can't be read", told({ queue: "team", clusterQueue: "shared" }), "now: "],
        ["isn't there without Kueue", told(undefined), "now: "],
        [
            "may preempt, so that nothing is refused",
            told({ ...queueOf([flavor("plain", 16, 64)]), preempts: true }),
            `waits: 4 pods of 8 cpu: queue team (ClusterQueue shared) leaves 16 of 64 cpu${END}`,
        ],
        ["may be borrowed without a limit", told(queueOf([flavor("plain", Infinity, Infinity)])), "now: "],
        [
            "lacks a resource",
            told(queueOf([flavor("plain", 32, 64)]), {}, { cpu: "8", memory: "1Gi" }),
            `waits: 4 pods of 8 cpu, 1 GiB memory: queue team (ClusterQueue shared) has no quota of memory, so it admits no pod that requests it${END}`,
        ],
        [
            "belongs to no queue",
            told({ queue: "team" }),
            `waits: 4 pods of 8 cpu: LocalQueue team doesn't exist, so the Job waits until it is created${END}`,
        ],
        [
            "counts what a replaced Job had",
            told(queueOf([flavor("plain", 16, 64)]), {
                removed: { template: { spec: podSpec({ cpu: "8" }) }, count: 2 },
            }),
            "now: ",
        ],
    ];
    for (const [what, found, expected] of cases) {
        it(what, () => assert.equal(found, expected));
    }

    describe("is read", () => {
        const api = useApi();
        const read = async () =>
            (
                await surveyFor(
                    { kubeconfig: api.kubeconfig },
                    {
                        namespace: "hpc",
                        queue: "team",
                        template: { spec: podSpec({ cpu: "1" }, { schedulerName: "x" }) },
                    },
                )
            ).queue;
        const putQueues = (spec: object) => {
            api.put("localqueues", { metadata: { name: "team" }, spec: { clusterQueue: "shared" } });
            const flavors = [{ name: "plain", resources: [{ name: "cpu", nominalQuota: "8", borrowingLimit: "4" }] }];
            const usage = [{ name: "plain", resources: [{ name: "cpu", total: "3" }] }];
            api.put("clusterqueues", {
                metadata: { name: "shared" },
                spec: { resourceGroups: [{ flavors }], ...spec },
                status: { flavorsReservation: usage },
            });
        };

        it("without what a cohort lends if there is none", async () => {
            putQueues({ preemption: { withinClusterQueue: "Never", borrowWithinCohort: { policy: "Never" } } });
            const group = [{ name: "plain", left: { cpu: 5000 }, most: { cpu: 8000 } }];
            assert.deepEqual(await read(), { ...queueOf(group), preempts: false });
        });

        it("with what a cohort lends", async () => {
            putQueues({ cohortName: "all", preemption: { reclaimWithinCohort: "Any" } });
            const group = [{ name: "plain", left: { cpu: 9000 }, most: { cpu: 12000 } }];
            assert.deepEqual(await read(), { ...queueOf(group), preempts: true });
        });

        it("only in part without the right to ClusterQueues", async () => {
            putQueues({});
            api.fail(/clusterqueues/, 403, { times: 9 });
            assert.deepEqual(await read(), { queue: "team", clusterQueue: "shared" });
        });

        it("as none without the right to LocalQueues", async () => {
            api.fail(/localqueues/, 403, { times: 9 });
            assert.equal(await read(), undefined);
        });

        it("as none in a cluster without Kueue", async () => {
            api.fail(/kueue/, 404, { times: 9 });
            assert.equal(await read(), undefined);
        });
    });
});

import assert from "node:assert/strict";

import type { PlainArgs } from "../../../../components/args";
import { fitOf } from "../../../../provider/indexedJob/fit";
import type { IndexedJobInputs } from "../../../../provider/indexedJob/properties";
import { indexedJob } from "../../../../provider/indexedJob/verbs";
import { UNKNOWN } from "../../../../provider/host/unknown";
import { putLeadService, useApi } from "../../support/fakeApi";
import { makeInputs, makeLive } from "../../support/jobs";
import { newOperation } from "../../support/newOperation";
import { makeNode, podOn, podSpec } from "../../support/nodes";

const LISTS = /^GET .*\/(nodes|pods|resourcequotas|limitranges|deviceclasses)\?/;
const CPU = { resources: { requests: { cpu: "8" } } };

describe("check of an IndexedJob with fit", () => {
    const api = useApi((started) => {
        putLeadService(started);
        started.put("nodes", makeNode("a", 32) as never);
        started.put("pods", podOn("a", podSpec({ cpu: "16" }), { name: "other" }) as never);
    });
    let lines: string[];
    const { log } = console;

    beforeEach(() => {
        // Other files run in the same process.
        newOperation();
        lines = [];
        console.log = (line: string) => lines.push(line);
    });
    afterEach(() => {
        console.log = log;
        newOperation();
    });

    const inputsOf = (args: Partial<PlainArgs> = {}, more: Partial<IndexedJobInputs> = {}) =>
        makeInputs({ ...CPU, ...args }, { kubeconfig: api.kubeconfig, fit: "warn", ...more });
    const check = (news: IndexedJobInputs, olds: Partial<IndexedJobInputs> = {}) => indexedJob.check(olds, news);
    const lists = () => api.requests.filter((request) => LISTS.test(request)).length;

    const SENTENCE = "4 pods of 8 cpu: 2 fit now (16 of 32 cpu free on 1 of 1 node); size 2 would start at once.";

    it("warns before the first Job that pods wait, also while its lead Service and its nonce are unknown", async () => {
        const unknown = { nonce: UNKNOWN, lead: { name: "lammps-lead", uid: UNKNOWN, address: UNKNOWN } };
        const { failures } = await check(inputsOf({}, unknown));
        assert.deepEqual(failures, []);
        assert.deepEqual(lines, [`lammps: ${SENTENCE}`]);
        assert.equal(lists(), 4);
    });

    it("says nothing if all pods start at once", async () => {
        const { failures } = await check(inputsOf({ size: 2 }));
        assert.deepEqual([failures, lines, lists()], [[], [], 4]);
    });

    it("refuses pods that wait if the user wants that", async () => {
        const { failures } = await check(inputsOf({}, { fit: "refuse" }));
        assert.deepEqual(failures, [{ property: "fit", reason: `${SENTENCE} To update anyway, set fit to "warn".` }]);
        assert.deepEqual(lines, []);
    });

    it("accepts a cluster of which enough pods start, and tells that the others wait", async () => {
        const { failures } = await check(inputsOf({ minSize: 2 }, { fit: "refuse" }));
        assert.deepEqual(failures, []);
        assert.match(lines.join(), /the cluster starts with 2 ranks \(minSize 2\)/);
    });

    it("doesn't wait for the Job before it reads, if the inputs alone tell that pods are started", async () => {
        const never = new Promise<undefined>(() => undefined);
        void fitOf(never, { olds: inputsOf(), news: inputsOf({ image: "other" }) });
        await api.seen(/\/nodes\?/);
        await api.seen(/\/limitranges\?/);
    });

    it("passes without any rights", async () => {
        api.fail(/./, 403, { times: 99 });
        const { failures } = await check(inputsOf({}, { fit: "refuse" }));
        assert.deepEqual([failures ?? [], lines], [[], []]);
    });

    describe("reads nothing", () => {
        const live = (args: Partial<PlainArgs> = {}, status: object = { active: 4 }) =>
            void api.put("jobs", makeLive(inputsOf(args), status) as never);
        const grown = { size: 6, minSize: 1, maxSize: 8 };

        for (const [what, news, olds] of [
            ["with fit off", () => inputsOf({}, { fit: "off" }), undefined],
            ["in an update from a version without fit", () => inputsOf({}, { fit: undefined }), undefined],
            ["for a manifest that isn't known yet", () => inputsOf({}, { manifest: UNKNOWN as never }), undefined],
            ["for a suspended Job", () => inputsOf({ suspend: true }), undefined],
            ["without a change", () => inputsOf(), () => inputsOf()],
            ["for another timeout", () => inputsOf({ timeouts: { delete: 7 } }), () => inputsOf()],
            ["for another fit", () => inputsOf({}, { fit: "refuse" }), () => inputsOf()],
            [
                "for a smaller size",
                () => inputsOf({ size: 2, minSize: 1, maxSize: 8 }),
                () => inputsOf({ size: 4, minSize: 1, maxSize: 8 }),
            ],
            ["for a suspension", () => inputsOf({ suspend: true }), () => inputsOf()],
            [
                "for a size that another client decides on",
                () => inputsOf(grown, { sizedBy: "autoscaler" }),
                () => inputsOf({ size: 4, minSize: 1, maxSize: 8 }, { sizedBy: "autoscaler" }),
            ],
        ] as [string, () => IndexedJobInputs, (() => IndexedJobInputs) | undefined][]) {
            it(what, async () => {
                const before = olds?.() ?? {};
                if (olds !== undefined) {
                    api.put("jobs", makeLive(olds(), { active: 4 }) as never);
                }
                await check(news(), before);
                assert.deepEqual([lists(), lines.filter((line) => /pods? of/.test(line))], [0, []]);
            });
        }

        it("in the second check of a replacement", async () => {
            live();
            const news = inputsOf({ image: "other" }, { resourceUrn: "urn:a", interrupt: "allow" });
            await check(news, inputsOf());
            assert.deepEqual([lists(), lines.length], [4, 1]);
            await check(news);
            assert.deepEqual([lists(), lines.length], [4, 1]);
        });

        it("for a failed Job that isn't run again", async () => {
            live({}, { conditions: [{ type: "Failed", status: "True", reason: "BackoffLimitExceeded" }] });
            await check(inputsOf({}, { rerunFailed: false }), inputsOf());
            assert.equal(lists(), 0);
        });
    });

    describe("judges", () => {
        const putJob = (inputs: IndexedJobInputs, status: object = { active: 4 }) =>
            api.put("jobs", makeLive(inputs, status) as never);
        const putOwnPods = (count: number) => {
            for (let index = 0; index < count; index++) {
                const ownerReferences = [{ kind: "Job", name: "lammps", controller: true } as never];
                const metadata = { name: `lammps-${index}`, namespace: "hpc", ownerReferences };
                api.put("pods", podOn("a", podSpec({ cpu: "8" }), metadata) as never);
            }
        };

        it("a replacement, in which the Job's own pods are gone", async () => {
            const before = inputsOf({ size: 2 });
            putJob(before);
            putOwnPods(2);
            await check(inputsOf({ size: 2, image: "other" }, { interrupt: "allow" }), before);
            assert.deepEqual([lists(), lines], [4, []]);
        });

        it("the pods by which a Job grows, beside those that it has", async () => {
            const before = inputsOf({ size: 1, maxSize: 8, minSize: 1 });
            putJob(before, { active: 1 });
            putOwnPods(1);
            await check(inputsOf({ size: 4, maxSize: 8, minSize: 1 }), before);
            assert.deepEqual(lines, [
                "lammps: 3 more pods of 8 cpu: 1 fits now (8 of 32 cpu free on 1 of 1 node); size 2 would start at once.",
            ]);
        });

        it("a resumed Job", async () => {
            const before = inputsOf({ suspend: true });
            putJob(before, {});
            await check(inputsOf(), before);
            assert.deepEqual(lines, [`lammps: ${SENTENCE}`]);
        });

        it("a failed Job that is run again", async () => {
            const before = inputsOf();
            putJob(before, { conditions: [{ type: "Failed", status: "True", reason: "BackoffLimitExceeded" }] });
            await check(inputsOf(), before);
            assert.deepEqual(lines, [`lammps: ${SENTENCE}`]);
        });

        it("a Job with a queue by its quota and by what it can never get, not by the free nodes", async () => {
            const [metadata, cpu] = [{ name: "team" }, { name: "cpu", nominalQuota: "64" }];
            api.put("localqueues", { metadata, spec: { clusterQueue: "team" } });
            const resourceGroups = [{ flavors: [{ name: "plain", resources: [cpu] }] }];
            api.put("clusterqueues", { metadata, spec: { resourceGroups } });
            await check(inputsOf({ queueName: "team" }));
            assert.deepEqual([lists(), lines], [4, []]);
            await check(inputsOf({ queueName: "team", resources: { requests: { cpu: "64" } } }));
            assert.match(lines.join(), /can never start: the largest of 1 node has 32 cpu/);
        });
    });
});

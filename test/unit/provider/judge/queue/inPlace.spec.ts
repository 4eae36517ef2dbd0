import assert from "node:assert/strict";

import type { V1Job } from "@kubernetes/client-node";

import type { PlainArgs } from "../../../../../components/args";
import type { Kube } from "../../../../../provider/kubernetes/client";
import { judgeInPlace } from "../../../../../provider/judge/queue/inPlace";
import { makeInputs, makeLive } from "../../../support/jobs";

const GATE = { name: "kueue.x-k8s.io/elastic-job" };
const queued = (more: Partial<PlainArgs> = {}): Partial<PlainArgs> => ({ queueName: "team", ...more });

describe("judgeInPlace", () => {
    /** A cluster whose webhook gives the gate to a new Job, or doesn't, or that doesn't answer. */
    function clusterWith(gates: object[] | undefined, hasKueue = true): Kube {
        const ask = async (path: string, query: object, body: V1Job) => {
            assert.deepEqual(
                [path, query],
                ["/apis/batch/v1/namespaces/hpc/jobs", { dryRun: "All", fieldValidation: "Warn" }],
            );
            assert.deepEqual([body.metadata?.name, body.metadata?.generateName], [undefined, "lammps-"]);
            if (gates === undefined) {
                throw new Error("no answer");
            }
            return { answer: { ...body, spec: { template: { spec: { schedulingGates: gates } } } }, warning: "" };
        };
        const read = async (path: string) => {
            assert.equal(path, "/apis/kueue.x-k8s.io");
            return hasKueue ? {} : assert.fail("404");
        };
        return { ask, read } as unknown as Kube;
    }

    const args = queued({ size: 2, maxSize: 4 });
    const news = makeInputs(args);

    /** The Job that Kueue has admitted, with or without its gate. */
    function admitted(hasGate: boolean): V1Job {
        const job = makeLive(news);
        job.spec!.suspend = false;
        job.spec!.template.spec!.schedulingGates = hasGate ? [GATE] : undefined;
        return job;
    }

    it("says nothing if Kueue resizes Jobs in place, doesn't tell or isn't there yet, and of a fixed size", async () => {
        const fixed = makeInputs(queued({ size: 2 }));
        for (const [kube, wanted] of [
            [clusterWith([GATE]), news],
            [clusterWith(undefined), news],
            [clusterWith([]), fixed],
            [clusterWith([], false), news],
        ] as const) {
            assert.deepEqual(await judgeInPlace(kube, wanted), {});
        }
    });

    it("says that a resize goes back to the queue otherwise", async () => {
        const { note } = await judgeInPlace(clusterWith([]), news);
        assert.match(
            note ?? "",
            /^If size changes, Kueue ends all pods, and the Job waits in its queue again: .*0\.18 or later/,
        );
    });

    it("says the same of a size that the program leaves to an autoscaler", async () => {
        const scaled = makeInputs(args, { sizedBy: "autoscaler" });
        const { note, refusal } = await judgeInPlace(clusterWith([]), scaled);
        assert.match(note ?? "", /^If size changes/);
        assert.equal(refusal, undefined);
    });

    it("refuses a cluster that sizes itself then", async () => {
        const elastic = makeInputs(args, { sizedBy: "cluster" });
        const { refusal } = await judgeInPlace(clusterWith([]), elastic);
        assert.match(refusal ?? "", /^elastic: .*Remove elastic or queueName\.$/);
    });

    it("names the cure for a Job of an earlier version that is resized, and asks nothing", async () => {
        const silent = { ask: () => assert.fail() } as unknown as Kube;
        const { manifest: before } = news;
        const grown = makeInputs(queued({ size: 3, maxSize: 4 }));
        const { note = "" } = await judgeInPlace(silent, { ...grown, live: admitted(false), before });
        assert.match(note, /To replace the Job, change triggers/);
        assert.deepEqual(await judgeInPlace(silent, { ...news, live: admitted(false), before }), {});
        assert.deepEqual(await judgeInPlace(silent, { ...grown, live: admitted(true), before }), {});
    });
});

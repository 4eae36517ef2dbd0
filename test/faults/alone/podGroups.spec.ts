import assert from "node:assert/strict";

import type { V1Pod } from "@kubernetes/client-node";
import * as kubernetes from "@pulumi/kubernetes";
import { MiniCluster } from "flux-minicluster";

import { ChangingCluster } from "../../e2e/support/changing";
import { LiveCluster } from "../../e2e/support/liveCluster";
import { useNamespace } from "../../e2e/support/namespace";
import { doTo } from "../../e2e/support/podActions";
import { bind } from "../../e2e/support/rights";
import type { TestStack } from "../../e2e/support/stack";
import { until } from "../../e2e/support/until";
import { Halves, thirdOf } from "../support/halves";
import { kubernetesWith } from "../support/kubernetesWith";
import { PageProgram } from "../support/pageProgram";

/** `POD_GROUP_ROUNDS=3` tries fewer. */
const ROUNDS = Number(process.env["POD_GROUP_ROUNDS"] ?? 20);

const API = { apiVersion: "scheduling.k8s.io/v1beta1", kind: "PodGroup" };
const inGroup = (podGroupName: string) => ({ podTemplate: { spec: { schedulingGroup: { podGroupName } } } });

function makeGroup(name: string, minCount: number): kubernetes.apiextensions.CustomResource {
    const spec = { schedulingPolicy: { gang: { minCount } } };
    return new kubernetes.apiextensions.CustomResource(`${name}-group`, { ...API, metadata: { name }, spec });
}

describe("MiniClusters with a PodGroup", function () {
    this.timeout(1_800_000);
    const scheduled = kubernetesWith("PODGROUPS");
    const namespace = useNamespace({ world: scheduled.world });
    const program = new PageProgram("docs/scheduling.md");
    before(() => bind(namespace, program.role));
    after(() => program.remove());
    after(() => scheduled.remove());

    async function minCount(name: string): Promise<number> {
        const metadata = { name, namespace: namespace.name };
        return (await namespace.kube.objects.read<any>({ ...API, metadata })).spec.schedulingPolicy.gang.minCount;
    }

    it("start, are resized and end by the program of the page", async () => {
        const lammps = new LiveCluster(namespace, "lammps");
        const config = { image: namespace.image, minSize: "2", size: "2", cpu: "20m" };
        const stack = namespace.stack("lammps", program, config);
        const resize = async (size: number) => {
            await (await stack.open()).setConfig("size", { value: String(size) });
            assert.equal((await stack.up()).outputs.phase, "ready");
            await stack.unchanged();
            return lammps.podUids();
        };
        const two = await resize(2);
        assert.deepEqual([two.length, await minCount("lammps")], [2, 2]);
        const four = await resize(4);
        assert.deepEqual([four.length, four.slice(0, 2)], [4, two]);
        assert.deepEqual(await resize(3), four.slice(0, 3));
        await stack.destroy();
        await namespace.assertNothingLeft();
        await assert.rejects(minCount("lammps"), { code: 404 });
    });

    describe("that requires all pods", () => {
        let size = 3;
        let stack: TestStack;
        const cluster = new LiveCluster(namespace, "whole");

        before(async () => {
            stack = namespace.stack("whole", async () => {
                const dependsOn = makeGroup("whole", size);
                const others = { image: namespace.image, maxSize: 4, restful: { enabled: false } };
                return {
                    phase: new MiniCluster("whole", { ...others, size, ...inGroup("whole") }, { dependsOn }).phase,
                };
            });
            assert.equal((await stack.up()).outputs.phase, "ready");
        });

        const isWhole = () =>
            until(
                `${size} ranks are free`,
                // The lead may restart meanwhile.
                async () => ((await cluster.nodes().catch(() => ({ free: 0 })))["free"] === size ? true : undefined),
                120,
            );

        it("start again the ranks that are lost after others have ended", async () => {
            await isWhole();
            await doTo(namespace, "whole", 1, "node is lost");
            await doTo(namespace, "whole", 2, "pod is evicted");
            await isWhole();
            const [lead = ""] = await cluster.podUids();
            await doTo(namespace, "whole", 0, "pod is deleted");
            // The former lead answers until its pod has ended.
            await until("the lead has another pod", async () => {
                const uids = await cluster.podUids();
                return uids.length === size && !uids.includes(lead) ? true : undefined;
            });
            await isWhole();
            await stack.unchanged();
        });

        it("grow by pods that start together", async () => {
            const pods = await cluster.podUids();
            size = 4;
            assert.equal((await stack.up()).outputs.phase, "ready");
            assert.equal(await minCount("whole"), 4);
            assert.deepEqual((await cluster.podUids()).slice(0, 3), pods);
            await isWhole();
            await stack.unchanged();
        });
    });

    it("are told that their PodGroup is missing", async () => {
        const alone = new ChangingCluster(namespace, "alone", { size: 1, ...inGroup("later") });
        const up = alone.stack.up();
        const words = /no scheduler named default-scheduler has looked at it: its PodGroup later may not exist/;
        await until("the row says so", async () => (words.test(alone.stack.printed) ? true : undefined), 90);
        const spec = { schedulingPolicy: { gang: { minCount: 1 } } };
        const group = { ...API, metadata: { name: "later", namespace: namespace.name } };
        await namespace.kube.objects.create({ ...group, spec } as typeof group);
        assert.equal((await up).outputs.cluster.phase, "ready");
        await alone.stack.destroy();
        await namespace.kube.remove(group);
    });

    it("are told of half of their nodes without one", () => Halves.areTold(namespace));

    it(`start one after the other, ${ROUNDS} of ${ROUNDS} times, if both need two thirds of the node`, async () => {
        const resources = await thirdOf(namespace, 2 / 3);
        let round = 0;
        const args = () => ({ image: namespace.image, size: 3, command: ["true"], resources, triggers: [round] });
        const stack = namespace.stack("both", async () => {
            const [left, right] = ["left", "right"].map((name) => {
                return new MiniCluster(name, { ...args(), ...inGroup(name) }, { dependsOn: makeGroup(name, 3) });
            });
            return { phases: [left.phase, right.phase] };
        });
        const turns: string[] = [];
        for (; round < ROUNDS; round++) {
            assert.deepEqual((await stack.up()).outputs.phases, ["succeeded", "succeeded"]);
            turns.push(orderOf(await namespace.pods("left"), await namespace.pods("right")));
        }
        assert.deepEqual(
            turns.filter((turn) => turn !== "left" && turn !== "right"),
            [],
        );
    });
});

/** The cluster whose lead had ended before the other cluster had a node, or the times if there is none. */
function orderOf(left: readonly V1Pod[], right: readonly V1Pod[]): string {
    const [one, other] = [timesOf(left), timesOf(right)];
    if (one.ended <= other.begun) {
        return "left";
    }
    return other.ended <= one.begun ? "right" : JSON.stringify([one, other]);
}

/** When the first pod got a node, and when the lead, the first to end, had ended. */
function timesOf(pods: readonly V1Pod[]): { readonly begun: number; readonly ended: number } {
    const nodes = pods.map(({ status }) => {
        const found = status?.conditions?.find(({ type }) => type === "PodScheduled");
        return new Date(found?.lastTransitionTime ?? NaN).getTime();
    });
    const finishedAt = pods[0]?.status?.containerStatuses?.[0]?.state?.terminated?.finishedAt;
    return { begun: Math.min(...nodes), ended: new Date(finishedAt ?? NaN).getTime() };
}

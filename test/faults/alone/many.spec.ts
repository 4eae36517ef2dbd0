import assert from "node:assert/strict";

import { MiniCluster } from "flux-minicluster";

import type { ApiRequest } from "../../e2e/support/auditLog";
import { useNamespace } from "../../e2e/support/namespace";

import { type Cost, type Costs, costOf, most, tenths } from "../support/cost";
import { report } from "../support/report";
import { ON_SIMULATED_NODES, useSimulatedNodes } from "../support/simulatedNodes";
import { type ControlPlane, measureWithoutPulumi } from "../support/withoutPulumi";

const PODS = 2;

interface Measured extends Costs {
    readonly clusters: number;
    readonly plain: ControlPlane;
}

describe("stack of 100 MiniClusters", () => {
    useSimulatedNodes(10);
    const namespace = useNamespace();
    const measured: Measured[] = [];

    before(async function () {
        this.timeout(1_800_000);
        for (const clusters of [10, 30, 100]) {
            measured.push(await measure(clusters));
            report(
                "many",
                `Seconds for clusters of ${PODS} pods in one stack, and for the same objects without Pulumi`,
                measured.map(row),
                [
                    ["the same objects ready", "plain up"],
                    ["pulumi up", "up"],
                    ["the same objects deleted", "plain destroy"],
                    ["pulumi destroy", "destroy"],
                    ["no-op pulumi up", "no-op up"],
                ],
            );
        }
    });

    async function measure(clusters: number): Promise<Measured> {
        const names = Array.from({ length: clusters }, (_, index) => `many-${index}`);
        const args = {
            image: "registry.example/flux:1",
            size: PODS,
            restful: { enabled: false },
            // Simulated pods have no log, and attempts to read it would take 6 s.
            output: { maxBytes: 0 },
            ...ON_SIMULATED_NODES,
        };
        const plain = await measureWithoutPulumi(namespace, clusters, args);
        const stack = namespace.stack(`many-${clusters}`, async () => ({
            phases: names.map((name) => new MiniCluster(name, args).phase),
        }));
        const up = await costOf(namespace, stack, () => stack.up());
        assert.deepEqual(
            up.outputs.phases,
            names.map(() => "ready"),
        );
        const again = await costOf(namespace, stack, () => stack.up(true));
        const destroy = await costOf(namespace, stack, () => stack.destroy());
        return { clusters, plain, up, again, destroy };
    }

    it("sends as many requests for each cluster as a stack of 10", () => {
        const [few, ...many] = measured;
        for (const costs of many) {
            for (const verb of ["up", "again", "destroy"] as const) {
                const [mine, base] = [costs, few].map((each) => perCluster(each[verb], each.clusters));
                assert(
                    mine <= base + 1,
                    `${verb}: ${mine} requests for each of ${costs.clusters} clusters, ${base} of 10`,
                );
            }
        }
    });

    // The host needs 130 MB for Pulumi's SDK and 20 MB for the Kubernetes client. The engine has the whole state in memory.
    it("takes at most 200 MB, and 5 MB for each cluster, in the host of dynamic resources and in the engine", () => {
        for (const costs of measured) {
            for (const process of ["host", "engine"] as const) {
                const megabytes = most(process, costs);
                const told = `${process}: ${megabytes} MB for ${costs.clusters} clusters`;
                assert(megabytes > 0 && megabytes <= 200 + 5 * costs.clusters, told);
            }
        }
    });

    it("creates its clusters in parallel", () => {
        for (const { clusters, up } of measured) {
            const jobs = indexesOf(up.requests, "jobs", "create");
            const services = indexesOf(up.requests, "services", "patch");
            assert.equal(jobs.length, clusters);
            // If the clusters were created one after the other, the first Job would precede the last cluster's Services.
            assert(Math.max(...services) < Math.max(...jobs) && jobs[0] > services[clusters]);
        }
    });
});

/** Watches are left out, because the client reopens a watch after 30 s without an event. */
function perCluster({ requests }: Cost, clusters: number): number {
    return requests.filter(({ verb }) => verb !== "watch").length / clusters;
}

function indexesOf(requests: readonly ApiRequest[], ofResource: string, ofVerb: string): number[] {
    return requests.flatMap(({ resource, verb }, index) => (resource === ofResource && verb === ofVerb ? [index] : []));
}

function row(costs: Measured) {
    const { again, clusters, destroy, plain, up } = costs;
    return {
        clusters,
        up: tenths(up.seconds),
        "plain up": tenths(plain.up),
        "no-op up": tenths(again.seconds),
        destroy: tenths(destroy.seconds),
        "plain destroy": tenths(plain.destroy),
        requests: up.requests.length,
        "no-op requests": again.requests.length,
        "destroy requests": destroy.requests.length,
        "host MB": most("host", costs),
        "engine MB": most("engine", costs),
        lines: up.lines,
    };
}

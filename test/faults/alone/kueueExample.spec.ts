import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { type KubernetesObject, PatchStrategy } from "@kubernetes/client-node";
import { parseAllDocuments } from "yaml";

import { root } from "../../../scripts/local/paths";
import { type TestNamespace, useNamespace } from "../../e2e/support/namespace";
import type { TestStack } from "../../e2e/support/stack";
import { until } from "../../e2e/support/until";
import { kubernetesWithKueue } from "../support/kueue";

const dir = join(root, "examples/shared-cluster");

describe("example shared-cluster", function () {
    // Kueue may have to be built.
    this.timeout(1_800_000);
    const kueue = kubernetesWithKueue();
    const teams = {
        "team-a": useNamespace({ world: kueue.world }),
        "team-b": useNamespace({ world: kueue.world }),
    };
    const made: KubernetesObject[] = [];

    /** What the administrator makes, for the namespaces of the test in place of those of the teams. */
    before(async () => {
        const text = Object.entries(teams).reduce(
            (yaml, [team, { name }]) =>
                yaml
                    .replaceAll(`namespace: ${team}\n`, `namespace: ${name}\n`)
                    .replaceAll(`metadata.name: ${team}\n`, `metadata.name: ${name}\n`),
            readFileSync(join(dir, "admin.yaml"), "utf8"),
        );
        for (const document of parseAllDocuments(text)) {
            const object = document.toJS() as KubernetesObject;
            await teams["team-a"].kube.objects.create(object);
            made.push(object);
        }
    });

    after(async () => {
        for (const object of made.reverse()) {
            await teams["team-a"].kube.remove(object);
        }
        await kueue.remove();
    });

    // Less than in the example, so that all pods have room on the node; the quota has 4 CPUs for each team.
    const stackOf = (namespace: TestNamespace, size: number, cpu = "20m"): TestStack =>
        namespace.stack("shared-cluster", { dir }, { image: namespace.image, size: String(size), cpu });
    const isReady = (namespace: TestNamespace, ranks: number) =>
        until(
            `${ranks} ranks are ready`,
            async () => {
                const job = await namespace.kube.batch.readNamespacedJob({ name: "flux", namespace: namespace.name });
                return job.status?.ready === ranks ? true : undefined;
            },
            180,
        );

    it("starts the clusters of both teams", async () => {
        for (const namespace of Object.values(teams)) {
            const stack = stackOf(namespace, 2);
            assert.equal((await stack.up()).outputs.phase, "ready");
            await stack.unchanged();
            await isReady(namespace, 2);
            await stack.destroy();
        }
    });

    it("lends the quota of a team to the other, and gives it back", async () => {
        const [a, b] = [teams["team-a"], teams["team-b"]];
        const quota = { resourceGroups: [groupOf("40m")] };
        for (const name of Object.keys(teams)) {
            const body = {
                apiVersion: "kueue.x-k8s.io/v1beta2",
                kind: "ClusterQueue",
                metadata: { name },
                spec: quota,
            };
            await a.kube.objects.patch(body, undefined, undefined, undefined, undefined, PatchStrategy.MergePatch);
        }
        const borrows = stackOf(a, 4);
        assert.equal((await borrows.up()).outputs.phase, "ready");
        const owner = stackOf(b, 2);
        assert.equal((await owner.up()).outputs.phase, "ready");
        const job = await a.kube.batch.readNamespacedJob({ name: "flux", namespace: a.name });
        assert.equal(job.spec?.suspend, true);
        await owner.destroy();
        await isReady(a, 4);
        await borrows.unchanged();
    });
});

function groupOf(cpu: string): object {
    const resources = [{ name: "cpu", nominalQuota: cpu }];
    return { coveredResources: ["cpu"], flavors: [{ name: "any-node", resources }] };
}

import assert from "node:assert/strict";

import { ChangingCluster } from "../../e2e/support/changing";
import { useNamespace } from "../../e2e/support/namespace";
import { until } from "../../e2e/support/until";
import { Queues, kubernetesWithKueue } from "../support/kueue";

const QUEUE = "kueue.x-k8s.io/queue-name";
const ADMISSION = "admissionregistration.k8s.io/v1";
const CPU = { requests: { cpu: "100m" }, limits: { cpu: "1" } };

describe("A way into a queue of the real Kueue", function () {
    // Kueue may have to be built.
    this.timeout(1_800_000);
    const kueue = kubernetesWithKueue();
    const namespace = useNamespace({ world: kueue.world });
    const queues = new Queues(namespace);

    before(async () => {
        for (const name of ["team", "default"]) {
            await queues.make({ name, flavors: [{ name, cpu: "100m" }] });
        }
    });
    after(() => queues.removeAll());
    after(() => kueue.remove());

    /** Requires that a cluster of two ranks waits for the quota, with the words of its queue, and then starts in it. */
    async function waitsAndStarts(name: string, queue: string, args: ChangingCluster["args"]): Promise<void> {
        const cluster = new ChangingCluster(namespace, name, { size: 2, resources: CPU, ...args });
        const up = cluster.stack.up();
        const words = new RegExp(`waits in its queue: first of 1 in ${queue}; quota: 0\\.2 cpu needed, 0\\.1 in all`);
        await until(`the update says ${words}`, async () => words.test(cluster.stack.printed) || undefined, 120);
        assert.equal((await cluster.job()).spec?.suspend, true);
        await queues.setCpu("1", queue, queue);
        assert.equal((await up).outputs.cluster.phase, "ready");
        assert.doesNotMatch(cluster.stack.printed, /suspended by another client/);
        assert.equal(await queues.used(queue), "200m");
        await cluster.stack.unchanged();
        await cluster.stack.destroy();
        await queues.setCpu("100m", queue, queue);
    }

    it("is queueName", () => waitsAndStarts("named", "team", { queueName: "team" }));

    it("is Kueue's label in labels", () => waitsAndStarts("labelled", "team", { labels: { [QUEUE]: "team" } }));

    it("is the LocalQueue default of the namespace", () => waitsAndStarts("plain", "default", {}));

    it("is a policy of the administrator", async () => {
        const name = queues.shared("policy");
        const queued = `Object{metadata: Object.metadata{labels: {"${QUEUE}": "team"}}}`;
        const policy = {
            apiVersion: ADMISSION,
            kind: "MutatingAdmissionPolicy",
            metadata: { name },
            spec: {
                failurePolicy: "Fail",
                reinvocationPolicy: "Never",
                matchConstraints: {
                    namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": namespace.name } },
                    resourceRules: [
                        { apiGroups: ["batch"], apiVersions: ["v1"], operations: ["CREATE"], resources: ["jobs"] },
                    ],
                },
                mutations: [{ patchType: "ApplyConfiguration", applyConfiguration: { expression: queued } }],
            },
        };
        const kind = "MutatingAdmissionPolicyBinding";
        const binding = { apiVersion: ADMISSION, kind, metadata: { name }, spec: { policyName: name } };
        await namespace.kube.objects.create(policy);
        await namespace.kube.objects.create(binding);
        try {
            await waitsAndStarts("ruled", "team", {});
        } finally {
            await namespace.kube.remove(binding);
            await namespace.kube.remove(policy);
        }
    });
});

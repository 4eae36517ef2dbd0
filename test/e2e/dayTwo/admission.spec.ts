import assert from "node:assert/strict";

import { AdmissionregistrationV1Api } from "@kubernetes/client-node";

import { ChangingCluster } from "../support/changing";
import { useNamespace } from "../support/namespace";
import { until } from "../support/until";

const SECONDS = 17;
const PATH = "/spec/template/spec/terminationGracePeriodSeconds";

describe("Job changed by an admission policy", () => {
    const namespace = useNamespace();
    let registration: AdmissionregistrationV1Api;
    let name: string;

    before(async () => {
        registration = namespace.kube.config.makeApiClient(AdmissionregistrationV1Api);
        name = `${namespace.name}-grace`;
        await registration.createMutatingAdmissionPolicy({
            body: {
                metadata: { name },
                spec: {
                    matchConstraints: {
                        namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": namespace.name } },
                        resourceRules: [
                            { apiGroups: ["batch"], apiVersions: ["v1"], operations: ["CREATE"], resources: ["jobs"] },
                        ],
                    },
                    reinvocationPolicy: "Never",
                    mutations: [
                        {
                            patchType: "JSONPatch",
                            jsonPatch: { expression: `[JSONPatch{op: "add", path: "${PATH}", value: ${SECONDS}}]` },
                        },
                    ],
                },
            },
        });
        await registration.createMutatingAdmissionPolicyBinding({
            body: { metadata: { name }, spec: { policyName: name } },
        });
        await until("the policy is in force", async () => ((await probe()) === SECONDS ? true : undefined));
    });

    after(async () => {
        await registration.deleteMutatingAdmissionPolicyBinding({ name });
        await registration.deleteMutatingAdmissionPolicy({ name });
    });

    /** The grace period of a Job in a dry run: the policy's, once the policy is in force. */
    async function probe(): Promise<number | undefined> {
        const template = {
            spec: { restartPolicy: "Never", containers: [{ name: "main", image: "localhost/none:1" }] },
        };
        const job = await namespace.kube.batch.createNamespacedJob({
            namespace: namespace.name,
            dryRun: "All",
            body: { metadata: { name: "probe" }, spec: { template } },
        });
        return job.spec?.template.spec?.terminationGracePeriodSeconds;
    }

    it("shows no drift, is not replaced after a refresh, and shows other drift", async () => {
        const cluster = new ChangingCluster(namespace, "mutated", {});
        await cluster.stack.up();
        const { metadata, spec } = await cluster.job();
        assert.equal(spec?.template.spec?.terminationGracePeriodSeconds, SECONDS);
        await cluster.stack.unchanged();
        cluster.set({ annotations: { note: "changed" } });
        await cluster.stack.up();
        await cluster.assertUnchanged();
        assert.equal(await cluster.uid(), metadata?.uid);
        await cluster.patchJob({ metadata: { labels: { "app.kubernetes.io/name": "other" } } });
        await cluster.stack.refresh();
        assert.deepEqual((await cluster.preview()).changes, { "mutated-job": "update" });
    });
});

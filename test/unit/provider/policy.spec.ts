import assert from "node:assert/strict";

import { Interrupt } from "../../../components/features/update";
import { containersOf, judgementOf, objectsOf, podSpecOf } from "../../../provider/policy";
import { typeToken } from "../../../provider/host/shimText";
import { useApi } from "../support/fakeApi";
import { makeInputs } from "../support/jobs";
import { makeNode } from "../support/nodes";

describe("objectsOf", () => {
    const [job, files, secret] = [{ kind: "Job" }, { kind: "ConfigMap" }, { kind: "Secret" }];
    const cases: [string, string, object, object[]][] = [
        [
            "the Job and the ConfigMap of an IndexedJob, without the Secret",
            typeToken("IndexedJob"),
            { manifest: job, files, secret },
            [job, files],
        ],
        ["the Job alone of an IndexedJob without files", typeToken("IndexedJob"), { manifest: job }, [job]],
        ["the pod of a KeygenPod", typeToken("KeygenPod"), { manifest: { kind: "Pod" } }, [{ kind: "Pod" }]],
        ["nothing of a CurveKey", typeToken("CurveKey"), { rotate: "1" }, []],
        ["nothing of another provider's resource", "aws:s3/bucket:Bucket", { manifest: job }, []],
        [
            "a Job of @pulumi/kubernetes",
            "kubernetes:batch/v1:Job",
            { spec: {} },
            [{ apiVersion: "batch/v1", kind: "Job", spec: {} }],
        ],
        [
            "a pod of @pulumi/kubernetes",
            "kubernetes:core/v1:Pod",
            { spec: {} },
            [{ apiVersion: "v1", kind: "Pod", spec: {} }],
        ],
        [
            "a custom resource of @pulumi/kubernetes",
            "kubernetes:kubeflow.org/v1:PyTorchJob",
            { spec: {} },
            [{ apiVersion: "kubeflow.org/v1", kind: "PyTorchJob", spec: {} }],
        ],
    ];
    for (const [what, type, props, objects] of cases) {
        it(`returns ${what}`, () => assert.deepEqual(objectsOf({ type, props }), objects));
    }

    it("returns the manifest of a whole MiniCluster, with its containers", () => {
        const [manifest] = objectsOf({ type: typeToken("IndexedJob"), props: makeInputs({ image: "flux:1" }) });
        assert.deepEqual(
            containersOf(manifest).map(({ image }) => image),
            ["flux:1"],
        );
    });
});

describe("podSpecOf", () => {
    const spec = { containers: [] };
    const cases: [string, object][] = [
        ["a Pod", { kind: "Pod", spec }],
        ["a Job", { kind: "Job", spec: { template: { spec } } }],
        ["a CronJob", { kind: "CronJob", spec: { jobTemplate: { spec: { template: { spec } } } } }],
    ];
    for (const [what, object] of cases) {
        it(`finds the spec of the pod of ${what}`, () => assert.equal(podSpecOf(object), spec));
    }

    it("returns undefined for an object without a pod", () => {
        assert.equal(podSpecOf({ kind: "ConfigMap", data: {} }), undefined);
        assert.deepEqual(containersOf({ kind: "ConfigMap" }), []);
    });
});

describe("containersOf", () => {
    it("returns the init containers too", () => {
        const spec = { initContainers: [{ name: "view" }], containers: [{ name: "flux" }] };
        assert.deepEqual(containersOf({ kind: "Pod", spec }), [{ name: "view" }, { name: "flux" }]);
    });
});

describe("judgementOf", () => {
    const api = useApi();
    const propsOf = (args: Parameters<typeof makeInputs>[0] = {}): any =>
        makeInputs({ size: 2, ...args }, { kubeconfig: api.kubeconfig });
    const judged = (args?: Parameters<typeof makeInputs>[0]) =>
        judgementOf({ type: typeToken("IndexedJob"), props: propsOf(args) });

    it("has the node-hours of the whole cluster, and what interrupt permits", async () => {
        const { nodeHours, permitsKill } = (await judged({ activeDeadlineSeconds: 7200 }))!;
        assert.deepEqual([nodeHours, permitsKill], [4, false]);
        const open = (await judged({ interrupt: Interrupt.Allow }))!;
        assert.deepEqual([open.nodeHours, open.permitsKill], [null, true]);
    });

    it("has the fit, for which the pods that the cluster has make room", async () => {
        api.put("nodes", makeNode("a", 4) as never);
        const large = { resources: { limits: { cpu: "3" } } };
        const { fit } = (await judged(large))!;
        assert.equal(fit?.class, "never");
        assert.match(fit?.text ?? "", /^2 pods of 3 cpu can never start: /);
        const { fit: small } = (await judged({ resources: { limits: { cpu: "1" } } }))!;
        assert.deepEqual(small, { class: "now", text: "" });
    });

    it("judges the rest if the credentials are unknown, which a policy can't read", async () => {
        const props = propsOf({ activeDeadlineSeconds: 3600 });
        const unknown = new Proxy(props, {
            get: (of, name) => {
                assert.notEqual(name, "kubeconfig");
                return of[name];
            },
        });
        const judgement = await judgementOf({ type: typeToken("IndexedJob"), props: unknown });
        assert.deepEqual(judgement, { nodeHours: 2, permitsKill: false });
    });

    it("has no fit without an answer of the cluster, and nothing for other resources", async () => {
        const props = { ...propsOf(), kubeconfig: "" };
        const { fit } = (await judgementOf({ type: typeToken("IndexedJob"), props }, { kubeconfig: "/no/file" }))!;
        assert.equal(fit, undefined);
        assert.equal(await judgementOf({ type: "kubernetes:batch/v1:Job", props: propsOf() }), undefined);
    });
});

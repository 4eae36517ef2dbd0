import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";

import * as k8s from "@pulumi/kubernetes";
import { MiniCluster, type MiniClusterArgs } from "flux-minicluster";

import { root } from "../../scripts/local/paths";
import { useNamespace } from "./support/namespace";
import { PolicyPack } from "./support/policyPack";

describe("policy pack of the examples", () => {
    const namespace = useNamespace();
    let pack: PolicyPack;

    before(() => {
        pack = new PolicyPack(join(root, "examples/policy"), {
            "gpu-limit": { maxGpus: 4 },
            "node-hours": { maxNodeHours: 10 },
            "required-queue": { queues: ["hpc", "ml"] },
            "allowed-registries": { registries: [namespace.image.replace(/[^/]*$/, "")] },
        });
    });
    after(() => rmSync(pack.folder, { recursive: true }));

    const right: MiniClusterArgs = {
        image: "",
        size: 2,
        command: ["hostname"],
        queueName: "ml",
        activeDeadlineSeconds: 3600,
        resources: { limits: { cpu: "2", "nvidia.com/gpu": "2" } },
    };
    const cluster = (name: string, args: Partial<MiniClusterArgs>) =>
        namespace.stack(name, async () => {
            new MiniCluster(name, { ...right, image: namespace.image, ...args });
        });

    it("accepts a MiniCluster within the rules", async () => {
        await pack.preview(cluster("right", {}));
    });

    const wrong: [string, Partial<MiniClusterArgs>, RegExp][] = [
        ["too many GPUs", { size: 3 }, /gpu-limit[^]*Job wrong takes 6 GPUs; at most 4 are allowed\./],
        [
            "too many node-hours",
            { activeDeadlineSeconds: 36_000 },
            /node-hours[^]*wrong-job takes 20 node-hours; at most 10 are/,
        ],
        ["no time limit", { activeDeadlineSeconds: undefined }, /wrong-job takes an unknown number of node-hours/],
        ["no queue", { queueName: undefined }, /required-queue[^]*Job wrong has no queue; allowed are hpc, ml\./],
        ["another queue", { queueName: "fun" }, /Job wrong has the queue fun; allowed are hpc, ml\./],
        [
            "an image of another registry",
            { image: "elsewhere.example/flux:1" },
            /Job wrong has the image elsewhere\.example\/flux:1 in flux\./,
        ],
        [
            "an image of another registry in a sidecar",
            { sidecars: [{ name: "exporter", image: "elsewhere.example/exporter:1" }] },
            /Job wrong has the image elsewhere\.example\/exporter:1 in exporter\./,
        ],
    ];
    for (const [what, args, message] of wrong) {
        it(`refuses a MiniCluster with ${what} at preview`, async () => {
            const stack = cluster("wrong", args);
            const { text } = await stack.fails(() => pack.preview(stack));
            assert.match(text, message);
        });
    }

    it("refuses a Job of @pulumi/kubernetes by the same rules", async () => {
        const stack = namespace.stack("plain", async () => {
            const template = {
                spec: { restartPolicy: "Never", containers: [{ name: "main", image: "elsewhere.example/a:1" }] },
            };
            new k8s.batch.v1.Job("plain", { metadata: { name: "plain" }, spec: { template } });
        });
        const { text } = await stack.fails(() => pack.preview(stack));
        assert.match(text, /Job plain has no queue/);
        assert.match(text, /Job plain has the image elsewhere\.example\/a:1 in main\./);
    });
});

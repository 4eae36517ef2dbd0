import assert from "node:assert/strict";

import * as pulumi from "@pulumi/pulumi";
import { Interrupt, WaitFor } from "flux-minicluster";

import { ChangingCluster } from "../support/changing";
import { useNamespace } from "../support/namespace";

describe("replacement of the Job", () => {
    const namespace = useNamespace();
    let cluster: ChangingCluster;

    before(async () => {
        cluster = new ChangingCluster(namespace, "changes", {
            command: ["sh", "-c", "echo $WORD"],
            environment: { WORD: "one" },
        });
        await cluster.stack.up();
    });

    const replacements: [what: string, args: ChangingCluster["args"], shown: RegExp][] = [
        ["image", { image: "localhost/no-flux:dev" }, /~ image: ".*" => "localhost\/no-flux:dev"/],
        ["command", { command: ["true"] }, /~ args:[^]*"true"/],
        ["environment", { environment: { WORD: "two" } }, /~ value: "one" => "two"/],
        ["resources", { resources: { limits: { memory: "1Gi" } } }, /memory: "1Gi"/],
        ["podLabels", { podLabels: { "example.com/team": "physics" } }, /example\.com\/team: "physics"/],
        ["triggers", { triggers: ["again"] }, /triggers:[^]*"again"/],
    ];
    for (const [what, args, shown] of replacements) {
        it(`shows a change of ${what} as its cause in the preview`, async () => {
            const before = cluster.args;
            cluster.set(args);
            const { changes, text } = await cluster.preview();
            cluster.args = before;
            const { "changes-job": job, "changes-status": status, ...others } = changes;
            assert.match(job, /replace/);
            assert.equal(status, "update");
            assert.deepEqual(others, {});
            assert.match(text, shown);
        });
    }

    it("hides the value of a new secret variable in the preview", async () => {
        const before = cluster.args;
        cluster.set({ environment: { WORD: "one", PASSWORD: pulumi.secret("correct horse") } });
        const { changes, text } = await cluster.preview();
        cluster.args = before;
        assert.match(changes["changes-job"], /replace/);
        assert(!text.includes("correct horse"));
    });

    it("shows the changed line of broker.toml in the preview", async () => {
        cluster.set({ broker: { connectTimeout: 3 } });
        const { changes, text } = await cluster.preview();
        assert.match(changes["changes-job"], /replace/);
        assert.match(text, /- connect_timeout = "0.1s"/);
        assert.match(text, /\+ connect_timeout = "3s"/);
    });

    it("shows the changed line of a hook in the preview", async () => {
        cluster.set({ hooks: { pre: "echo prepared\n" } });
        assert.match((await cluster.stack.preview()).text, /hook-pre\.sh/);
        await cluster.stack.up();
        cluster.set({ hooks: { pre: "echo well prepared\n" } });
        const { text } = await cluster.stack.preview();
        assert.match(text, /- echo prepared/);
        assert.match(text, /\+ echo well prepared/);
    });

    it("keeps the key and the Services, and returns the new run's output", async () => {
        const services = async () => {
            const { items } = await namespace.kube.core.listNamespacedService({ namespace: namespace.name });
            return items.map(({ metadata, spec }) => [metadata?.name, metadata?.uid, spec?.clusterIP]);
        };
        const before = await services();
        const key = cluster.child("key")?.id;
        cluster.set({ environment: { WORD: "two" } });
        const { outputs } = await cluster.stack.up();
        assert.match(outputs.cluster.output, /two/);
        assert.deepEqual(await services(), before);
        assert.equal(cluster.child("key")?.id, key);
        await cluster.assertSettled();
    });
});

describe("MiniCluster with a running command", () => {
    const namespace = useNamespace();
    let cluster: ChangingCluster;

    before(async () => {
        cluster = new ChangingCluster(namespace, "runs", {
            size: 2,
            command: ["sleep", "inf"],
            waitFor: WaitFor.Ready,
        });
        await cluster.stack.up();
        await namespace.untilCounted("runs", 2);
    });

    for (const [what, args] of [
        ["its image", { image: "localhost/no-flux:dev" }],
        ["broker.toml", { broker: { connectTimeout: 3 } }],
        ["a secret", { environment: { TOKEN: pulumi.secret("another") } }],
        ["its triggers", { triggers: [1] }],
        ["suspend", { suspend: true }],
        ["its deadline", { activeDeadlineSeconds: 1 }],
    ] as const) {
        // Preview and up make the same check for each change, so one change is enough for preview.
        for (const verb of what === "its image" ? (["preview", "up"] as const) : (["up"] as const)) {
            it(`refuses pulumi ${verb} with a change of ${what}, and keeps its objects`, async () => {
                const [before, pods, objects] = [cluster.args, await cluster.podUids(), await namespace.objects()];
                cluster.set(args as ChangingCluster["args"]);
                const { text } = await cluster.stack.fails(verb);
                cluster.args = before;
                assert.match(
                    text,
                    /This change .*, but the Job's command has been running for \d+ (s|min) in 2 pods.*set interrupt to "allow" to end it/,
                );
                assert.deepEqual(await cluster.podUids(), pods);
                assert.deepEqual((await namespace.objects()).sort(), objects.sort());
            });
        }
    }

    it("shows no changes after the refused updates", () => cluster.assertSettled());

    it("keeps its pods, ConfigMap and Secret in an update without changes after the refused updates", async () => {
        const pods = await cluster.podUids();
        await cluster.stack.up(true);
        assert.deepEqual(await cluster.podUids(), pods);
        const [pod] = await namespace.pods("runs");
        const volumes = pod?.spec?.volumes ?? [];
        const used = volumes.flatMap(({ configMap, secret }) => [
            ...(configMap ? [`ConfigMap/${configMap.name}`] : []),
            ...(secret ? [`Secret/${secret.secretName}`] : []),
        ]);
        assert.equal(new Set(used).size, 2);
        const objects = await namespace.objects();
        assert.deepEqual(
            used.filter((object) => !objects.includes(object)),
            [],
        );
        const { data } = await namespace.kube.core.readNamespacedSecret({
            name: "runs-secret",
            namespace: namespace.name,
        });
        assert.deepEqual(Object.keys(data ?? {}), ["curve.cert"]);
    });

    it("replaces its Job if interrupt is allow", async () => {
        cluster.set({ interrupt: Interrupt.Allow, triggers: [1] });
        const before = await cluster.uid();
        await cluster.stack.up();
        assert.notEqual(await cluster.uid(), before);
    });

    it("keeps only the ConfigMap and the Secret of the new Job", async () => {
        const kinds = (await namespace.objects()).map((object) => object.split("/")[0]);
        assert.deepEqual(kinds.filter((kind) => ["ConfigMap", "Secret"].includes(kind)).sort(), [
            "ConfigMap",
            "Secret",
        ]);
    });
});

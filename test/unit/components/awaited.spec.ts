import * as kubernetes from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import assert from "node:assert/strict";

import { MiniCluster } from "../../../components/miniCluster";
import { answers } from "../support/cluster";
import { mockPulumi, settled } from "../support/pulumi";

const IMAGE = { image: "registry.example/flux:1" };

type Made = Record<"claim" | "map" | "namespace", any>;

/** The input `awaited` of the Job of a program that also makes a namespace, a claim and a ConfigMap. */
async function awaitedBy(program: (made: Made) => void, preview = false): Promise<unknown> {
    const registered = await mockPulumi(answers, { preview });
    const { ConfigMap, Namespace, PersistentVolumeClaim } = kubernetes.core.v1;
    program({
        claim: new PersistentVolumeClaim("claim", { metadata: { name: "data" } }),
        map: new ConfigMap("map", { metadata: { name: "map" } }),
        namespace: new Namespace("namespace", { metadata: { name: "hpc" } }),
    });
    await settled();
    return registered.find(({ name }) => name === "flow-job")?.inputs.awaited;
}

describe("awaited of an IndexedJob", () => {
    for (const preview of [false, true]) {
        it(`names the kinds of objects that the program makes before it (${preview ? "preview" : "update"})`, async () => {
            const kinds = await awaitedBy(({ claim, namespace }) => {
                const volume = { name: "data", mountPath: "/data", persistentVolumeClaim: claim.metadata.name };
                new MiniCluster("flow", { ...IMAGE, namespace: namespace.metadata.name, volumes: [volume] });
            }, preview);
            assert.deepEqual(kinds, ["Namespace", "PersistentVolumeClaim"]);
        });
    }

    it("names an object of dependsOn, alone or in a list", async () => {
        const list = ({ map, namespace }: Made) => ({ dependsOn: [map, namespace] });
        const alone = ({ claim }: Made) => ({ dependsOn: claim });
        assert.deepEqual(await awaitedBy((made) => void new MiniCluster("flow", IMAGE, list(made))), ["Namespace"]);
        assert.deepEqual(await awaitedBy((made) => void new MiniCluster("flow", IMAGE, alone(made))), [
            "PersistentVolumeClaim",
        ]);
    });

    it("takes what Pulumi takes as dependsOn, and both kinds of what may make any object", async () => {
        const empty = { dependsOn: [null, [[undefined]], false] as any };
        assert.equal(await awaitedBy(() => void new MiniCluster("flow", IMAGE, empty)), undefined);
        const both = ["Namespace", "PersistentVolumeClaim"];
        const of = (options: () => object) => awaitedBy(() => void new MiniCluster("flow", IMAGE, options()));
        const component = () => new pulumi.ComponentResource("site:index:Base", "base");
        assert.deepEqual(await of(() => ({ dependsOn: [component()] })), both);
        assert.deepEqual(await of(() => ({ parent: component() })), both);
        assert.deepEqual(await of(() => ({ dependsOn: Promise.resolve([]) })), both);
        const release = () => new kubernetes.helm.v3.Release("release", { chart: "base" });
        assert.deepEqual(await of(() => ({ dependsOn: release() })), both);
    });

    it("is left out for other objects, and for those on which the cluster doesn't depend", async () => {
        const labels = ({ map }: Made) => ({ ...IMAGE, labels: { map: map.metadata.name } });
        assert.equal(await awaitedBy((made) => void new MiniCluster("flow", labels(made))), undefined);
    });
});

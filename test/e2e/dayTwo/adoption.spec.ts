import assert from "node:assert/strict";

import type { V1Job } from "@kubernetes/client-node";
import { MiniCluster } from "flux-minicluster";

import { ChangingCluster } from "../support/changing";
import { LiveCluster } from "../support/liveCluster";
import { ON_PLUGIN } from "../support/remote";
import { useNamespace } from "../support/namespace";
import type { TestStack } from "../support/stack";

const metadata = (name: string) => ({ name, labels: { "app.kubernetes.io/managed-by": "Helm" } });

/** A Job that belongs to Helm, if its annotations name no other owner. */
const foreignJob = (name: string, annotations?: Record<string, string>): V1Job => ({
    metadata: { ...metadata(name), annotations },
    spec: {
        suspend: true,
        template: { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "localhost/none:1" }] } },
    },
});

describe("MiniCluster whose object name is taken", () => {
    const namespace = useNamespace();

    it("refuses to adopt the Jobs of Helm and of another MiniCluster, names their owners, and keeps them", async () => {
        const owners = { taken: "Helm", claimed: "another MiniCluster (nonce feed)" };
        const jobs = [foreignJob("taken"), foreignJob("claimed", { "flux-minicluster/nonce": "feed" })];
        const create = (body: V1Job) => namespace.kube.batch.createNamespacedJob({ namespace: namespace.name, body });
        const uids = (await Promise.all(jobs.map(create))).map(({ metadata }) => metadata?.uid);
        const names = Object.keys(owners);
        const stack = bareStack("jobs", names);
        const text = await failAll(stack);
        for (const [name, owner] of Object.entries(owners)) {
            const cure = "Give the MiniCluster another name or namespace, or delete that one with its Services.";
            const error = `Job ${namespace.name}/${name} exists and belongs to ${owner}. ${cure}`;
            assert(text.includes(error), text);
        }
        await stack.destroy();
        assert.deepEqual(await Promise.all(names.map((name) => new LiveCluster(namespace, name).uid())), uids);
    });

    it("refuses to adopt the Services of another MiniCluster, and keeps its Job", async () => {
        const first = new ChangingCluster(namespace, "shared", {});
        await first.stack.up();
        const uid = await first.uid();
        const second = bareStack("second", ["shared"]);
        const text = await failAll(second);
        for (const name of ["shared", "shared-lead"]) {
            assert.match(text, conflictOf(name, ": \\.metadata\\.annotations\\.flux-minicluster/nonce"));
        }
        await second.destroy();
        assert.equal(await first.uid(), uid);
        assert.deepEqual(await first.nodes(), { free: 1 });
        await first.stack.refresh(true);
    });

    it("refuses to adopt Helm's Services and Secret, and keeps them", async function () {
        if (ON_PLUGIN) {
            // Pulumi ends the program when a component of a plugin fails, also with --continue-on-error.
            this.skip();
        }
        const { core } = namespace.kube;
        const here = { namespace: namespace.name };
        const theirs = ["Service/first-lead", "Service/second", "Secret/third-secret"];
        for (const name of ["first-lead", "second"]) {
            await core.createNamespacedService({
                ...here,
                body: { metadata: metadata(name), spec: { ports: [{ port: 80 }] } },
            });
        }
        await core.createNamespacedSecret({
            ...here,
            body: { metadata: metadata("third-secret"), stringData: { mine: "yes" } },
        });
        const stack = bareStack("others", ["first", "second", "third"]);
        const text = await failAll(stack);
        for (const name of ["first-lead", "second"]) {
            assert.match(text, conflictOf(name));
        }
        assert.match(
            text,
            /Secret \S+\/third-secret can't be created: it exists and does not belong to this MiniCluster\. Delete it/,
        );
        await stack.destroy();
        const objects = await namespace.objects();
        assert.deepEqual(
            theirs.filter((object) => !objects.includes(object)),
            [],
        );
    });

    /** A stack of persistent clusters with these names. */
    function bareStack(name: string, clusters: readonly string[]): TestStack {
        return namespace.stack(name, async () => {
            for (const cluster of clusters) {
                new MiniCluster(cluster, { image: namespace.image, restful: { enabled: false } });
            }
        });
    }

    /** The text of an update that must fail, and that goes on after its first failure. */
    async function failAll(stack: TestStack): Promise<string> {
        const { text } = await stack.fails(() =>
            stack.run((automation, onEvent, onOutput) => automation.up({ continueOnError: true, onEvent, onOutput })),
        );
        return text;
    }

    /** Matches the error of a Service in which another client has set a field. */
    function conflictOf(name: string, field = ""): RegExp {
        return new RegExp(`core/v1:Service \\(${name}\\):\\s+error: .*\\s+.*had an apply conflict: .*${field}$`, "m");
    }
});

describe("MiniCluster whose Job another client replaced", () => {
    const namespace = useNamespace();
    let cluster: ChangingCluster;
    let uid: string | undefined;

    before(async () => {
        cluster = new ChangingCluster(namespace, "moved", {});
        await cluster.stack.up();
        const { annotations } = (await cluster.job()).metadata ?? {};
        await cluster.removeJob();
        // The other Job has even the annotations of the MiniCluster's Job.
        const body = foreignJob("moved", annotations);
        uid = (await namespace.kube.batch.createNamespacedJob({ namespace: namespace.name, body })).metadata?.uid;
    });

    it("refuses to patch the other Job", async () => {
        cluster.set({ backoffLimit: 3 });
        const { text } = await cluster.stack.fails("up");
        assert.match(text, /was deleted by another client\. Run pulumi refresh/);
        assert.notEqual((await cluster.job()).spec?.backoffLimit, 3);
    });

    it("keeps the other Job when it is destroyed", async () => {
        await cluster.stack.destroy();
        const { metadata } = await cluster.job();
        assert.equal(metadata?.uid, uid);
        assert.equal(metadata?.deletionTimestamp, undefined);
    });
});

describe("MiniCluster whose Job is missing in the state", () => {
    const namespace = useNamespace();

    it("adopts the Job in the next update, as docs/troubleshooting.md says", async () => {
        const cluster = new ChangingCluster(namespace, "found", {});
        await cluster.stack.up();
        const [uid, pods] = [await cluster.uid(), await cluster.podUids()];
        await forget(cluster, ["job", "status"]);
        await cluster.stack.up();
        assert.equal(await cluster.uid(), uid);
        assert.deepEqual(await cluster.podUids(), pods);
        await cluster.assertSettled();
    });

    /** Removes resources from the state, as `pulumi state delete` does. */
    async function forget(cluster: ChangingCluster, parts: readonly string[]): Promise<void> {
        const automation = await cluster.stack.open();
        const state = await automation.exportStack();
        const names = parts.map((part) => `${cluster.name}-${part}`);
        state.deployment.resources = state.deployment.resources.filter(
            ({ urn }: { urn: string }) => !names.some((name) => urn.endsWith(`::${name}`)),
        );
        await automation.importStack(state);
    }
});

import assert from "node:assert/strict";

import * as pulumi from "@pulumi/pulumi";
import { MiniCluster, WaitFor } from "flux-minicluster";

import { PROJECT } from "../support/emptyStack";
import { LiveCluster } from "../support/liveCluster";
import { useNamespace } from "../support/namespace";
import { operations, type TestStack } from "../support/stack";

/** A component of the user. */
class Group extends pulumi.ComponentResource {
    constructor() {
        super("my:index:Group", "group");
    }
}

interface Declaration {
    /** The Pulumi name. */
    readonly name: string;
    readonly opts?: () => pulumi.ComponentResourceOptions;
    /** The argument `name`. */
    readonly named?: string;
}

const GROUP = `urn:pulumi:renames::${PROJECT}::my:index:Group::group`;

/** The Pulumi name in a URN. */
const nameIn = (urn: string) => urn.split("::").at(-1) ?? "";

describe("MiniCluster with a running command that is renamed", () => {
    const namespace = useNamespace();
    const live = new LiveCluster(namespace, "first");
    let declared: Declaration = { name: "first" };
    let stack: TestStack;
    let atStart: unknown;

    before(async () => {
        stack = namespace.stack("renames", async () => {
            const { name, named, opts } = declared;
            const args = { image: namespace.image, command: ["sleep", "inf"], waitFor: WaitFor.Ready };
            new MiniCluster(name, { ...args, name: named }, opts?.());
        });
        await stack.up();
        atStart = await identity();
    });

    /** What a rename must keep: the Job, its pods, the Services and the key. */
    async function identity() {
        const { items } = await namespace.kube.core.listNamespacedService({ namespace: namespace.name });
        const services = items.map(({ metadata, spec }) => [metadata?.name, metadata?.uid, spec?.clusterIP]);
        const key = stack.resources().find(({ urn }) => urn.endsWith("-key"))?.id;
        return { key, pods: await live.podUids(), services, uid: await live.uid() };
    }

    /** Requires that the declaration changes nothing but names, in the preview and in the update. */
    async function assertKept(declaration: Declaration): Promise<void> {
        declared = declaration;
        const steps = operations((await stack.preview()).events);
        const others = Object.entries(steps).filter(([name, op]) => op !== "same" && name !== "group");
        assert.deepEqual(others, []);
        await stack.up();
        assert.deepEqual(await identity(), atStart);
        const kinds = stack.resources().map(({ urn }) => nameIn(urn));
        assert.deepEqual(
            kinds.filter((name) => /^(first|second|third|fourth)/.test(name)).sort(),
            ["", "", "-job", "-key", "-lead", "-status"].map((suffix) => `${declaration.name}${suffix}`),
        );
        await stack.preview(true);
    }

    it("keeps everything with an alias, and its name in Kubernetes by default", () =>
        assertKept({ name: "second", opts: () => ({ aliases: [{ name: "first" }] }) }));

    it("keeps everything when it moves into a component, with the argument name in place of the alias", () =>
        assertKept({
            name: "second",
            named: "first",
            opts: () => ({ parent: new Group(), aliases: [{ parent: pulumi.rootStackResource }] }),
        }));

    it("keeps everything when it is renamed and moves out of the component at once", () =>
        assertKept({ name: "third", named: "first", opts: () => ({ aliases: [{ name: "second", parent: GROUP }] }) }));

    it("keeps everything with pulumi state rename of the cluster and all its children", async () => {
        const urns = stack.resources().map(({ urn }) => urn);
        // The children first: the rename of the cluster doesn't change their URNs, which have only its type.
        for (const urn of urns.filter((one) => nameIn(one).startsWith("third")).reverse()) {
            await stack.rename(urn, nameIn(urn).replace("third", "fourth"));
        }
        await assertKept({ name: "fourth", named: "first" });
    });

    it("says in the preview which command another name in Kubernetes would end", async () => {
        declared = { name: "fourth", named: "other" };
        const { text } = await stack.fails("preview");
        assert.match(
            text,
            /is not replaced together with its lead Service, because its command has been running for \d+ \S+ in 1 pods/,
        );
    });

    it("fails and keeps everything if a new Pulumi name has no alias", async () => {
        declared = { name: "fifth", named: "first" };
        const { text } = await stack.fails("up");
        assert.match(text, /conflict/);
        declared = { name: "fourth", named: "first" };
        // This update removes the new key, which was created before the failure.
        await stack.up();
        assert.deepEqual(await identity(), atStart);
        await stack.preview(true);
    });
});

describe("MiniCluster with retainOnDelete", () => {
    const namespace = useNamespace();
    const live = new LiveCluster(namespace, "kept");
    const declare = (name: string, opts?: pulumi.ComponentResourceOptions) =>
        namespace.stack(name, async () => {
            new MiniCluster("kept", { image: namespace.image, restful: { enabled: false } }, opts);
        });

    it("stays as it is when its stack is destroyed, and a new stack refuses it and names the cures", async () => {
        const first = declare("first", { retainOnDelete: true });
        await first.up();
        const [uid, pods, objects] = [await live.uid(), await live.podUids(), await namespace.objects()];
        await first.destroy();
        assert.deepEqual(
            first.resources().filter(({ urn }) => nameIn(urn).startsWith("kept")),
            [],
        );
        const second = declare("second");
        const refusal =
            /(Job|Service) \S+\/kept\S* exists and belongs to another MiniCluster \(stack \w+\/\S+\)\. Give the MiniCluster another name or namespace, or delete that one with its Services\. docs\/troubleshooting\.md tells/;
        assert.match((await second.fails("preview")).text, refusal);
        // Automation API's up has no preview.
        assert.match((await second.fails("up")).text, refusal);
        assert.deepEqual(
            second.resources().filter(({ type }) => type.startsWith("kubernetes:")),
            [],
        );
        await second.destroy();
        assert.equal(await live.uid(), uid);
        assert.deepEqual(await live.podUids(), pods);
        assert.deepEqual((await namespace.objects()).sort(), objects.sort());
    });

    it("makes room when its objects are deleted as docs/troubleshooting.md says", async () => {
        const { core, batch } = namespace.kube;
        const selected = { namespace: namespace.name, labelSelector: "app.kubernetes.io/instance=kept" };
        await core.deleteCollectionNamespacedService(selected);
        await core.deleteCollectionNamespacedSecret(selected);
        await core.deleteCollectionNamespacedConfigMap(selected);
        await batch.deleteCollectionNamespacedJob({ ...selected, propagationPolicy: "Foreground" });
        await live.awaitRemoved();
        await declare("third").up();
        assert.deepEqual(await live.nodes(), { free: 1 });
    });
});

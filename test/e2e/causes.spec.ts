import assert from "node:assert/strict";

import { NodeV1Api } from "@kubernetes/client-node";
import { MiniCluster, type MiniClusterArgs } from "flux-minicluster";

import { bareUnlessCommand } from "./support/changing";
import { GhostNode } from "./support/ghostNode";
import { useNamespace } from "./support/namespace";
import type { TestStack } from "./support/stack";
import { until } from "./support/until";

/** Short timeouts, so that problems fail soon. Without a look of a scheduler or a kubelet, a line says so after 10 s. */
const timeouts = { imagePull: 4, podCreation: 4, podStart: 14, unschedulable: 14, ready: 120 };

interface Case {
    readonly args: Partial<MiniClusterArgs>;
    /** The end of a progress line. */
    readonly row: RegExp;
    readonly failure: RegExp;
    readonly limit: "imagePull" | "podCreation" | "podStart" | "unschedulable";
}

const volume = (source: object) => ({ volumes: [{ name: "data", mountPath: "/data", ...source }] });
const patched = (spec: object) => ({ podTemplate: { spec } });

/** The cases by cluster name. All clusters fail in one update, in parallel. */
const casesOn = (node: GhostNode): Readonly<Record<string, Case>> => ({
    runtime: {
        args: { runtimeClassName: `${node.name}`, size: 2 },
        row: /runtime-\d-\w+ ContainerCreating: Failed to create pod sandbox: .*no runtime for "ghost" is configured/,
        failure: /runtime-\d-\w+ does not start: Failed to create pod sandbox: .*no runtime for "ghost" is configured/,
        limit: "podStart",
    },
    folder: {
        args: volume({ source: { hostPath: { path: "/no/such/lustre", type: "Directory" } } }),
        row: /folder-0-\w+ ContainerCreating: MountVolume\.SetUp failed .*hostPath type check failed[:,] \/no\/such\/lustre/,
        failure:
            /folder-0-\w+ does not start: MountVolume\.SetUp failed .*hostPath type check failed[:,] \/no\/such\/lustre/,
        limit: "podStart",
    },
    driver: {
        args: volume({ source: { csi: { driver: "none.example.com" } } }),
        row: /driver-0-\w+ ContainerCreating: MountVolume.*none\.example\.com not found in the list of registered CSI drivers/,
        failure: /driver-0-\w+ does not start: MountVolume.*none\.example\.com not found in the list of registered CSI/,
        limit: "podStart",
    },
    scheduler: {
        args: { schedulerName: "fluence", size: 2 },
        row: /scheduler-0-\w+ Pending: no scheduler named fluence has looked at it/,
        failure: /no scheduler named fluence has looked at scheduler-0-\w+/,
        limit: "unschedulable",
    },
    gate: {
        args: patched({ schedulingGates: [{ name: "example.com/licence" }] }),
        row: /gate-0-\w+ SchedulingGated: scheduling gate "example\.com\/licence" hasn't been removed/,
        failure: /gate-0-\w+ can't be scheduled: scheduling gate "example\.com\/licence" hasn't been removed/,
        limit: "unschedulable",
    },
    taint: {
        args: { nodeSelector: node.label },
        row: /taint-0-\w+ Unschedulable: 0\/\d nodes are available: .*taint/,
        failure: /taint-0-\w+ can't be scheduled: 0\/\d nodes are available: .*taint/,
        limit: "unschedulable",
    },
    kubelet: {
        args: { nodeSelector: node.label, tolerations: [{ operator: "Exists" }] },
        row: /kubelet-0-\w+ Pending: the kubelet of node ghost-\w+ has not looked at it/,
        failure: /the kubelet of node ghost-\w+ has not looked at kubelet-0-\w+/,
        limit: "podStart",
    },
    image: {
        args: { image: "localhost/there-is-none:1" },
        row: /image-0-\w+ (ErrImagePull|ImagePullBackOff): .*localhost\/there-is-none:1/,
        failure: /image-0-\w+ does not start: (ErrImagePull|ImagePullBackOff): .*localhost\/there-is-none:1/,
        limit: "imagePull",
    },
    secret: {
        args: volume({ secret: "there-is-none" }),
        row: /secret-0-\w+ ContainerCreating: MountVolume\.SetUp failed .*secret "there-is-none" not found/,
        failure: /secret-0-\w+ does not start: MountVolume\.SetUp failed .*secret "there-is-none" not found/,
        limit: "podStart",
    },
    configmap: {
        args: volume({ configMap: "there-is-none" }),
        row: /configmap-0-\w+ ContainerCreating: MountVolume\.SetUp failed .*configmap "there-is-none" not found/,
        failure: /configmap-0-\w+ does not start: MountVolume\.SetUp failed .*configmap "there-is-none" not found/,
        limit: "podStart",
    },
    item: {
        args: volume({ source: { secret: { secretName: "licence", items: [{ key: "none", path: "none" }] } } }),
        row: /item-0-\w+ ContainerCreating: MountVolume\.SetUp failed .*references non-existent secret key: none/,
        failure: /item-0-\w+ does not start: MountVolume\.SetUp failed .*references non-existent secret key: none/,
        limit: "podStart",
    },
    variable: {
        args: patched({
            containers: [
                { name: "flux", env: [{ name: "A", valueFrom: { secretKeyRef: { name: "licence", key: "none" } } }] },
            ],
        }),
        row: /variable-0-\w+ CreateContainerConfigError: couldn't find key none in Secret /,
        failure: /variable-0-\w+ does not start: CreateContainerConfigError: couldn't find key none in Secret /,
        limit: "podStart",
    },
    root: {
        args: patched({ securityContext: { runAsNonRoot: true, runAsUser: 0 } }),
        row: /root-0-\w+ CreateContainerConfigError: .*runAsUser breaks non-root policy/,
        failure: /root-0-\w+ does not start: CreateContainerConfigError: .*runAsUser breaks non-root policy/,
        limit: "podCreation",
    },
    claim: {
        args: volume({ persistentVolumeClaim: "there-is-none" }),
        row: /claim-0-\w+ Unschedulable: .*persistentvolumeclaim "there-is-none" not found/,
        failure: /claim-0-\w+ can't be scheduled: .*persistentvolumeclaim "there-is-none" not found/,
        limit: "unschedulable",
    },
    unbound: {
        args: volume({ persistentVolumeClaim: "unbound" }),
        row: /unbound-0-\w+ Unschedulable: .*unbound immediate PersistentVolumeClaims/,
        failure: /unbound-0-\w+ can't be scheduled: .*unbound immediate PersistentVolumeClaims/,
        limit: "unschedulable",
    },
    class: {
        args: volume({ persistentVolumeClaim: "classless" }),
        row: /class-0-\w+ Unschedulable: .*storageclass\.storage\.k8s\.io "there-is-none" not found/,
        failure: /class-0-\w+ can't be scheduled: .*storageclass\.storage\.k8s\.io "there-is-none" not found/,
        limit: "unschedulable",
    },
    quota: {
        args: { resources: { limits: { "example.com/widget": "1" } } },
        row: /; Kubernetes can't create a pod: .*exceeded quota: no-widgets/,
        failure: /Kubernetes can't create a pod: .*exceeded quota: no-widgets/,
        limit: "podCreation",
    },
    full: {
        args: { resources: { limits: { "example.com/gadget": "1" } } },
        row: /; Kubernetes can't create a pod: .*exceeded quota: one-gadget/,
        failure: /Kubernetes can't create a pod: .*exceeded quota: one-gadget/,
        limit: "podStart",
    },
});

describe("a MiniCluster whose pods don't start", () => {
    const namespace = useNamespace();
    const cases = new Map<string, Case>();
    let node: GhostNode;
    let stack: TestStack;

    before(async () => {
        node = new GhostNode(namespace.kube, namespace.name.replace("e2e", "ghost"));
        await node.make();
        await makeObjects();
        Object.entries(casesOn(node)).forEach(([name, each]) => cases.set(name, each));
        stack = namespace.stack("causes", async () => {
            for (const [name, { args }] of cases) {
                new MiniCluster(name, { image: namespace.image, timeouts, ...bareUnlessCommand(args) });
            }
        });
        await stack.failsInPart();
    });

    after(async () => {
        await node.remove();
        await runtimes().deleteRuntimeClass({ name: node.name });
    });

    const runtimes = () => namespace.kube.config.makeApiClient(NodeV1Api);

    async function makeObjects(): Promise<void> {
        const { core } = namespace.kube;
        const at = { namespace: namespace.name };
        const quota = (name: string, resource: string, hard: string) =>
            core.createNamespacedResourceQuota({
                ...at,
                body: { metadata: { name }, spec: { hard: { [`requests.example.com/${resource}`]: hard } } },
            });
        const claim = (name: string, storageClassName: string) =>
            core.createNamespacedPersistentVolumeClaim({
                ...at,
                body: {
                    metadata: { name },
                    spec: {
                        storageClassName,
                        accessModes: ["ReadWriteOnce"],
                        resources: { requests: { storage: "1" } },
                    },
                },
            });
        const limits = { "example.com/gadget": "1" };
        const containers = [{ name: "a", image: "localhost/there-is-none:1", resources: { limits, requests: limits } }];
        await Promise.all([
            runtimes().createRuntimeClass({ body: { metadata: { name: node.name }, handler: "ghost" } }),
            core.createNamespacedSecret({ ...at, body: { metadata: { name: "licence" }, stringData: { a: "b" } } }),
            claim("unbound", ""),
            claim("classless", "there-is-none"),
            quota("no-widgets", "widget", "0"),
            quota("one-gadget", "gadget", "1"),
        ]);
        const used = async () => {
            const { status } = await core.readNamespacedResourceQuota({ ...at, name: "one-gadget" });
            return status?.used?.["requests.example.com/gadget"];
        };
        await until("the quota is counted", async () => (await used()) === "0" || undefined);
        await core.createNamespacedPod({ ...at, body: { metadata: { name: "gadget" }, spec: { containers } } });
    }

    for (const name of Object.keys(casesOn(new GhostNode(namespace.kube, "")))) {
        it(`has the cause in its progress line (${name})`, () => {
            const lines = stack.printed.split("\n").filter((line) => line.includes(`${name}: 0/`));
            assert.ok(
                lines.some((line) => cases.get(name)!.row.test(line)),
                lines.join("\n"),
            );
        });

        it(`fails with the cause and its limit (${name})`, () => {
            const { failure, limit } = cases.get(name)!;
            const text = diagnostics(name);
            assert.match(text, failure);
            assert.match(text, new RegExp(`\\(for ${timeouts[limit]} s; raise timeouts\\.${limit} to wait longer\\)`));
        });
    }

    function diagnostics(name: string): string {
        const [, all = ""] = stack.printed.split(/^Diagnostics:$/m);
        return all.split(/^ {2}(?=\S)/m).find((part) => part.includes(`(${name}-status)`)) ?? all;
    }
});

describe("a MiniCluster whose pods start late", () => {
    const namespace = useNamespace();

    it("becomes ready when the missing object is there", async () => {
        const stack = namespace.stack("late", async () => {
            const args = { image: namespace.image, size: 2, ...volume({ secret: "later" }) };
            new MiniCluster("late", { ...args, restful: { enabled: false }, timeouts: { podCreation: 1 } });
        });
        const up = stack.up();
        await until("a line has the cause", async () => /secret "later" not found/.test(stack.printed) || undefined);
        const body = { metadata: { name: "later" }, stringData: { a: "b" } };
        await namespace.kube.core.createNamespacedSecret({ namespace: namespace.name, body });
        await up;
        assert.match(stack.printed, /late: ready 2\/2/);
    });

    it("becomes ready without the right to read Events, which a line tells once", async () => {
        const { rbac } = namespace.kube;
        const [role] = (await rbac.listNamespacedRole({ namespace: namespace.name })).items;
        const rules = role.rules?.filter(
            ({ resources, verbs }) => !resources?.includes("events") || verbs.includes("create"),
        );
        const name = role.metadata?.name ?? "";
        await rbac.replaceNamespacedRole({ namespace: namespace.name, name, body: { ...role, rules } });
        const stack = namespace.stack("blind", async () => {
            new MiniCluster("blind", { image: namespace.image, restful: { enabled: false } });
        });
        await stack.up();
        assert.match(stack.printed, /blind: ready 1\/1/);
        assert.equal(stack.printed.match(/Kubernetes' Events can't be read/g)?.length, 1);
    });
});

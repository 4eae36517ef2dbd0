import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import type { V1PolicyRule } from "@kubernetes/client-node";
import { MiniCluster, type MiniClusterArgs } from "flux-minicluster";

import { checkKubeconfig } from "../../cli/doctor/kubeconfig";
import { checkRights, rulesFor } from "../../cli/doctor/rights";
import { connect } from "../../provider/kubernetes/client";
import { findSite, type Site } from "../../scripts/local/cluster/site";
import { noFluxImage } from "../../scripts/local/images";
import { bareUnlessCommand } from "../e2e/support/changing";
import { doctor } from "../e2e/support/doctor";
import { GhostNode } from "../e2e/support/ghostNode";
import { importTestImage } from "../e2e/support/images";
import { useNamespace } from "../e2e/support/namespace";
import { sharedCluster } from "../e2e/support/sharedCluster";
import { LossyNetwork } from "../e2e/support/lossyNetwork";
import { until } from "../e2e/support/until";

/** Faults on a real cluster, beside those of test/unit/cli/doctor/faults.ts. */
interface Fault {
    readonly args: Partial<MiniClusterArgs>;
    /** A line of the doctor: level, group, words and cure. */
    readonly says: RegExp;
}

/** The updates fail soon, and the pods that can't start stay. */
const timeouts = { imagePull: 5, podCreation: 5, podStart: 14, unschedulable: 14, ready: 25 };

/** The node drops all packets to this port of a broker, as a NetworkPolicy or a firewall does. */
const BLOCKED = 8099;

const patched = (spec: object) => ({ podTemplate: { spec } });

const faultsOn = (node: GhostNode): Readonly<Record<string, Fault>> => ({
    "no-flux": {
        args: { image: noFluxImage },
        says: /^fail image: no-flux-0-\w+ can't start: the image has no flux on PATH .*; install flux-core in it, or correct PATH\. \| .+$/m,
    },
    "no-bash": {
        args: { environment: { PATH: "/nowhere" } },
        says: /^fail image: no-bash-0-\w+ can't start: the image has no .*bash.* on PATH .* \| .+$/m,
    },
    user: {
        args: {
            podSecurityContext: { runAsUser: 4711, fsGroup: 4711 },
            ...patched({ securityContext: { fsGroup: null } }),
        },
        says: /^fail image: user-0-\w+ can't start: .*user 4711 .* \| .+$/m,
    },
    root: {
        args: patched({ securityContext: { runAsNonRoot: true, runAsUser: 0 } }),
        says: /^fail pods: root-0-\w+ does not start: CreateContainerConfigError: .*non-root policy.* \| podSecurityContext\.runAsUser$/m,
    },
    pull: {
        args: { image: "localhost/there-is-none:1" },
        says: /^fail image: pull-0-\w+ does not start: (?:ErrImagePull|ImagePullBackOff): .* \| image, imagePullSecrets;.*$/m,
    },
    taint: {
        args: { nodeSelector: node.label },
        says: /^fail pods: taint-0-\w+ can't be scheduled: .*taint.* \| tolerations; nodeSelector, affinity$/m,
    },
    large: {
        args: { resources: { requests: { cpu: "1000" } } },
        says: /^fail nodes: 1 pod of 1000 cpu can never start: .* \| smaller resources\.requests or size; .*$/m,
    },
    selector: {
        args: { nodeSelector: { "example.com/gpu": "h100" } },
        says: /^fail pods: selector-0-\w+ can't be scheduled: .*node affinity\/selector.* \| tolerations; nodeSelector, affinity$/m,
    },
    kubelet: {
        args: { nodeSelector: node.label, tolerations: [{ operator: "Exists" }] },
        says: /^fail pods: the kubelet of node ghost-\w+ has not looked at kubelet-0-\w+ \| .*kubectl describe node$/m,
    },
    claim: {
        args: { volumes: [{ name: "data", mountPath: "/data", persistentVolumeClaim: "unbound" }] },
        says: /^fail pods: claim-0-\w+ can't be scheduled: .*unbound immediate PersistentVolumeClaims.* \| kubectl describe pvc;.*$/m,
    },
    secret: {
        args: { volumes: [{ name: "data", mountPath: "/data", secret: "there-is-none" }] },
        says: /^fail pods: secret-0-\w+ does not start: MountVolume.*secret "there-is-none" not found \| create it;.*$/m,
    },
    gate: {
        args: patched({ schedulingGates: [{ name: "example.com/licence" }] }),
        says: /^fail pods: gate-0-\w+ can't be scheduled: scheduling gate "example\.com\/licence" .* \| the controller that removes the gate;.*$/m,
    },
    quota: {
        args: { resources: { limits: { "example.com/widget": "1" } } },
        says: /^fail pods: Kubernetes can't create a pod: .*exceeded quota: no-widgets.* \| smaller resources or size, or a larger quota$/m,
    },
    join: {
        args: { size: 2, hooks: { worker: 'if [ "$JOB_COMPLETION_INDEX" = 1 ]; then sleep inf; fi' } },
        says: /^fail brokers: join-1-\w+ runs and has not joined \| minicluster logs 1; a NetworkPolicy, .*$/m,
    },
    port: {
        args: { size: 2, broker: { port: BLOCKED } },
        says: /^fail brokers: port-1-\w+ runs and has not joined \| minicluster logs 1; a NetworkPolicy, .*$/m,
    },
    toml: {
        args: { broker: { config: "this is no TOML" } },
        says: /^fail brokers: the log of toml-0-\w+: The configuration is not valid TOML .*\. \| Correct broker\.config\.$/m,
    },
    dns: {
        args: {
            size: 2,
            volumes: [{ name: "hosts", mountPath: "/etc/hosts", source: { hostPath: { path: "/dev/null" } } }],
            ...patched({ dnsPolicy: "None", dnsConfig: { nameservers: ["192.0.2.1"] } }),
        },
        says: /^fail DNS: the log of dns-\d-\w+: .* \| .*DNS.*$/m,
    },
});

describe("minicluster doctor and a MiniCluster with a fault", () => {
    const namespace = useNamespace();
    const faults = new Map<string, Fault>();
    let node: GhostNode;
    let admin: string;
    let network: LossyNetwork;

    before(async () => {
        admin = (await sharedCluster()).cluster.kubeconfig;
        await importTestImage(noFluxImage);
        node = new GhostNode(namespace.kube, namespace.name.replace("e2e", "ghost"));
        await node.make();
        network = new LossyNetwork(findSite() as Site);
        await network.dropTo(BLOCKED);
        Object.entries(faultsOn(node)).forEach(([name, fault]) => faults.set(name, fault));
        const here = { namespace: namespace.name };
        const spec = {
            accessModes: ["ReadWriteOnce"],
            resources: { requests: { storage: "1" } },
            storageClassName: "",
        };
        const hard = { "requests.example.com/widget": "0" };
        await namespace.kube.core.createNamespacedPersistentVolumeClaim({
            ...here,
            body: { metadata: { name: "unbound" }, spec },
        });
        await namespace.kube.core.createNamespacedResourceQuota({
            ...here,
            body: { metadata: { name: "no-widgets" }, spec: { hard } },
        });
        const stack = namespace.stack("faults", async () => {
            for (const [name, { args }] of faults) {
                new MiniCluster(name, { image: namespace.image, timeouts, ...bareUnlessCommand(args) });
            }
        });
        await stack.failsInPart();
    });

    after(async () => {
        await network.restore();
        await node.remove();
    });

    for (const name of Object.keys(faultsOn(new GhostNode(namespace.kube, "")))) {
        it(`finds the cause and its cure (${name})`, async () => {
            // The administrator can also read the nodes.
            const { code, lines } = await doctor(admin, name, "-n", namespace.name);
            assert.match(lines, faults.get(name)!.says);
            assert.equal(code, 1);
        });
    }
});

describe("minicluster doctor and a namespace with a fault", () => {
    const restricted = useNamespace({ podSecurity: "restricted" });
    const namespace = useNamespace();

    it("finds Pod Security that refuses the pods", async () => {
        const { code, lines } = await doctor(restricted.kubeconfig);
        assert.equal(code, 1);
        assert.match(
            lines,
            /^fail admission: a pod would be refused: .*violates PodSecurity "restricted:latest".* \| the fields/m,
        );
    });

    it("finds a quota that needs values, and a LimitRange that is too small", async () => {
        const { core } = namespace.kube;
        const here = { namespace: namespace.name };
        const hard = { "requests.cpu": "1m" };
        await core.createNamespacedResourceQuota({ ...here, body: { metadata: { name: "tiny" }, spec: { hard } } });
        const first = await doctor(namespace.kubeconfig);
        assert.match(
            first.lines,
            /^fail admission: a pod would be refused: .*failed quota: tiny: must specify requests\.cpu.* \| resources\.limits$/m,
        );
        assert.match(first.lines, /^fail quota: .*quota tiny requires requests\.cpu of each container.* \| .+$/m);
        const limits = [{ type: "Container", default: { cpu: "2" }, max: { cpu: "2" }, min: { cpu: "1" } }];
        await core.createNamespacedLimitRange({ ...here, body: { metadata: { name: "small" }, spec: { limits } } });
        const second = await doctor(namespace.kubeconfig);
        assert.equal(second.code, 1);
        assert.match(second.lines, /^fail admission: a pod would be refused: .*exceeded quota: tiny.* \| .*quota$/m);
        assert.match(second.lines, /^fail quota: 1 pod of 2 cpu can never start: quota tiny is .* \| .+$/m);
    });

    it("finds a namespace that doesn't exist", async () => {
        const { cluster } = await sharedCluster();
        const { lines } = await doctor(cluster.kubeconfig, "-n", `${namespace.name}-none`);
        assert.match(
            lines,
            /^fail admission: a Job would be refused: namespaces .* not found \| kubectl create namespace /m,
        );
    });
});

describe("minicluster doctor and the rights of its user", () => {
    const namespace = useNamespace();
    const rules = rulesFor("").filter(({ rights }) => rights[0].namespace !== undefined);

    for (const [index, { rights }] of rules.entries()) {
        const names = rights.map(({ group, resource, verb }) => `${verb} ${group}/${resource}`).join(", ");

        it(`names the rights of a rule that is taken away (${names})`, async () => {
            const { rbac } = namespace.kube;
            const [role] = (await rbac.listNamespacedRole({ namespace: namespace.name })).items;
            const name = role.metadata?.name ?? "";
            const replace = (kept: V1PolicyRule[]) =>
                rbac.replaceNamespacedRole({
                    namespace: namespace.name,
                    name,
                    body: { ...role, metadata: { name, namespace: namespace.name }, rules: kept },
                });
            // Other rules grant some of the same rights.
            const taken = new Set(rights.map(({ group, resource, verb }) => `${verb} ${group}/${resource}`));
            const kept = rules
                .flatMap((rule) => rule.rights)
                .filter(({ group, resource, verb }) => !taken.has(`${verb} ${group}/${resource}`));
            await replace(
                kept.map(({ group, resource, verb }) => ({ apiGroups: [group], resources: [resource], verbs: [verb] })),
            );
            const kube = connect({ kubeconfig: namespace.kubeconfig });
            const { purpose } = rulesFor(namespace.name)[index];
            const look = async () => {
                const { findings } = await checkRights(kube, namespace.name);
                return findings.find(({ text }) => text.startsWith("no right to") && text.endsWith(purpose));
            };
            const found = await until(`${names} are missed`, look);
            for (const { resource, verb } of rights) {
                assert.match(found.text, new RegExp(`\\b${verb}\\b.* ${resource}\\b`));
            }
            assert.match(found.cure ?? "", /docs\/rbac\.yaml/);
            await replace(role.rules ?? []);
        });
    }
});

describe("minicluster doctor and a kubeconfig with a fault", () => {
    const namespace = useNamespace();

    /** The namespace's kubeconfig with a change. */
    function changed(change: (config: any) => void): string {
        const config = JSON.parse(readFileSync(namespace.kubeconfig, "utf8"));
        change(config);
        const path = join(dirname(namespace.kubeconfig), "changed");
        writeFileSync(path, JSON.stringify(config));
        return path;
    }

    it("finds the certificate of another authority", async () => {
        const path = changed(({ clusters: [{ cluster }] }) => {
            delete cluster["certificate-authority"];
            delete cluster["certificate-authority-data"];
        });
        const { code, lines } = await doctor(path);
        assert.equal(code, 1);
        assert.match(
            lines,
            /^fail server: the API server at \S+ can't be reached: .* \| compare certificate-authority/m,
        );
    });

    it("finds a token that the API server refuses", async () => {
        const { lines } = await doctor(changed(({ users: [each] }) => (each.user.token = "none")));
        assert.match(lines, /^fail server: the API server at \S+ refuses the credential \(401\) \| log in again/m);
    });

    it("finds a plugin whose program is missing", async () => {
        const exec = {
            apiVersion: "client.authentication.k8s.io/v1",
            command: "no-such-plugin",
            interactiveMode: "Never",
        };
        const { lines } = await doctor(changed(({ users: [each] }) => (each.user = { exec })));
        assert.match(lines, /^fail kubeconfig: the command no-such-plugin, .* failed: ENOENT \| install the program/m);
        assert.match(lines, /^unchecked rights: the credential can't be used \| $/m);
    });

    it("finds a client certificate that has ended", async () => {
        const { cluster } = await sharedCluster();
        const found = await checkKubeconfig(connect({ kubeconfig: cluster.kubeconfig }), new Date("2200-01-01"));
        assert.match(found.at(-1)?.text ?? "", /^the client certificate of user \S+ ended at 20\d\d-/);
    });
});

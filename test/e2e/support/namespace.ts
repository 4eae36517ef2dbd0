import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";

import { KubeConfig, type KubernetesObject, type V1Pod, type V1Role } from "@kubernetes/client-node";
import { parseAllDocuments } from "yaml";

import { root } from "../../../scripts/local/paths";
import type { StateResource } from "./checkpoint";
import { Kube } from "./kube";
import { Page } from "./page";
import { ACCOUNT, bind } from "./rights";
import { type Program, TestStack } from "./stack";
import { until } from "./until";
import { sharedCluster } from "./sharedCluster";

export interface NamespaceOptions {
    /** Pod security standard that the namespace enforces. @default none */
    readonly podSecurity?: "baseline" | "restricted";
    /** The Kubernetes cluster and the image. @default those that all tests share */
    readonly world?: () => Promise<{ readonly cluster: { readonly kubeconfig: string }; readonly image: string }>;
}

/** A namespace for the tests of one file. Pulumi has only the rights of docs/rbac.yaml in it. */
export class TestNamespace {
    name = "";
    image = "";
    /** Path of the kubeconfig of the service account. */
    kubeconfig = "";
    kube!: Kube;
    private folder = "";
    private readonly stacks: (Page | TestStack)[] = [];
    private readonly closing: Promise<void>[] = [];

    constructor(private readonly options: NamespaceOptions) {}

    stack(name: string, program: Program, config?: Readonly<Record<string, string>>, backend?: string): TestStack {
        const stack = new TestStack({ name, program, config, backend, kubeconfig: this.kubeconfig });
        this.stacks.push(stack);
        return stack;
    }

    /** The page of an example, or another page by its path, with its commands, for the image that all tests share or for another one. */
    page(example: string, image = this.image, environment?: Readonly<Record<string, string>>): Page {
        const page = new Page(example, { image, environment, kubeconfig: this.kubeconfig });
        this.stacks.push(page);
        return page;
    }

    async make(): Promise<void> {
        const { cluster, image } = await (this.options.world ?? sharedCluster)();
        this.image = image;
        this.kube = new Kube(cluster.kubeconfig);
        this.folder = mkdtempSync(join(tmpdir(), "flux-minicluster-e2e-"));
        const { podSecurity } = this.options;
        const labels: Record<string, string> =
            podSecurity === undefined ? {} : { "pod-security.kubernetes.io/enforce": podSecurity };
        const made = await this.kube.core.createNamespace({ body: { metadata: { generateName: "e2e-", labels } } });
        this.name = made.metadata?.name ?? "";
        this.kubeconfig = await this.makeAccount();
    }

    /** Pulumi's user name at the API server. */
    get username(): string {
        return `system:serviceaccount:${this.name}:${ACCOUNT}`;
    }

    get openStacks(): number {
        return this.stacks.length;
    }

    /** Starts to remove the objects of all stacks after the first `keep`. The next test does not wait for this. */
    closeStacks(keep = 0): void {
        this.closing.push(...this.stacks.splice(keep).map((stack) => this.close(stack)));
    }

    /** Deletes a stack's objects without Pulumi. With `pulumi destroy` this would be a third of all Pulumi commands. */
    private async close(stack: Page | TestStack): Promise<void> {
        const left = stack.resources().flatMap(objectOf);
        stack.forget();
        await Promise.all(left.map((object) => this.kube.remove(object)));
    }

    async remove(): Promise<void> {
        const closed = await Promise.allSettled(this.closing);
        if (this.name !== "") {
            await this.kube.core.deleteNamespace({ name: this.name });
        }
        rmSync(this.folder, { recursive: true, force: true });
        const failures = closed.filter((result) => result.status === "rejected").map(({ reason }) => String(reason));
        assert.deepEqual(failures, [], "some objects can't be removed");
    }

    /** Its cluster has been removed, so there is nothing to remove any more. */
    forget(): void {
        this.name = "";
    }

    /** Every object in the namespace, as `kind/name`, except those that Kubernetes and this class made. */
    async objects(): Promise<string[]> {
        const { name: namespace } = this;
        const { apps, batch, core, discovery, networking, policy } = this.kube;
        const lists = await Promise.all([
            core.listNamespacedPod({ namespace }).then((list) => named("Pod", list.items)),
            core.listNamespacedService({ namespace }).then((list) => named("Service", list.items)),
            core.listNamespacedSecret({ namespace }).then((list) => named("Secret", list.items)),
            core.listNamespacedConfigMap({ namespace }).then((list) => named("ConfigMap", list.items)),
            core
                .listNamespacedPersistentVolumeClaim({ namespace })
                .then((list) => named("PersistentVolumeClaim", list.items)),
            core.listNamespacedEndpoints({ namespace }).then((list) => named("Endpoints", list.items)),
            discovery.listNamespacedEndpointSlice({ namespace }).then((list) => named("EndpointSlice", list.items)),
            apps.listNamespacedDeployment({ namespace }).then((list) => named("Deployment", list.items)),
            batch.listNamespacedJob({ namespace }).then((list) => named("Job", list.items)),
            policy
                .listNamespacedPodDisruptionBudget({ namespace })
                .then((list) => named("PodDisruptionBudget", list.items)),
            networking.listNamespacedNetworkPolicy({ namespace }).then((list) => named("NetworkPolicy", list.items)),
        ]);
        return lists.flat().filter((object) => object !== "ConfigMap/kube-root-ca.crt");
    }

    /**
     * Requires that no object of a sort is left. It waits only for Endpoints, which Kubernetes removes after a Service.
     */
    async assertNothingLeft(sort: (object: string) => boolean = () => true): Promise<void> {
        const left = async () => (await this.objects()).filter(sort);
        assert.deepEqual(
            (await left()).filter((object) => !object.startsWith("Endpoints/")),
            [],
        );
        await until("the Endpoints are removed", async () => (await left()).length === 0 || undefined);
    }

    /** Waits until the Job counts its ready pods, up to a second after they are ready. */
    async untilCounted(cluster: string, pods: number): Promise<void> {
        const job = () => this.kube.batch.readNamespacedJob({ name: cluster, namespace: this.name });
        await until(`the Job counts ${pods} pods`, async () => (await job()).status?.ready === pods || undefined);
    }

    /** The pods of a cluster in the order of their ranks. */
    async pods(cluster: string): Promise<V1Pod[]> {
        const labelSelector = `batch.kubernetes.io/job-name=${cluster}`;
        const { items } = await this.kube.core.listNamespacedPod({ namespace: this.name, labelSelector });
        return items.sort((a, b) => rankOf(a) - rankOf(b));
    }

    /** The output of a command in a rank's pod. */
    async exec(cluster: string, command: readonly string[], rank = 0): Promise<string> {
        const pods = (await this.pods(cluster)).filter((candidate) => rankOf(candidate) === rank);
        // A pod that was evicted stays beside its successor.
        const pod = pods.find(({ status }) => status?.phase === "Running") ?? pods[0];
        if (pod === undefined) {
            throw new Error(`${cluster} has no pod of rank ${rank}.`);
        }
        return this.kube.exec(this.name, pod.metadata?.name ?? "", command);
    }

    /** The states of the pods and the ends of their logs, which are printed after a failed test. */
    async describe(): Promise<string> {
        const { items } = await this.kube.core.listNamespacedPod({ namespace: this.name });
        const texts = items.map(async ({ metadata, status }) => {
            const name = metadata?.name ?? "";
            const read = this.kube.core
                .readNamespacedPodLog({ name, namespace: this.name, tailLines: 15 })
                .catch((error: Error) => error.message);
            // The API server waits minutes for a node that is gone.
            const log = await Promise.race([read, setTimeout(20_000, "no answer within 20 s", { ref: false })]);
            const [container] = status?.containerStatuses ?? [];
            return `${name}: ${status?.phase} ${JSON.stringify(container?.state)}\n${log}`;
        });
        return (await Promise.all(texts)).join("\n");
    }

    private async makeAccount(): Promise<string> {
        const { core } = this.kube;
        const [namespace, name] = [this.name, ACCOUNT];
        await core.createNamespacedServiceAccount({ namespace, body: { metadata: { name } } });
        for (const role of documentedRoles()) {
            await bind(this, role);
        }
        const body = { spec: { audiences: [], expirationSeconds: 3600 } };
        const { status } = await core.createNamespacedServiceAccountToken({ name, namespace, body });
        const path = join(this.folder, "kubeconfig");
        writeFileSync(path, this.kubeconfigOf(status?.token ?? ""), { mode: 0o600 });
        return path;
    }

    private kubeconfigOf(token: string): string {
        const cluster = this.kube.config.getCurrentCluster();
        const config = new KubeConfig();
        config.loadFromOptions({
            clusters: [cluster],
            users: [{ name: ACCOUNT, token }],
            contexts: [{ name: "e2e", cluster: cluster?.name, user: ACCOUNT, namespace: this.name }],
            currentContext: "e2e",
        });
        return config.exportConfig();
    }
}

/**
 * Registers a namespace for the tests of the enclosing `describe`. The objects of a stack that a test opens are removed
 * after this test, those of a stack that a hook opens after the last test.
 */
export function useNamespace(options: NamespaceOptions = {}): TestNamespace {
    const namespace = new TestNamespace(options);
    let shared = 0;
    before(() => namespace.make());
    beforeEach(() => {
        shared = namespace.openStacks;
    });
    afterEach(async function () {
        if (this.currentTest?.state === "failed") {
            console.error(await namespace.describe());
        }
        namespace.closeStacks(shared);
    });
    after(async () => {
        namespace.closeStacks();
        await namespace.remove();
    });
    return namespace;
}

function documentedRoles(): V1Role[] {
    const text = readFileSync(join(root, "docs", "rbac.yaml"), "utf8");
    const objects = parseAllDocuments(text).map((document) => document.toJS() as V1Role);
    return objects.filter(({ kind }) => kind === "Role");
}

/** The Kubernetes object of a resource in the state. */
function objectOf({ id = "", outputs = {}, type }: StateResource): KubernetesObject[] {
    if (type.endsWith(":IndexedJob")) {
        const [namespace, name] = id.split("/");
        return [{ apiVersion: "batch/v1", kind: "Job", metadata: { name, namespace } }];
    }
    const { apiVersion, kind, metadata } = outputs as KubernetesObject;
    return type.startsWith("kubernetes:") && kind !== undefined
        ? [{ apiVersion, kind, metadata: { name: metadata?.name, namespace: metadata?.namespace } }]
        : [];
}

function named(kind: string, items: readonly { metadata?: { name?: string } }[]): string[] {
    return items.map(({ metadata }) => `${kind}/${metadata?.name}`);
}

export function rankOf(pod: V1Pod): number {
    return Number(pod.metadata?.labels?.["batch.kubernetes.io/job-completion-index"]);
}

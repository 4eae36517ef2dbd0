import { readFileSync } from "node:fs";

import { BatchV1Api, KubeConfig } from "@kubernetes/client-node";

import { MERGE } from "../../e2e/support/liveCluster";
import type { TestNamespace } from "../../e2e/support/namespace";
import { until } from "../../e2e/support/until";

const ACCOUNT = "short-lived";

/** Tokens of a service account with Pulumi's rights. Each one is bound to a Secret, and ends with it. */
export class ShortTokens {
    private readonly kubeconfigs = new Map<string, string>();

    private readonly base: string;

    private constructor(private readonly namespace: TestNamespace) {
        this.base = namespace.kubeconfig;
    }

    static async make(namespace: TestNamespace): Promise<ShortTokens> {
        const { core, rbac } = namespace.kube;
        const here = { namespace: namespace.name };
        await core.createNamespacedServiceAccount({ ...here, body: { metadata: { name: ACCOUNT } } });
        const { items } = await rbac.listNamespacedRoleBinding(here);
        for (const { metadata, subjects = [] } of items) {
            const all = [...subjects, { kind: "ServiceAccount", name: ACCOUNT, namespace: namespace.name }];
            await rbac.patchNamespacedRoleBinding(
                { ...here, name: metadata?.name ?? "", body: { subjects: all } },
                MERGE,
            );
        }
        return new ShortTokens(namespace);
    }

    /** The namespace's kubeconfig with a new token. */
    async kubeconfig(name: string): Promise<string> {
        const { kube, name: namespace } = this.namespace;
        const { metadata } = await kube.core.createNamespacedSecret({ namespace, body: { metadata: { name } } });
        const boundObjectRef = { apiVersion: "v1", kind: "Secret", name, uid: metadata?.uid };
        const body = { spec: { audiences: [], boundObjectRef } };
        const { status } = await kube.core.createNamespacedServiceAccountToken({ namespace, name: ACCOUNT, body });
        const config = JSON.parse(readFileSync(this.base, "utf8"));
        config.users[0].user = { token: status?.token };
        const text = JSON.stringify(config);
        this.kubeconfigs.set(name, text);
        return text;
    }

    /** Ends a token, and waits until the API server refuses it. */
    async end(name: string): Promise<void> {
        const { kube, name: namespace } = this.namespace;
        await kube.core.deleteNamespacedSecret({ namespace, name });
        const config = new KubeConfig();
        config.loadFromString(this.kubeconfigs.get(name) ?? "");
        const api = config.makeApiClient(BatchV1Api);
        const isRefused = () =>
            api.listNamespacedJob({ namespace }).then(
                () => undefined,
                ({ code }) => code === 401 || undefined,
            );
        await until("the token is refused", isRefused);
    }
}

import { waitUntil } from "../run";
import { nodeName } from "./folders";
import { apiUrl, ask } from "./request";
import type { Addresses } from "./site";

interface Condition {
    readonly type: string;
    readonly status: string;
}

/** Gives CoreDNS its rights. The roles of the other servers are built in. */
export async function grantDns(addresses: Addresses): Promise<void> {
    const metadata = { name: "system:coredns" };
    await create(addresses, "clusterroles", {
        metadata,
        rules: [
            { apiGroups: [""], resources: ["services", "pods", "namespaces"], verbs: ["list", "watch"] },
            { apiGroups: ["discovery.k8s.io"], resources: ["endpointslices"], verbs: ["list", "watch"] },
        ],
    });
    await create(addresses, "clusterrolebindings", {
        metadata,
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: metadata.name },
        subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "system:coredns" }],
    });
}

/** Waits until a user can create a pod: the node is ready, and admission has the objects that it needs. */
export async function waitReady(addresses: Addresses): Promise<void> {
    await waitUntil("The node is ready", 180, () => nodeReady(addresses));
    for (const path of ["serviceaccounts/default", "configmaps/kube-root-ca.crt"]) {
        await waitUntil(`${path} exists in the namespace default`, 120, () =>
            exists(addresses, `/api/v1/namespaces/default/${path}`),
        );
    }
}

export async function nodeReady(addresses: Addresses): Promise<boolean> {
    const answer = await ask(apiUrl(addresses, `/api/v1/nodes/${nodeName}`));
    if (answer?.status !== 200) {
        return false;
    }
    const node = JSON.parse(answer.body) as { status: { conditions?: Condition[] } };
    return node.status.conditions?.some(({ type, status }) => type === "Ready" && status === "True") ?? false;
}

async function exists(addresses: Addresses, path: string): Promise<boolean> {
    return (await ask(apiUrl(addresses, path)))?.status === 200;
}

async function create(addresses: Addresses, resource: string, object: object): Promise<void> {
    const answer = await ask(apiUrl(addresses, `/apis/rbac.authorization.k8s.io/v1/${resource}`), "POST", object);
    if (answer?.status !== 201) {
        throw new Error(`The API server refused the ${resource} of CoreDNS: ${answer?.body ?? "no answer"}`);
    }
}

import { waitUntil } from "../run";
import type { ClusterNode } from "./nodes/place";
import type { DecidedOptions } from "./options";
import { apiUrl, ask } from "./request";
import type { Addresses } from "./site";

interface Condition {
    readonly type: string;
    readonly status: string;
    readonly lastHeartbeatTime: string;
}

const rules = {
    "system:coredns": [
        { apiGroups: [""], resources: ["services", "pods", "namespaces"], verbs: ["list", "watch"] },
        { apiGroups: ["discovery.k8s.io"], resources: ["endpointslices"], verbs: ["list", "watch"] },
    ],
    "system:kube-router": [
        { apiGroups: [""], resources: ["nodes"], verbs: ["get"] },
        { apiGroups: [""], resources: ["pods", "namespaces"], verbs: ["list", "watch"] },
        { apiGroups: ["networking.k8s.io"], resources: ["networkpolicies"], verbs: ["list", "watch"] },
    ],
};

/** Gives servers their rights. The roles of the servers of Kubernetes are built in. */
export async function grantRights(addresses: Addresses, { dns, policy }: DecidedOptions): Promise<void> {
    if (dns === "on") {
        await grant(addresses, "system:coredns");
    }
    if (policy === "on") {
        await grant(addresses, "system:kube-router");
    }
}

async function grant(addresses: Addresses, user: keyof typeof rules): Promise<void> {
    const metadata = { name: user };
    await create(addresses, "clusterroles", { metadata, rules: rules[user] });
    await create(addresses, "clusterrolebindings", {
        metadata,
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: user },
        subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: user }],
    });
}

/** Waits until a user can create a pod: the nodes are ready, and admission has the objects that it needs. */
export async function waitReady(addresses: Addresses, nodes: readonly ClusterNode[]): Promise<void> {
    await Promise.all(nodes.map((node) => waitNodeReady(addresses, node)));
    for (const path of ["serviceaccounts/default", "configmaps/kube-root-ca.crt"]) {
        await waitUntil(`${path} exists in the namespace default`, 120, () =>
            exists(addresses, `/api/v1/namespaces/default/${path}`),
        );
    }
}

/** Waits until a node has told that it is ready, not before a time in milliseconds since 1970. */
export function waitNodeReady(addresses: Addresses, node: ClusterNode, since = 0): Promise<void> {
    return waitUntil(`The node ${node.name} is ready`, 180, () => nodeReady(addresses, node, since));
}

export async function nodeReady(addresses: Addresses, { name }: ClusterNode, since = 0): Promise<boolean> {
    const answer = await ask(apiUrl(addresses, `/api/v1/nodes/${name}`));
    if (answer?.status !== 200) {
        return false;
    }
    const { status } = JSON.parse(answer.body) as { status: { conditions?: Condition[] } };
    const ready = status.conditions?.find(({ type }) => type === "Ready");
    // Times of Kubernetes are in whole seconds.
    return ready?.status === "True" && Date.parse(ready.lastHeartbeatTime) >= since - 1000;
}

/** Tells the API which range of addresses the node's pods have, as a cloud does. */
export async function announcePodRange(addresses: Addresses, { name, podRange }: ClusterNode): Promise<void> {
    const body = { spec: { podCIDR: podRange, podCIDRs: [podRange] } };
    const answer = await ask(apiUrl(addresses, `/api/v1/nodes/${name}`), "PATCH", body);
    if (answer?.status !== 200) {
        throw new Error(`The API server refused the pod range of ${name}: ${answer?.body ?? "no answer"}`);
    }
}

export async function deleteNodeObject(addresses: Addresses, { name }: ClusterNode): Promise<void> {
    const answer = await ask(apiUrl(addresses, `/api/v1/nodes/${name}`), "DELETE");
    if (answer?.status !== 200 && answer?.status !== 404) {
        throw new Error(`The API server doesn't delete the node ${name}: ${answer?.body ?? "no answer"}`);
    }
}

async function exists(addresses: Addresses, path: string): Promise<boolean> {
    return (await ask(apiUrl(addresses, path)))?.status === 200;
}

async function create(addresses: Addresses, resource: string, object: object): Promise<void> {
    const answer = await ask(apiUrl(addresses, `/apis/rbac.authorization.k8s.io/v1/${resource}`), "POST", object);
    if (answer?.status !== 201) {
        throw new Error(`The API server refused the ${resource} of a server: ${answer?.body ?? "no answer"}`);
    }
}

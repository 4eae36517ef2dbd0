import type { V1Node } from "@kubernetes/client-node";

import { keptByCopy } from "../contract/operation";
import type { Kube } from "./client";

/** What an operation has learnt of clusters for other reasons: the record of a run sends no request for it. */
const learnt = keptByCopy(() => ({ nodeTypes: new Map<string, string>(), versions: new Map<string, string>() }));

export function rememberVersion({ server }: Kube, { major, minor }: Awaited<ReturnType<Kube["version"]>>): void {
    learnt().versions.set(server, `${major}.${minor}`);
}

/** Kubernetes' version, if this operation has asked for it. */
export function versionOf({ server }: Kube): string | undefined {
    return learnt().versions.get(server);
}

export function rememberNodeTypes({ server }: Kube, nodes: readonly V1Node[]): void {
    for (const { metadata } of nodes) {
        const type = metadata?.labels?.["node.kubernetes.io/instance-type"];
        if (type !== undefined) {
            learnt().nodeTypes.set(`${server} ${metadata?.name}`, type);
        }
    }
}

/** The instance type of a node, if this operation has listed it. */
export function nodeTypeOf({ server }: Kube, node: string): string | undefined {
    return learnt().nodeTypes.get(`${server} ${node}`);
}

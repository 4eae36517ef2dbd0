import type { Context } from "../folders";
import type { ClusterNode } from "../nodes/place";
import { apiserver } from "./apiserver";
import { containerd } from "./containerd";
import { controllerManager } from "./controllerManager";
import { coredns } from "./coredns";
import { etcd } from "./etcd";
import { kubelet } from "./kubelet";
import { kubeProxy } from "./kubeProxy";
import { kubeRouter } from "./kubeRouter";
import { kueue } from "./kueue";
import { scheduler } from "./scheduler";
import type { Server } from "./server";

/** Servers by stage. The servers of a stage start together, when all servers of the stage before are healthy. */
export interface Stages {
    /** Servers that need no other server. */
    readonly first: readonly Server[];
    readonly api: readonly Server[];
    /** Servers that need the API server. */
    readonly last: readonly Server[];
    /** Servers that need a ready node. */
    readonly ready: readonly Server[];
}

export function controlPlane(context: Context): Stages {
    const last = [controllerManager(context), scheduler(context)];
    return {
        first: [etcd(context)],
        api: [apiserver(context)],
        last: context.options.dns === "on" ? [...last, coredns(context)] : last,
        ready: context.options.kueue === "on" ? [kueue(context)] : [],
    };
}

export function nodeServers(context: Context, node: ClusterNode): Stages {
    return {
        first: [containerd(context, node)],
        api: [],
        last: [kubelet(context, node), kubeProxy(context, node)],
        ready: context.options.policy === "on" ? [kubeRouter(context, node)] : [],
    };
}

export function allServers({ first, api, last, ready }: Stages): Server[] {
    return [...first, ...api, ...last, ...ready];
}

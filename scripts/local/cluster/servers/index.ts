import type { Context } from "../folders";
import { apiserver } from "./apiserver";
import { containerd } from "./containerd";
import { controllerManager } from "./controllerManager";
import { coredns } from "./coredns";
import { etcd } from "./etcd";
import { kubelet } from "./kubelet";
import { kubeProxy } from "./kubeProxy";
import { scheduler } from "./scheduler";
import type { Server } from "./server";

/** The servers by stage. The servers of a stage start together, when all servers of the stage before are healthy. */
export function stages(context: Context): Server[][] {
    const last = [controllerManager(context), scheduler(context), kubelet(context), kubeProxy(context)];
    return [
        [etcd(context), containerd(context)],
        [apiserver(context)],
        context.options.dns === "on" ? [...last, coredns(context)] : last,
    ];
}

import { join } from "node:path";

import { clusterDir, stateDir } from "../paths";
import type { DecidedOptions } from "./options";
import type { Addresses, Site } from "./site";

/** The values from which each server is configured. */
export interface Context {
    readonly options: DecidedOptions;
    readonly site: Site;
    readonly addresses: Addresses;
    /** Folders of built programs. */
    readonly programs: { readonly kubernetes: string; readonly containerd: string; readonly coredns: string };
}

export const nodeName = "flux-minicluster";

export const dir = {
    pki: join(clusterDir, "pki"),
    config: join(clusterDir, "config"),
    etcd: join(clusterDir, "etcd"),
    containerd: join(clusterDir, "containerd"),
    kubelet: join(clusterDir, "kubelet"),
    podLogs: join(clusterDir, "pod-logs"),
    cni: join(clusterDir, "cni"),
    images: join(clusterDir, "images"),
};

export const adminKubeconfig = join(stateDir, "kubeconfig");

export const socket = (site: Site, name: string): string => join(site.runDir, `${name}.sock`);

/** The file that keeps the node's network namespace alive. */
export const networkNamespace = (site: Site): string => join(site.runDir, "net");

/** Name of the control group, in every hierarchy, below which all pods run. */
export const cgroupName = (site: Site): string => `flux-minicluster-${site.index}`;

export const certificate = (name: string): string => join(dir.pki, `${name}.crt`);
export const key = (name: string): string => join(dir.pki, `${name}.key`);
export const kubeconfigOf = (user: string): string => join(dir.pki, `${user}.kubeconfig`);

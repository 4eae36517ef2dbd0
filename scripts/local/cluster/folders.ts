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
    readonly programs: {
        readonly kubernetes: string;
        /** Not there before the first call of kubectl. */
        readonly kubectl: string;
        readonly containerd: string;
        readonly coredns: string;
        /** Empty if the cluster doesn't enforce policies. */
        readonly policy: string;
        /** Empty if the cluster has no Kueue. */
        readonly kueue: string;
    };
}

export const dir = {
    pki: join(clusterDir, "pki"),
    config: join(clusterDir, "config"),
    etcd: join(clusterDir, "etcd"),
    images: join(clusterDir, "images"),
};

export const adminKubeconfig = join(stateDir, "kubeconfig");

/** The file that keeps the network namespace of the control plane, or of a node, alive. */
export const networkNamespace = ({ runDir }: Pick<Site, "runDir">): string => join(runDir, "net");

/** The state of a node's containerd, which is lost when the machine restarts. */
export const runtimeStateDir = ({ runDir }: Pick<Site, "runDir">): string => join(runDir, "containerd");

/** Name of the control group, in every hierarchy, below which all pods run. */
export const cgroupName = (site: Site): string => `flux-minicluster-${site.index}`;

export const certificate = (name: string): string => join(dir.pki, `${name}.crt`);
export const key = (name: string): string => join(dir.pki, `${name}.key`);
export const kubeconfigOf = (user: string): string => join(dir.pki, `${user}.kubeconfig`);

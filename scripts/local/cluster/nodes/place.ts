import { join } from "node:path";

import { clusterDir } from "../../paths";
import { cgroupName, dir, networkNamespace, type Context } from "../folders";
import { type NodeRecord, readRecord } from "../record";
import { nodeAddresses } from "../site";
import type { Possessions } from "../sweep";
import { cpuSet, type NodeShape } from "./shape";

/** A node of the cluster: its name, its addresses, and its places on the machine. */
export interface ClusterNode {
    readonly name: string;
    readonly shape: NodeShape;
    readonly address: string;
    /** The range of its pods' addresses. */
    readonly podRange: string;
    /** The CPUs of its pods. @default all */
    readonly cpuSet?: string;
    /** The file that keeps its network namespace alive. */
    readonly network: string;
    /** The router's end of the link to it. Undefined if it shares the network of the control plane. */
    readonly link?: string;
    /** Folder of its sockets. */
    readonly runDir: string;
    /** Folder of its images, pods and volumes. */
    readonly folder: string;
    readonly configDir: string;
    /** Name of the control group, in every hierarchy, below which its pods run. */
    readonly cgroup: string;
    /** The name of one of its servers, certificates or logs. */
    readonly nameOf: (server: string) => string;
}

type Cluster = Pick<Context, "addresses" | "options" | "site">;

/** The only node of a cluster. It shares the network and the address of the control plane. */
function onlyNode({ addresses, site }: Cluster): ClusterNode {
    return {
        name: "flux-minicluster",
        shape: {},
        address: addresses.controlPlane,
        podRange: addresses.podRange,
        network: networkNamespace(site),
        runDir: site.runDir,
        folder: clusterDir,
        configDir: dir.config,
        cgroup: cgroupName(site),
        nameOf: (server) => server,
    };
}

/** A node with its own network, in a cluster of several nodes. */
export function nodeAt({ options, site }: Cluster, { index, shape }: NodeRecord): ClusterNode {
    const name = `node-${index}`;
    const runDir = join(site.runDir, name);
    const folder = join(clusterDir, "nodes", name);
    return {
        name,
        shape,
        ...nodeAddresses(site.index, options.ipFamily, index),
        cpuSet: cpuSet(shape, index),
        network: networkNamespace({ runDir }),
        link: name,
        runDir,
        folder,
        configDir: join(folder, "config"),
        cgroup: join(cgroupName(site), name),
        nameOf: (server) => `${server}-${name}`,
    };
}

/** The nodes of the cluster, without those that are stopped. */
export function runningNodes(cluster: Cluster): ClusterNode[] {
    if (!hasSeveral(cluster)) {
        return [onlyNode(cluster)];
    }
    const running = (readRecord()?.nodes ?? []).filter(({ stopped }) => !stopped);
    return running.map((node) => nodeAt(cluster, node));
}

export const hasSeveral = ({ options }: Pick<Context, "options">): boolean => options.nodes.length > 0;

export const possessionsOfNode = ({ runDir, folder, cgroup }: ClusterNode): Possessions => ({
    runDirs: [runDir],
    folder,
    cgroup,
});

export const socket = ({ runDir }: Pick<ClusterNode, "runDir">): string => join(runDir, "containerd.sock");

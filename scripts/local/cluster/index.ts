import { stateDir } from "../paths";
import { isAlive } from "../processes";
import { preflight } from "../preflight";
import { removeCluster } from "./down";
import { adminKubeconfig } from "./folders";
import { importImage, pullImage } from "./importImage";
import { withCluster } from "./lock";
import { decideOptions, type ClusterOptions, type DecidedOptions } from "./options";
import { type NodeRecord, readRecord } from "./record";
import { ensureCluster, runningCluster } from "./up";
import { writeTools } from "./tools";

export interface Cluster {
    /** Path of the administrator's kubeconfig. */
    readonly kubeconfig: string;
    readonly stateDir: string;
    readonly options: DecidedOptions;
    /** Makes the images of an archive (as `docker save` writes it) available to pods. */
    importImage(tar: string): Promise<void>;
    /** Pulls an image from its registry, unless the cluster has it. Pods can't pull images themselves. */
    pullImage(name: string): Promise<void>;
}

export interface UpOptions extends ClusterOptions {
    /** Removes a running cluster whose options differ, instead of refusing. @default false */
    readonly replace?: boolean;
}

/** Starts or reuses this clone's cluster, and waits until it is ready for pods. */
export async function clusterUp({ replace = false, ...wanted }: UpOptions = {}): Promise<Cluster> {
    const options = decideOptions(wanted);
    await preflight(options);
    return withCluster(async () => {
        const context = await ensureCluster(options, replace);
        writeTools(context);
        return {
            kubeconfig: adminKubeconfig,
            stateDir,
            options,
            importImage: (tar) => withCluster(() => importImage(context, tar)),
            pullImage: (name) => withCluster(() => pullImage(context, name)),
        };
    });
}

/** Imports an image archive into the running cluster, whatever its options are. */
export function importArchive(tar: string): Promise<void> {
    return withCluster(async () => importImage(await runningCluster(), tar));
}

/** Removes this clone's cluster and all its traces on the machine. */
export function clusterDown(): Promise<void> {
    return withCluster(removeCluster);
}

export interface Status {
    readonly made: boolean;
    readonly options?: DecidedOptions;
    /** Process id by server; undefined if the server has ended. */
    readonly servers: Readonly<Record<string, number | undefined>>;
    /** The nodes with their own network. */
    readonly nodes: readonly NodeRecord[];
}

export function clusterStatus(): Status {
    const record = readRecord();
    if (record === undefined) {
        return { made: false, servers: {}, nodes: [] };
    }
    const servers = record.processes.map((process) => [process.server, isAlive(process) ? process.pid : undefined]);
    return {
        made: true,
        options: record.options,
        servers: Object.fromEntries(servers) as Status["servers"],
        nodes: record.nodes,
    };
}

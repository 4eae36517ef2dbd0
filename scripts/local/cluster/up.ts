import { mkdirSync, rmSync } from "node:fs";

import { allBinaries, folderOf } from "../binaries";
import { kubeRouter } from "../kubeRouter";
import { kueue as kueuePiece } from "../kueue";
import { clusterDir, logDir } from "../paths";
import { containerd, coredns, kubectl, kubernetesPiece, pause, type Piece } from "../pieces";
import { isAlive } from "../processes";
import { waitUntil } from "../run";
import { nodeReady } from "./bootstrap";
import { removeCluster, removeOrphans } from "./down";
import { dir, networkNamespace, type Context } from "./folders";
import { networkExists } from "./network";
import { runningNodes } from "./nodes/place";
import { describeOptions, sameOptions, type DecidedOptions } from "./options";
import { changeRecord, readRecord, writeRecord } from "./record";
import { allServers, controlPlane, nodeServers } from "./servers";
import { addresses, claimSite, findSite, type Site } from "./site";
import { startCluster } from "./startNodes";

/** Ensures that this clone's cluster runs: keeps it if all its servers are healthy, else recreates it. */
export async function ensureCluster(options: DecidedOptions, replace: boolean): Promise<Context> {
    await removeOrphans();
    const programs = await buildPrograms(options);
    const running = readRecord();
    if (running !== undefined && !sameOptions(running.options, options)) {
        if (!replace) {
            throw new Error(
                `The running cluster has other options (${describeOptions(running.options)}) ` +
                    `than the wanted ones (${describeOptions(options)}). Run make cluster-down first.`,
            );
        }
        await removeCluster();
    }
    const site = findSite();
    if (site !== undefined && networkExists(networkNamespace(site))) {
        const context = makeContext(site, options, programs);
        if (await isRunning(context)) {
            console.error("The cluster is running.");
            return context;
        }
    }
    await removeCluster();
    return startAnew(options, programs);
}

async function buildPrograms(options: DecidedOptions): Promise<Context["programs"]> {
    const pieces = clusterPieces(options);
    const folders = await allBinaries(pieces);
    const folder = (piece: Piece): string => folders[pieces.indexOf(piece)] ?? "";
    const [runtime = "", dns = "", kubernetes = ""] = folders;
    return {
        containerd: runtime,
        coredns: dns,
        kubernetes,
        kubectl: await folderOf(kubectl),
        policy: folder(kubeRouter),
        kueue: folder(kueuePiece),
    };
}

/** The pieces of a cluster. */
export function clusterPieces({ kubernetes, kueue, policy }: DecidedOptions): Piece[] {
    return [
        ...[containerd, coredns, kubernetesPiece(kubernetes), pause],
        ...(policy === "on" ? [kubeRouter] : []),
        ...(kueue === "on" ? [kueuePiece, kubectl] : []),
    ];
}

/** The context of a cluster that is running, for a change of its nodes. */
export async function runningCluster(): Promise<Context> {
    const [record, site] = [readRecord(), findSite()];
    if (record?.ready !== true || site === undefined || !networkExists(networkNamespace(site))) {
        throw new Error("No cluster of this clone is running. Start one with NODES=3 make cluster.");
    }
    return makeContext(site, record.options, await buildPrograms(record.options));
}

const makeContext = (site: Site, options: DecidedOptions, programs: Context["programs"]): Context => ({
    options,
    site,
    addresses: addresses(site.index, options.ipFamily),
    programs,
});

/**
 * True if the last start was complete, every server runs and is healthy, and all nodes are ready. Otherwise the cluster
 * is recreated, which takes some seconds.
 */
async function isRunning(context: Context): Promise<boolean> {
    const { processes = [], ready = false } = readRecord() ?? {};
    if (!ready || !processes.every(isAlive)) {
        return false;
    }
    const nodes = runningNodes(context);
    const servers = [controlPlane(context), ...nodes.map((node) => nodeServers(context, node))].flatMap(allServers);
    const checks = servers.map((server) => becomesTrue(`${server.name} is healthy`, server.isHealthy));
    const results = await Promise.all([
        ...checks,
        ...nodes.map((node) => becomesTrue(`The node ${node.name} is ready`, () => nodeReady(context.addresses, node))),
    ]);
    return results.every(Boolean);
}

/** Polls a condition for 15 s, because a healthy server on a busy machine may miss one check. */
async function becomesTrue(what: string, holds: () => Promise<boolean>): Promise<boolean> {
    try {
        await waitUntil(what, 15, holds);
        return true;
    } catch (error) {
        console.error(`The cluster is recreated. ${(error as Error).message}`);
        return false;
    }
}

async function startAnew(options: DecidedOptions, programs: Context["programs"]): Promise<Context> {
    const started = Date.now();
    rmSync(logDir, { recursive: true, force: true });
    for (const folder of [clusterDir, logDir, dir.config]) {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
    }
    const context = makeContext(claimSite(), options, programs);
    writeRecord({ options, processes: [], nodes: options.nodes.map((shape, index) => ({ index, shape })) });
    await startCluster(context);
    changeRecord(() => ({ ready: true }));
    console.error(
        `The cluster is ready after ${((Date.now() - started) / 1000).toFixed(1)} s (${describeOptions(options)}).`,
    );
    return context;
}

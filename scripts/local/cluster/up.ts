import { mkdirSync, rmSync } from "node:fs";

import { allBinaries } from "../binaries";
import { clusterDir, logDir } from "../paths";
import { pauseTar } from "../pause";
import { containerd, coredns, kubernetesPiece, pause, type Piece } from "../pieces";
import { isAlive } from "../processes";
import { waitUntil } from "../run";
import { grantDns, nodeReady, waitReady } from "./bootstrap";
import { makeCgroups } from "./cgroups";
import { removeCluster, removeOrphans } from "./down";
import { dir, type Context } from "./folders";
import { importImage } from "./importImage";
import { makeNetwork, networkExists } from "./network";
import { describeOptions, sameOptions, type DecidedOptions } from "./options";
import { makePki } from "./pki";
import { readRecord, writeRecord, type RecordedProcess } from "./record";
import { stages } from "./servers";
import type { Server } from "./servers/server";
import { addresses, claimSite, findSite, type Site } from "./site";
import { startServer, waitHealthy } from "./startServer";

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
    if (site !== undefined && networkExists(site)) {
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
    const [runtime = "", dns = "", kubernetes = ""] = await allBinaries(clusterPieces(options));
    return { containerd: runtime, coredns: dns, kubernetes };
}

/** The pieces of a cluster. */
export function clusterPieces({ kubernetes }: DecidedOptions): Piece[] {
    return [containerd, coredns, kubernetesPiece(kubernetes), pause];
}

const makeContext = (site: Site, options: DecidedOptions, programs: Context["programs"]): Context => ({
    options,
    site,
    addresses: addresses(site.index, options.ipFamily),
    programs,
});

/**
 * True if the last start was complete, every server runs and is healthy, and the node is ready. Otherwise the cluster
 * is recreated, which takes some seconds.
 */
async function isRunning(context: Context): Promise<boolean> {
    const { processes = [], ready = false } = readRecord() ?? {};
    if (!ready || !processes.every(isAlive)) {
        return false;
    }
    const checks = stages(context)
        .flat()
        .map((server) => becomesTrue(`${server.name} is healthy`, server.isHealthy));
    const results = await Promise.all([
        ...checks,
        becomesTrue("The node is ready", () => nodeReady(context.addresses)),
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
    writeRecord({ options, processes: [] });
    makeCgroups(context.site);
    await Promise.all([makeNetwork(context), makePki(context)]);
    const processes = await startServers(context);
    writeRecord({ options, processes, ready: true });
    console.error(
        `The cluster is ready after ${((Date.now() - started) / 1000).toFixed(1)} s (${describeOptions(options)}).`,
    );
    return context;
}

/** Starts the servers, each stage when the one before is healthy. */
async function startServers(context: Context): Promise<RecordedProcess[]> {
    const [storage = [], api = [], rest = []] = stages(context);
    const started: RecordedProcess[] = [];
    const startStage = async (servers: readonly Server[]) => {
        const processes = servers.map((server) => startServer(server, context));
        started.push(...processes);
        // `make cluster-down` needs them to remove an unfinished cluster.
        writeRecord({ options: context.options, processes: started });
        await Promise.all(servers.map((server, index) => waitHealthy(server, processes[index])));
    };
    await startStage(storage);
    await startStage(api);
    if (context.options.dns === "on") {
        await grantDns(context.addresses);
    }
    await Promise.all([startStage(rest), importImage(context, await pauseTar())]);
    await waitReady(context.addresses);
    return started;
}

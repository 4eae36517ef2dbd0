import { mkdirSync, rmSync } from "node:fs";

import { allBinaries } from "../binaries";
import { clusterDir, logDir } from "../paths";
import { pauseTar } from "../pause";
import { containerd, coredns, kubernetesPiece, pause, type Piece } from "../pieces";
import { isAlive } from "../processes";
import { grantDns, waitReady } from "./bootstrap";
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
import { startServer, waitHealthy } from "./start";

/** Makes this clone's cluster be there and well, with as little as that takes. */
export async function ensureCluster(options: DecidedOptions, replace: boolean): Promise<Context> {
    await removeOrphans();
    const programs = await buildPrograms(options);
    const running = readRecord();
    if (running !== undefined && !sameOptions(running.options, options)) {
        if (!replace) {
            throw new Error(
                `A cluster with other options is there (${describeOptions(running.options)}; wanted: ${describeOptions(options)}): run make cluster-down first.`,
            );
        }
        await removeCluster();
    }
    const site = findSite();
    if (site !== undefined && readRecord() !== undefined && networkExists(site)) {
        const context = makeContext(site, options, programs);
        if (await revive(context)) {
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

/** What has to be built for a cluster. */
export function clusterPieces({ kubernetes }: DecidedOptions): Piece[] {
    return [containerd, coredns, kubernetesPiece(kubernetes), pause];
}

const makeContext = (site: Site, options: DecidedOptions, programs: Context["programs"]): Context => ({
    options,
    site,
    addresses: addresses(site.index, options.ipFamily),
    programs,
});

/** Restarts what has died; etcd keeps its data. False if that did not lead to a healthy cluster. */
async function revive(context: Context): Promise<boolean> {
    try {
        const restarted = await startMissing(context);
        console.error(restarted.length === 0 ? "The cluster is running." : `Started again: ${restarted.join(", ")}.`);
        return true;
    } catch (error) {
        console.error(`The cluster is beyond repair and is made anew: ${(error as Error).message}`);
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
    await startMissing(context);
    console.error(
        `The cluster is ready after ${((Date.now() - started) / 1000).toFixed(1)} s (${describeOptions(options)}).`,
    );
    return context;
}

/** Gives the names of those that had to be started. */
async function startMissing(context: Context): Promise<string[]> {
    const [storage = [], api = [], rest = []] = stages(context);
    const before = [...(await startStage(storage, context)), ...(await startStage(api, context))];
    if (context.options.dns === "on" && before.length > 0) {
        await grantDns(context.addresses);
    }
    const [after] = await Promise.all([startStage(rest, context), importImage(context, await pauseTar())]);
    await waitReady(context.addresses);
    return [...before, ...after];
}

async function startStage(servers: readonly Server[], context: Context): Promise<string[]> {
    const started: string[] = [];
    const processes = servers.map((server) => {
        const known = readRecord()?.processes.find((process) => process.server === server.name && isAlive(process));
        if (known !== undefined) {
            return known;
        }
        started.push(server.name);
        const process = startServer(server, context);
        remember(process);
        return process;
    });
    await Promise.all(servers.map((server, index) => waitHealthy(server, processes[index])));
    return started;
}

function remember(process: RecordedProcess): void {
    const record = readRecord();
    if (record === undefined) {
        throw new Error(`${clusterDir} was removed while the cluster started.`);
    }
    const others = record.processes.filter(({ server }) => server !== process.server);
    writeRecord({ ...record, processes: [...others, process] });
}

import { spawn } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { logDir } from "../paths";
import { identify, isAlive } from "../processes";
import { waitUntil } from "../run";
import { insideNetwork } from "./network";
import { type RecordedProcess, recordProcesses } from "./record";
import type { Server } from "./servers/server";

const logFile = (server: Server): string => join(logDir, `${server.name}.log`);

/** Starts servers together, and waits until all are healthy. */
export async function startStage(servers: readonly Server[]): Promise<void> {
    const processes = servers.map(startServer);
    // `make cluster-down` needs them to remove an unfinished cluster.
    recordProcesses(processes);
    await Promise.all(servers.map((server, index) => waitHealthy(server, processes[index])));
}

/** Starts a server in its own session, so that it outlives this process, and in its network. */
function startServer(server: Server): RecordedProcess {
    server.prepare?.();
    const log = openSync(logFile(server), "a");
    const [command, args] = insideNetwork(server.network)(server.command, ...server.args);
    const child = spawn(command, args, {
        cwd: server.folder ?? "/",
        detached: true,
        // Without the machine's variables for proxies, which must not apply within the cluster.
        env: { PATH: process.env["PATH"], HOME: "/root", ...server.env },
        stdio: ["ignore", log, log],
    });
    closeSync(log);
    child.unref();
    const identity = child.pid === undefined ? undefined : identify(child.pid);
    if (identity === undefined) {
        throw new Error(`The server ${server.name} can't be started.`);
    }
    return { server: server.name, ...identity };
}

/** Waits until a server is healthy. Fails if the server ends before. */
async function waitHealthy(server: Server, started: RecordedProcess): Promise<void> {
    try {
        await waitUntil(`${server.name} is healthy`, server.startSeconds ?? 120, async () => {
            if (!isAlive(started)) {
                throw new Error(`${server.name} has ended.`);
            }
            return server.isHealthy();
        });
    } catch (error) {
        throw new Error(`${(error as Error).message} The end of ${logFile(server)}:\n${tail(server)}`);
    }
}

function tail(server: Server): string {
    return readFileSync(logFile(server), "utf8").trimEnd().split("\n").slice(-10).join("\n");
}

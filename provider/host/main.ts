import { spawn } from "node:child_process";

import { useEngine } from "../engine/log";
import { preload } from "../kube/preload";
import { connectEngine } from "./engine";
import { FastHost } from "./fastHost";
import { Server, ServerCredentials } from "./grpcNode";
import { CHANNEL_OPTIONS, SERVICE } from "./protocol";
import { commandOfPulumi, endWith, fromProgram, PulumiHost } from "./pulumiHost";

/**
 * The versions of @pulumi/pulumi with the host of dynamic resources that this one stands in for: the text of its program
 * is the same in both, but for a method that answers UNIMPLEMENTED. Beside any other version, Pulumi's own host runs.
 */
const KNOWN = { from: 216, to: 259 } as const;

/** Started by pulumi-resource-pulumi-nodejs. The engine gives its own address and reads the port that this prints. */
async function main(): Promise<void> {
    const { version } = fromProgram()("@pulumi/pulumi/package.json") as { version: string };
    if (!isKnown(version)) {
        console.error(
            `flux-minicluster: the fast host knows @pulumi/pulumi 3.${KNOWN.from} to 3.${KNOWN.to}, and this program ` +
                `has ${version}. Pulumi's own host runs in its place. Update flux-minicluster, or run: npx minicluster fast-host off`,
        );
        return runPulumi();
    }
    outliveErrors();
    useEngine(connectEngine);
    const server = new Server(CHANNEL_OPTIONS);
    server.addService(SERVICE, new FastHost(version, () => PulumiHost.start()).service);
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) => {
        if (error !== null) {
            throw error;
        }
        console.log(String(port));
        preload();
    });
}

/** As in Pulumi's own host: an error that nobody waits for fails the process at its end, not the calls under way. */
function outliveErrors(): void {
    const report = (error: unknown) => {
        console.error(error instanceof Error ? error.stack : String(error));
        process.exitCode = 1;
    };
    process.on("uncaughtException", report);
    process.on("unhandledRejection", report);
}

function isKnown(version: string): boolean {
    const [major, minor] = version.split(".").map(Number);
    return major === 3 && minor >= KNOWN.from && minor <= KNOWN.to;
}

function runPulumi(): void {
    const child = spawn(process.execPath, commandOfPulumi(), { stdio: "inherit" });
    child.once("exit", (code) => (process.exitCode = code ?? 1));
    endWith(child);
}

void main();

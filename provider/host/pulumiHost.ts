import { type ChildProcess, spawn } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";

import { Peer } from "./peer";

/** Resolves modules as Pulumi's own host does: from the folder of the program. */
export function fromProgram(): NodeJS.Require {
    return createRequire(join(process.cwd(), "program.js"));
}

/** The command of Pulumi's own host of dynamic resources. */
export function commandOfPulumi(): string[] {
    const script = fromProgram().resolve("@pulumi/pulumi/cmd/dynamic-provider");
    return [script, ...process.argv.slice(2)];
}

/** Ends a child process when this process ends. An engine that kills this process kills its child processes too. */
export function endWith(child: ChildProcess): void {
    process.once("exit", () => child.kill());
    process.once("SIGTERM", () => process.exit(143));
}

/** Starts Pulumi's own host as a child process. It serves the program's other dynamic resources. */
export async function startPulumiHost(): Promise<Peer> {
    const child = spawn(process.execPath, commandOfPulumi(), { stdio: ["ignore", "pipe", "inherit"] });
    endWith(child);
    const port = await new Promise<string>((resolve, reject) => {
        const lines = createInterface(child.stdout);
        lines.once("line", (first) => {
            resolve(first);
            // The engine shows what providers print. The first line would be a port to it, but it has this host's already.
            lines.on("line", (line) => console.log(line));
        });
        child.once("error", reject);
        child.once("exit", (code) => reject(new Error(`Pulumi's host of dynamic resources ended with ${code}.`)));
    });
    return new Peer(port);
}

import { spawn } from "node:child_process";

import { FastHost } from "./fastHost";
import { commandOfPulumi, endWith, fromProgram, startPulumiHost } from "./pulumiHost";
import { serve } from "./serve";

/**
 * The versions of @pulumi/pulumi with the host of dynamic resources that this one stands in for: the text of its program
 * is the same in both, but for a method that answers UNIMPLEMENTED. Beside any other version, Pulumi's own host runs.
 */
const KNOWN = { from: 216, to: 259 } as const;

/** Started by pulumi-resource-pulumi-nodejs. The engine gives its own address and reads the port that this prints. */
function main(): void {
    const { version } = fromProgram()("@pulumi/pulumi/package.json") as { version: string };
    if (!isKnown(version)) {
        console.error(
            `flux-minicluster: the fast host knows @pulumi/pulumi 3.${KNOWN.from} to 3.${KNOWN.to}, and this program ` +
                `has ${version}. Pulumi's own host runs in its place. Update flux-minicluster, or run: npx minicluster fast-host off`,
        );
        return runPulumi();
    }
    serve(new FastHost(version, startPulumiHost));
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

main();

import { spawn } from "node:child_process";

import { root } from "./paths";

/** Runs a program that talks to the person itself; true if it was content. */
export async function runVisibly(command: string, args: readonly string[], environment: NodeJS.ProcessEnv = {}): Promise<boolean> {
    const env = { ...process.env, ...environment };
    const child = spawn(command, args, { cwd: root, stdio: ["ignore", "inherit", "inherit"], env });
    const code = await new Promise<number | null>((resolve, reject) => child.once("error", reject).once("exit", resolve));
    return code === 0;
}

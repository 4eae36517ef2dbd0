import { engine } from "./engine";

let isPlugin = false;
let isNoted = false;

/** Says that this process is the plugin, for programs in languages whose SDK tells the engine no root resource. */
export function servePlugin(): void {
    isPlugin = true;
}

/** Notes that a program has registered the provider of this process. */
export function noteProgram(): void {
    isNoted = true;
}

/**
 * True if a program registers resources in this operation, as in `pulumi up`. False if none does, as in a plain
 * `pulumi destroy`. The engine knows the root resource of a program in JavaScript, whose SDK tells it. In the plugin, this
 * is undefined until the program has registered the provider.
 */
export async function programRuns(): Promise<boolean | undefined> {
    if (isPlugin) {
        return isNoted || undefined;
    }
    try {
        return ((await engine()?.rootResource()) ?? "") !== "";
    } catch {
        // A destroy is a permission, so it must be known. Without an engine, nobody waits for the result.
        return true;
    }
}

import { engine } from "./engine";

let seen = false;

/** Notes that a program has registered the provider of this process. */
export function noteProgram(): void {
    seen = true;
}

/**
 * True if a program registers resources in this operation, as in `pulumi up`. A plain `pulumi destroy` runs no program.
 * The engine knows it of programs in JavaScript, whose SDK tells it the stack's resource. Of programs in other languages,
 * the plugin knows it if the program still uses this package.
 */
export async function programRuns(): Promise<boolean> {
    if (seen) {
        return true;
    }
    try {
        return ((await engine()?.rootResource()) ?? "") !== "";
    } catch {
        // Without an engine, no operation goes on.
        return false;
    }
}

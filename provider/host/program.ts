import { keptByCopy } from "../contract/operation";
import { engine } from "./engine";

let isPlugin = false;
const noted = keptByCopy(() => ({ isProgram: false }));

/** Says that this process is the plugin, for programs in languages whose SDK tells the engine no root resource. */
export function servePlugin(): void {
    isPlugin = true;
}

/**
 * Notes that a program has registered the provider of this process, which has this URN. Tells the engine the program's root
 * resource, unless the SDK of the program has: then the process of another version of the plugin, which the program doesn't
 * use any more, knows of the program too.
 */
export async function noteProgram(provider: string): Promise<void> {
    noted().isProgram = true;
    const [, stack, project] = /^urn:pulumi:([^:]+)::([^:]+)::/.exec(provider) ?? [];
    const at = engine();
    if (stack !== undefined && (await at?.rootResource()) === "") {
        await at?.setRootResource?.(`urn:pulumi:${stack}::${project}::pulumi:pulumi:Stack::${project}-${stack}`);
    }
}

/**
 * True if a program registers resources in this operation, as in `pulumi up`. False if none does, as in a plain
 * `pulumi destroy`. The engine knows the root resource of a program in JavaScript, whose SDK tells it, and of one that has
 * registered a provider of the plugin. In the plugin, this is undefined for any other program, and for none.
 */
export async function programRuns(): Promise<boolean | undefined> {
    if (noted().isProgram) {
        return true;
    }
    try {
        return ((await engine()?.rootResource()) ?? "") !== "" || (isPlugin ? undefined : false);
    } catch {
        // A destroy is a permission, so it must be known. Without an engine, nobody waits for the result.
        return true;
    }
}

import { scriptText } from "../../provider/contract/scriptText";
import type { Texts } from "../spec";

/** The texts of the scripts in a feature's folder, by file name. */
export function scriptsIn(folder: string, ...files: readonly string[]): Texts {
    return Object.fromEntries(files.map((file) => [file, scriptText(folder, file)]));
}

/** Finds Flux in a container. Scripts of several features read it. */
export function fluxScript(): Texts {
    return scriptsIn(__dirname, "flux.sh");
}

/** A script with the scripts that it reads in it, for a pod that mounts none. */
export function wholeScript(script: string, read: Texts): string {
    return script.replaceAll(/^\. "\$MINICLUSTER_SCRIPTS\/(.+)"\n/gm, (_, file: string) => read[file]);
}

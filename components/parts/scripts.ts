import { scriptText } from "../../provider/contract/scriptText";
import type { Texts } from "../spec";

/** The texts of the scripts in a feature's directory, by file name. */
export function scriptsIn(folder: string, ...files: readonly string[]): Texts {
    return Object.fromEntries(files.map((file) => [file, scriptText(folder, file)]));
}

/** The script that finds Flux in a container. Scripts of several features source it. */
export function fluxScript(): Texts {
    return scriptsIn(__dirname, "flux.sh");
}

/** The script that reports to JobStatus. Scripts of several features source it. */
export function reportScript(): Texts {
    return scriptsIn(__dirname, "report.sh");
}

/** A script in which each sourced script is replaced by its text, for a pod that doesn't mount the ConfigMap. */
export function wholeScript(script: string, read: Texts): string {
    return script.replaceAll(/^\. "\$MINICLUSTER_SCRIPTS\/(.+)"\n/gm, (_, file: string) => read[file]);
}

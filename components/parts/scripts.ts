import { scriptText } from "../../provider/contract/scriptText";
import type { Texts } from "../spec";

/** The texts of the scripts in a feature's directory, by file name. */
export function scriptsIn(folder: string, ...files: readonly string[]): Texts {
    return Object.fromEntries(files.map((file) => [file, scriptText(folder, file)]));
}

/** The script with the words that the scripts of a pod share. */
export function runScript(): Texts {
    return scriptsIn(__dirname, "run.sh");
}

/** What programs beside the lead's broker have in common: their start, calls of Flux, and requests to the API server. */
export function leadPrograms(): Texts {
    const modules = ["flux_calls.py", "flux_journal.py", "kube_object.py", "marks.py", "program_log.py", "watchdog.py"];
    return scriptsIn(__dirname, "lead-program.sh", ...modules);
}

/** A script in which each sourced script is replaced by its text, for a pod that doesn't mount the ConfigMap. */
export function wholeScript(script: string, read: Texts): string {
    return script.replaceAll(/^\. "\$MINICLUSTER_SCRIPTS\/(.+)"\n/gm, (_, file: string) => read[file]);
}

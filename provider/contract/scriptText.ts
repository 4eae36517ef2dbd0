import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

requireFiles();

const texts = new Map<string, string>();

/** A bash or Python script in the form in which a pod gets it. A process reads each file once. */
export function scriptText(folder: string, file: string): string {
    const path = join(folder, file);
    const text = texts.get(path) ?? compact(readFileSync(path, "utf8"));
    texts.set(path, text);
    return text;
}

/** The script that tells the tasks of a job how they find each other, for the command and for a FluxJob. */
export function rendezvousScript(): string {
    return scriptText(__dirname, "rendezvous.sh");
}

/** Scripts that keep results, for those of a command and of a FluxJob: results-list.sh and so on. */
export function resultsScripts(...names: readonly ("list" | "part" | "put" | "told")[]): Record<string, string> {
    const files = names.map((name) => `results-${name}.sh`);
    return Object.fromEntries(files.map((file) => [file, scriptText(join(__dirname, "results"), file)]));
}

/** The Python module that reads Flux' sets of numbers and resources, for programs of a pod and for those of a call. */
export function fluxSetsScript(): string {
    return scriptText(__dirname, "flux_sets.py");
}

/** Drops comments, empty lines and half of the indentation, because Pulumi's state holds each script twice. */
function compact(script: string): string {
    const lines = script.replaceAll(/^[ \t]*(#.*)?\n/gm, "");
    return lines.replaceAll(/^( {2})+/gm, (indentation) => indentation.slice(indentation.length / 2));
}

/** Fails if a bundler has moved the code away from its scripts. Pulumi's host of the verbs needs the package as it is. */
function requireFiles(): void {
    if (typeof __dirname === "undefined" || !existsSync(join(__dirname, "rendezvous.sh"))) {
        throw new Error(
            "flux-minicluster is part of a bundle, without the scripts of its pods. Install the package where the program " +
                "runs, and tell the bundler to leave it out: --external:flux-minicluster (esbuild), " +
                "--external flux-minicluster (Rollup, ncc, Bun), externals (webpack).",
        );
    }
}

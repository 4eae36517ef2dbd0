import { readFileSync } from "node:fs";
import { join } from "node:path";

/** A script of bash or Python, as a pod gets it. */
export function scriptText(folder: string, file: string): string {
    return compact(readFileSync(join(folder, file), "utf8"));
}

/** Finds the CPUs of a container. Both the lead's script and the one that submits a FluxJob read it. */
export function cpusScript(): string {
    return scriptText(__dirname, "cpus.sh");
}

/** Drops the lines that bash and Python skip, and half of the indentation: Pulumi's state holds each script twice. */
function compact(script: string): string {
    const lines = script.replaceAll(/^[ \t]*(#.*)?\n/gm, "");
    return lines.replaceAll(/^( {2})+/gm, (indentation) => indentation.slice(indentation.length / 2));
}

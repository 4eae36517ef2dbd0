import { readFileSync } from "node:fs";
import { join } from "node:path";

/** What runs in the pods; `hook-*.sh` come from the arguments. */
export const SCRIPTS = ["lead", "leave", "ready", "start", "supervise", "task", "wait"] as const;

/** The scripts' texts by file name. */
export function readScripts(): Record<string, string> {
    return Object.fromEntries(
        SCRIPTS.map((name) => [`${name}.sh`, withoutComments(readFileSync(join(__dirname, `${name}.sh`), "utf8"))]),
    );
}

/** Less the lines that bash skips, which are a third: Pulumi's state has a ConfigMap three times. */
function withoutComments(script: string): string {
    return script.replaceAll(/^[ \t]*(#.*)?\n/gm, "");
}

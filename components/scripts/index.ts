import { readFileSync } from "node:fs";
import { join } from "node:path";

/** What runs in the pods; `hook-*.sh` come from the arguments. */
export const SCRIPTS = ["lead", "leave", "ready", "start", "supervise", "task", "wait"] as const;

/** The scripts' texts, byte for byte, by file name. */
export function readScripts(): Record<string, string> {
    return Object.fromEntries(
        SCRIPTS.map((name) => [`${name}.sh`, readFileSync(join(__dirname, `${name}.sh`), "utf8")]),
    );
}

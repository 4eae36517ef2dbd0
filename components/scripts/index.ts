import { readFileSync } from "node:fs";
import { join } from "node:path";

/** What runs in the pods; `hook-*.sh` come from the arguments. */
export const SCRIPTS = ["lead", "leave", "ready", "start", "supervise", "task", "wait"] as const;

/** What runs only where an argument asks for it. */
export const OPTIONAL_SCRIPTS = ["curve.py", "curve.sh", "hosts.py", "keygen.sh", "prepare.sh", "view.sh"] as const;

export type OptionalScript = (typeof OPTIONAL_SCRIPTS)[number];

/** The scripts' texts by file name. */
export function readScripts(optional: readonly OptionalScript[] = []): Record<string, string> {
    const files = [...SCRIPTS.map((name) => `${name}.sh`), ...optional];
    return Object.fromEntries(files.map((file) => [file, withoutComments(readFileSync(join(__dirname, file), "utf8"))]));
}

/** Less the lines that bash and Python skip, which are a third: Pulumi's state has a ConfigMap three times. */
function withoutComments(script: string): string {
    return script.replaceAll(/^[ \t]*(#.*)?\n/gm, "");
}

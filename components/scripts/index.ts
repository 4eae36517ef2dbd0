import { readFileSync } from "node:fs";
import { join } from "node:path";

/** What runs in the pods; `hook-*.sh` come from the arguments. */
export const SCRIPTS = ["lead", "leave", "ready", "start", "supervise", "task", "wait"] as const;

/** What pip installs where the image has no RESTful server. */
export const RESTFUL_REQUIREMENTS = "restful-requirements.txt";
/** What only rank 0 of a cluster with the RESTful server needs. */
export const RESTFUL_SCRIPTS = ["restful-answers.py", RESTFUL_REQUIREMENTS, "restful.sh"] as const;

/** What runs only where an argument asks for it. */
export const OPTIONAL_SCRIPTS = [
    "archive.sh", "curve.py", "curve.sh", "hosts.py", "keygen.sh", "prepare.sh", "sidecar.sh", "view.sh", ...RESTFUL_SCRIPTS,
] as const;

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

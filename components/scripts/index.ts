import { cpusScript, scriptText } from "../../provider/contract/scriptText";

/** What runs in the pods; `hook-*.sh` come from the arguments. */
export const SCRIPTS = ["cpus", "flux", "lead", "processes", "ready", "start", "supervise", "task", "wait"] as const;

/** What pip installs where the image has no RESTful server. */
export const RESTFUL_REQUIREMENTS = "restful-requirements.txt";
/** What only rank 0 of a cluster with the RESTful server needs. */
export const RESTFUL_SCRIPTS = ["restful-answers.py", RESTFUL_REQUIREMENTS, "restful.sh"] as const;

/** What runs only where an argument asks for it. */
export const OPTIONAL_SCRIPTS = [
    "archive.py", "archive.sh", "curve.py", "curve.sh", "home.sh", "hosts.py", "leave.sh", "munge.sh", "names.sh", "prepare.sh",
    "rejoin.sh", "sidecar.sh", "stay.sh", "view.sh", ...RESTFUL_SCRIPTS,
] as const;

export type OptionalScript = (typeof OPTIONAL_SCRIPTS)[number];

/** The scripts' texts by file name. */
export function readScripts(optional: readonly OptionalScript[] = []): Record<string, string> {
    const files = [...SCRIPTS.map((name) => `${name}.sh`), ...optional];
    return Object.fromEntries(files.map((file) => [file, readScript(file)]));
}

/** The text of one script. */
export function readScript(file: string): string {
    return file === "cpus.sh" ? cpusScript() : scriptText(__dirname, file);
}

/** What a pod runs that mounts no scripts: one text, with what it reads. */
export const WHOLE_SCRIPTS = ["keygen.sh"] as const;

export function readWhole(file: (typeof WHOLE_SCRIPTS)[number]): string {
    return readScript(file).replaceAll(/^\. "\$MINICLUSTER_SCRIPTS\/(.+)"\n/gm, (_, other: string) => readScript(other));
}

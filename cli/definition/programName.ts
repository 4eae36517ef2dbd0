import { basename } from "node:path";

let name: string | undefined;

/** The name by which this program can be called again: help and messages use it. */
export function programName(): string {
    return (name ??= calledBy(process.argv[1] ?? "", process.env.npm_command));
}

/** Sets the name, for an entry that is called by another program. */
export function setProgramName(value: string): void {
    name = value;
}

/** npm sets npm_command to `exec` for npx. */
export function calledBy(path: string, npmCommand: string | undefined): string {
    if (npmCommand === "exec") {
        return "npx flux-minicluster";
    }
    const called = basename(path).replace(/\.(js|ts|cmd)$/, "");
    return called === "flux-minicluster" ? called : "minicluster";
}

import { RUN_DIR } from "../../provider/contract/paths";
import type { PodFile } from "./hooks";

/** The file of a script whose variables expand when the pod starts. */
const NAME = "operator-script.sh";
export const SCRIPT_FILE = `${RUN_DIR}/${NAME}`;

/** The file, which is written before the hook `pre`, if the script needs one. */
export function fileOf(script: Script): PodFile | undefined {
    return script.expands ? { hook: "pre", name: NAME, source: script.source } : undefined;
}

/** A script of `commands.script`. */
export interface Script {
    /** The text in the resource. */
    readonly source: string;
    /** True if it has variables or commands without a backslash. They expand when the pod starts. */
    readonly expands: boolean;
    /** The text without the backslashes of a here-document. */
    readonly text: string;
}

/** Reads a script as the operator writes it to its file: by a here-document whose end is not quoted. */
export function readScript(source: string): Script {
    const text = source.replaceAll(/\\([$`\\]|\n)/g, (_, escaped: string) => escaped.trim());
    return { source, expands: expands(source), text };
}

/** True if a shell that reads the text in a here-document or between double quotes expands a part of it. */
export function expands(text: string): boolean {
    return /`|\$[\w{([@*#?$!-]/.test(text.replaceAll(/\\[$`\\\n]/g, " "));
}

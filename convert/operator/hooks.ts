import { warnOfOwnVariables } from "./ownNames";
import type { Fields, Reader, Values } from "../reader";

/** Each command of the operator, with the hook that it becomes. */
const HOOKS = { init: "init", pre: "pre", brokerPre: "lead", workerPre: "worker", post: "post" } as const;

/**
 * The options of the operator's start script with `logging.strict`, without -u: hooks read variables that only that script
 * sets, PYTHONPATH for example.
 */
export const STRICT = "set -eE -o pipefail";

/**
 * The hooks. A failing line of a hook ends the start of a pod here, and in the operator only with `logging.strict`. So
 * each hook begins with the options of the operator's start script.
 */
export function readHooks(
    reader: Reader,
    path: string,
    commands: Fields,
    { file, isStrict }: { readonly file: PodFile | undefined; readonly isStrict: boolean },
): Values | undefined {
    const options = isStrict ? STRICT : "set +e";
    const given = { ...commands };
    const hooks: Values = {};
    for (const [command, hook] of Object.entries(HOOKS)) {
        const text = given[command] as string | undefined;
        if (text) {
            warnOfEnd(reader, `${path}.${command}`, hook, text);
            warnOfOwnVariables(reader, `${path}.${command}`, text);
            // Here and in the operator, the pod ends with the broker's exit code after the hook post.
            hooks[hook] = hook === "post" && !isStrict ? text : `${options}\n${text}`;
        }
    }
    if (file !== undefined) {
        const { [file.hook]: text } = hooks;
        const lines = written(file);
        hooks[file.hook] = text === undefined ? lines : text.replace("\n", () => `\n${lines}\n`);
    }
    return Object.keys(hooks).length > 0 ? hooks : undefined;
}

const ENDS = /(^|[;&|({]|\b(?:then|do|else)\s)\s*(exit\b|exec\s+(?![\d<>&{]))/m;

/** A hook is a part of the start script, in the operator too. There, exit ends the pod as the script says. */
function warnOfEnd(reader: Reader, path: string, hook: string, text: string): void {
    const [, , word] = ENDS.exec(text) ?? [];
    if (word !== undefined && hook !== "post") {
        const reason = `has ${word.trim()}: here a hook that ends the start fails the pod.`;
        reader.warn(path, `${reason} Put the lines in parentheses, so that only they end.`);
    }
}

/** A file that a hook writes when the pod starts, by a here-document that expands variables. */
export interface PodFile {
    readonly hook: "lead" | "pre";
    readonly name: string;
    /** A line before it. */
    readonly setUp?: string;
    /** The text of the here-document. */
    readonly source: string;
}

/** A word that no script has in a line of its own. */
const END = "END_OF_THE_OPERATORS_SCRIPT";

/** The lines of a hook that write the file. */
export function written({ name, setUp, source }: PodFile): string {
    const lines = `cat <<${END} >"$MINICLUSTER_RUN"/${name}\n${source}\n${END}`;
    return setUp === undefined ? lines : `${setUp}\n${lines}`;
}

import type { Fields, Reader } from "./reader";

/** The command of the container that runs Flux, as arguments of a MiniCluster. */
export interface Command {
    readonly command?: string[];
    readonly launcher?: boolean;
}

/**
 * Reads the command. The operator's is a text for a shell; a MiniCluster's is a list of words, which no shell reads.
 */
export function readCommand(reader: Reader, path: string, container: Fields, interactive: boolean): Command {
    const script = container.commands?.script as string | undefined;
    const text = String(script ?? container.command ?? "").trim();
    if (text === "") {
        return {};
    }
    if (interactive) {
        reader.warn(
            `${path}.command`,
            "is ignored: an interactive cluster doesn't run it. Here such a cluster is persistent, without a command.",
        );
        return {};
    }
    if (container.batch) {
        return { command: ["bash", "-c", batch(text, Boolean(container.batchRaw))], launcher: true };
    }
    const command =
        script === undefined && !/["'`$|;&<>*?~(){}\\\n#]/.test(text) ? text.split(/\s+/) : ["bash", "-c", text];
    return container.launcher ? { command, launcher: true } : { command };
}

/** A script that submits one job for each line. Its exit code is the highest exit code of the jobs. */
function batch(text: string, raw: boolean): string {
    if (raw) {
        return text;
    }
    const lines = text.split("\n").filter((line) => line.trim() !== "" && !line.trim().startsWith("#"));
    return [...lines.map((line) => `flux submit --flags=waitable ${line.trim()}`), "flux job wait --all"].join("\n");
}

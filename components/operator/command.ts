import type { Fields, Reader } from "./reader";

/** What the operator's flux runner executes, in our words. */
export interface Command {
    readonly command?: string[];
    readonly launcher?: boolean;
}

/** The operator's command is a text that a shell reads; ours is a list of words that none does. */
export function readCommand(reader: Reader, path: string, container: Fields, interactive: boolean): Command {
    const script = container.commands?.script as string | undefined;
    const text = String(script ?? container.command ?? "").trim();
    if (text === "") {
        return {};
    }
    if (interactive) {
        reader.warn(
            `${path}.command`,
            "is not run by an interactive cluster, and not here: without a command the cluster stays.",
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

/** One job for each line; the exit code is the highest of theirs. */
function batch(text: string, raw: boolean): string {
    if (raw) {
        return text;
    }
    const lines = text.split("\n").filter((line) => line.trim() !== "" && !line.trim().startsWith("#"));
    return [...lines.map((line) => `flux submit --flags=waitable ${line.trim()}`), "flux job wait --all"].join("\n");
}

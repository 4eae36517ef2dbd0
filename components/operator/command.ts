import { type Command, readBatch } from "./batch";
import { SCRIPT_FILE } from "./hooks";
import { warnOfOwnVariables } from "./ownVariables";
import type { Fields, Reader } from "./reader";
import type { Script } from "./script";
import { readWords } from "./words";

/** Reads the command. The operator's is a text; a MiniCluster's is a list of words, which no shell reads. */
export function readCommand(
    reader: Reader,
    path: string,
    container: Fields,
    { isInteractive, script }: { readonly isInteractive: boolean; readonly script: Script | undefined },
): Command {
    const text = String(container.command ?? "").trim();
    if (text !== "" && script !== undefined) {
        const reason = "is ignored, because commands.script is given; the operator refuses both. Remove one.";
        reader.warn(`${path}.command`, reason);
    }
    if (text === "" && script === undefined) {
        return {};
    }
    if (isInteractive) {
        warnOfInteractive(reader, script === undefined ? `${path}.command` : `${path}.commands.script`);
        return {};
    }
    return container.batch && text !== ""
        ? readBatch(reader, path, container, text)
        : readRun(reader, path, container, { script, text });
}

function warnOfInteractive(reader: Reader, path: string): void {
    const reason = "is ignored: an interactive cluster doesn't run it.";
    reader.warn(path, `${reason} Here such a cluster is persistent, without a command.`);
}

function readRun(
    reader: Reader,
    path: string,
    container: Fields,
    { script, text }: { readonly script: Script | undefined; readonly text: string },
): Command {
    const words =
        script === undefined
            ? commandWords(reader, `${path}.command`, text, container)
            : scriptWords(reader, path, script);
    return container.launcher ? { command: [...prefixWords(container), ...words], launcher: true } : { command: words };
}

function commandWords(reader: Reader, path: string, text: string, container: Fields): string[] {
    warnOfOwnVariables(reader, path, text);
    return readWords(reader, path, text, container);
}

function scriptWords(reader: Reader, path: string, script: Script): string[] {
    warnOfOwnVariables(reader, `${path}.commands.script`, script.text);
    return script.expands ? ["bash", SCRIPT_FILE] : ["bash", "-c", script.text];
}

/** Words before a launcher, which Flux starts with them. */
function prefixWords({ commands }: Fields): string[] {
    return String(commands?.prefix ?? "")
        .split(/\s+/)
        .filter(Boolean);
}

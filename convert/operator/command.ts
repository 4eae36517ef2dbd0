import { type Batch, type Command, readBatch } from "./batch";
import type { Place } from "./expansions";
import { warnOfOwnVariables } from "./ownVariables";
import type { Fields, Reader } from "../reader";
import { fileOf, type Script, SCRIPT_FILE } from "./script";
import { inShell, quoted } from "../shell";
import { readWords } from "./words";

/** Reads the command. The operator's is a text; a MiniCluster's is a list of words, which no shell reads. */
export function readCommand(
    reader: Reader,
    path: string,
    place: Place,
    { isInteractive, script }: { readonly isInteractive: boolean; readonly script: Script | undefined },
): Batch {
    const { container } = place;
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
        : readRun(reader, path, place, { script, text });
}

function warnOfInteractive(reader: Reader, path: string): void {
    const reason = "is ignored: an interactive cluster doesn't run it.";
    reader.warn(path, `${reason} Here such a cluster is persistent, without a command.`);
}

function readRun(
    reader: Reader,
    path: string,
    place: Place,
    { script, text }: { readonly script: Script | undefined; readonly text: string },
): Batch {
    const words =
        script === undefined ? commandWords(reader, `${path}.command`, text, place) : scriptWords(reader, path, script);
    const file = script && fileOf(script);
    return {
        ...(place.container.launcher ? launcher(reader, path, place.container, words) : { command: words }),
        file,
    };
}

function commandWords(reader: Reader, path: string, text: string, place: Place): string[] {
    warnOfOwnVariables(reader, path, text);
    return readWords(reader, path, text, place);
}

function scriptWords(reader: Reader, path: string, script: Script): string[] {
    warnOfOwnVariables(reader, `${path}.commands.script`, script.text);
    if (/^EOF$/m.test(script.source)) {
        const reason = "has a line EOF, at which the operator's script ends; the lines after it run in each pod there.";
        reader.warn(`${path}.commands.script`, `${reason} Here they belong to the script.`);
    }
    return script.expands ? ["bash", SCRIPT_FILE] : ["bash", "-c", script.text];
}

/** The words of a launcher behind its prefix, which the operator's shell reads as code. */
function launcher(reader: Reader, path: string, { commands }: Fields, words: readonly string[]): Command {
    const prefix = String(commands?.prefix ?? "").trim();
    if (prefix === "") {
        return { command: inShell(words), launcher: true };
    }
    if (!/["'`$|;&<>*?()\\[\]{}~#!\n]/.test(prefix)) {
        return { command: [...prefix.split(/\s+/), ...words], launcher: true };
    }
    if (/[|;&<>()#\n]/.test(prefix.replaceAll(/\\[^]|'[^']*'|"(?:\\[^]|[^\\"])*"|\$\([^)]*\)/g, ""))) {
        const reason = `is "${prefix}", whose signs of a shell belong to the line in which the operator starts Flux.`;
        reader.warn(`${path}.commands.prefix`, `${reason} Here they belong to the command; write it as a script.`);
    }
    return { command: ["bash", "-c", `exec ${prefix} ${words.map((word) => quoted(word)).join(" ")}`], launcher: true };
}

import { type Batch, type Command, readBatch } from "./batch";
import { warnOfOwnVariables } from "./ownNames";
import type { Fields, Reader } from "../reader";
import { fileOf, type Script, SCRIPT_FILE } from "./script";
import { inShell, quoted } from "../shell";

/** Reads the command. The operator's is a text; a MiniCluster's is a list of words, which no shell reads. */
export function readCommand(
    reader: Reader,
    path: string,
    container: Fields,
    { isInteractive, script }: { readonly isInteractive: boolean; readonly script: Script | undefined },
): Batch {
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
): Batch {
    const words =
        script === undefined
            ? commandWords(reader, `${path}.command`, text, container)
            : scriptWords(reader, path, script);
    const file = script && fileOf(script);
    return {
        ...(container.launcher ? launcher(reader, path, container, words) : { command: words }),
        file,
    };
}

/** Signs that a shell may read. */
const SIGN = /["'`$|;&<>()\\*?[\]{}~#!]/g;

/**
 * The words of a command, or bash with its text if the text has signs of a shell. The operator splits the text into words,
 * also at line breaks, after a shell has expanded it between double quotes.
 */
function commandWords(reader: Reader, path: string, text: string, { commands, launcher: isOnce }: Fields): string[] {
    warnOfOwnVariables(reader, path, text);
    const line = text.replaceAll(/\\?\s*\n\s*/g, " ");
    const words = line.split(/\s+/);
    const signs = [...new Set(line.match(SIGN) ?? [])].join(" ");
    // Flux passes a launcher of one word to a shell, in the operator too.
    if (signs === "" || (isOnce && words.length === 1 && !commands?.prefix)) {
        return words;
    }
    const start = isOnce ? "the command" : "each task";
    const reason = `has ${signs}, signs that a shell may read. Here bash reads the text when ${start} starts.`;
    const there =
        "The operator expands variables once, on the lead, when its pod starts, and passes all other signs on to the program";
    reader.warn(path, `${reason} ${there}. Check the command, or give it as a script.`);
    return ["bash", "-c", line];
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

import type { Fields, Reader } from "./reader";

/** Characters for which a command needs a shell. A line break only separates words. */
const SHELL = /["'`$|;&<>*?()\\]/;

/** Variables with the same value in each task and on the lead. */
const STABLE = ["HOME", "PATH", "PWD", "USER"];

/**
 * A command as a list of words. The operator takes the text as a shell takes a text in double quotes: it expands
 * variables once, when the pod starts, and then splits the words.
 */
export function readWords(reader: Reader, path: string, text: string, container: Fields): string[] {
    if (!SHELL.test(text)) {
        return text.split(/\s+/);
    }
    const read = text.replaceAll(/\\[$`"\\]/g, "").replaceAll(/\$\([^)]*\)|\$\{[^}]*\}/g, "");
    const quoting = [...new Set(read.match(/["'|;&<>()\\]/g) ?? [])].join(" ");
    if (quoting !== "") {
        const reason = `has ${quoting}, which the operator doesn't read as a shell: it passes them on in the words.`;
        reader.warn(path, `${reason} Here bash reads them; check the command, or give it as a script.`);
    }
    if (!container.launcher) {
        warnOfExpansion(reader, path, text, container);
    }
    return ["bash", "-c", text.replaceAll(/\s*\n\s*/g, " ")];
}

function warnOfExpansion(reader: Reader, path: string, text: string, container: Fields): void {
    const code = text.replaceAll(/\\[^]/g, "");
    const own = Object.keys({ ...(container.environment as object), ...(container.secrets as object) });
    const names = [...code.matchAll(/\$\{?(\w+)/g)].map(([, name]) => name);
    const odd = names.filter((name) => !STABLE.includes(name) && !own.includes(name)).map((name) => `$${name}`);
    const shown = [...new Set([...odd, ...(/\$\(|`/.test(code) ? ["the output of a command"] : [])])];
    if (shown.length > 0) {
        const reason = `has ${shown.join(" and ")}, which the operator expands once, on the lead, when its pod starts.`;
        reader.warn(path, `${reason} Here each task expands it; write the value itself if that differs.`);
    }
}

import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";

import { KubeConfig } from "../clientNode";
import { beside, withExtraFields } from "./extraFields";

/** Reads a kubeconfig's file. Its relative paths are relative to its folder. */
export function parseFile(path: string, name: string): KubeConfig {
    const config = parseText(readText(path), name);
    const folder = dirname(path);
    config.makePathsAbsolute(folder);
    config.users = config.getUsers().map((user) => beside(folder, user));
    return config;
}

function readText(path: string): string {
    try {
        return decode(readFileSync(path));
    } catch (error) {
        throw new Error(`The kubeconfig ${path} can't be read: ${(error as NodeJS.ErrnoException).code}.`);
    }
}

/** The text of a file in UTF-8, or in UTF-16 with its mark, as PowerShell writes it. */
function decode(bytes: Buffer): string {
    const encoding = { fffe: "utf-16le", feff: "utf-16be" }[bytes.subarray(0, 2).toString("hex")];
    return new TextDecoder(encoding).decode(bytes);
}

/**
 * Parses a kubeconfig. An incomplete entry is left out: another context may need none of it. An error names only the
 * place: a parser's message quotes the lines around it, which may hold a token.
 */
export function parseText(text: string, name: string): KubeConfig {
    const config = new KubeConfig();
    if (text.trim() === "") {
        return config;
    }
    try {
        // A text that isn't a mapping, such as a path that doesn't exist, has no clusters either.
        config.loadFromString(text, { onInvalidEntry: "filter" });
        Object.assign(config, withExtraFields(config.getClusters(), config.getUsers(), text));
    } catch (error) {
        const { line, column } = (error as { mark?: { line: number; column: number } }).mark ?? {};
        const place = line === undefined || column === undefined ? "" : `, at line ${line + 1}, column ${column + 1}`;
        throw new Error(
            `The kubeconfig can't be read: ${name} is not a kubeconfig in YAML or JSON${place}. Correct it.`,
        );
    }
    return config;
}

/** Ends of paths that tell a path from a token or a password, which may have a slash too. */
const NAMES = /(?:\.(?:ya?ml|json|conf|config|txt)|kubeconfig|[/\\]config)$/i;

/** True for a text that may be the path of a file that doesn't exist. A URL and a mapping are none. */
export function mayBePath(text: string): boolean {
    return !/[\r\n{}]|:\/\/|: /.test(text) && (/[/\\]/.test(text) || NAMES.test(text));
}

/** The error has a cause, by which a preview ignores it: a resource of the same update may write the file. */
export function missingFile(path: string): Error {
    const name = NAMES.test(path) ? resolve(path) : "of this path";
    return new Error(
        `The kubeconfig can't be read: the argument kubeconfig is a path, and there is no file ${name}. Correct the path. ` +
            "If a resource of the program writes the file, give the path as an output of that resource, or name it in dependsOn.",
        { cause: "missing file" },
    );
}

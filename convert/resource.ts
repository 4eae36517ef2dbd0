import type { Found } from "./documents";
import { type Fields, Reader, type Values } from "./reader";
import type { ReadDocument } from "./yaml/values";

/**
 * A resource of an operator, as plain arguments. They have been checked against the form of a MiniCluster's arguments; a
 * wrong one has a warning.
 */
export interface PlainResource {
    readonly name: string;
    readonly args: Values;
    readonly warnings: readonly string[];
}

/** A reader of the document, with warnings about the document itself and about the other objects of its text. */
export function readerOf({ document, others }: Found, kind: string): Reader {
    const reader = new Reader(document);
    for (const { lines, path } of document.repeated) {
        const reason = `is given in the lines ${lines.join(" and ")}, of which the last one counts.`;
        reader.warn(path, `${reason} Remove the other.`);
    }
    for (const { path, source } of document.renamed) {
        const reason = `is written ${source} in the file, which is no text in YAML.`;
        reader.warn(path, `${reason} Quote it, if it should be the text.`);
    }
    const { apiVersion: _, kind: __, metadata: ___, spec: ____, status: _____, ...rest } = document.value as Fields;
    for (const name of Object.keys(rest)) {
        reader.warn(name, `is no field of ${kind}, so it is ignored. Remove it.`);
    }
    others.forEach((other) => warnOfOther(reader, other, String(document.value.kind)));
    return reader;
}

/** Another document in the text. */
function warnOfOther(reader: Reader, { line, value }: ReadDocument, kind: string): void {
    const other = value as Fields;
    const name = (other.metadata as Fields | undefined)?.name;
    const shown = `${String(other.kind ?? "object without a kind")}${name === undefined ? "" : ` "${String(name)}"`}`;
    const cure = other.kind === kind ? "pass its document on its own." : "apply it yourself, or make it with Pulumi.";
    reader.warn(`documents (line ${line})`, `the ${shown} is not converted: ${cure}`);
}

import type { PlainArgs } from "../components/args";
import { decideCluster } from "../components/arguments/decide";
import { type Fields, Reader, type Values } from "./reader";
import { readDocuments } from "./yaml/documents";
import { type ReadDocument, within } from "./yaml/values";

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

/** The document of a text that is converted, and the other objects of the text. */
export interface Found {
    readonly document: ReadDocument;
    readonly others: readonly ReadDocument[];
}

/** All objects of a text, also those of lists, as `kubectl get -o yaml` prints them. */
export function documentsIn(yaml: string): ReadDocument[] {
    return readDocuments(yaml)
        .flatMap(itemsOf)
        .filter(({ value }) => isObject(value));
}

/** The first document that is meant, if there is one. */
export function findIn(documents: readonly ReadDocument[], isMeant: (fields: Fields) => boolean): Found | undefined {
    const document = documents.find(({ value }) => isMeant(value as Fields));
    return document && { document, others: documents.filter((other) => other !== document) };
}

function itemsOf(document: ReadDocument): ReadDocument[] {
    const { value } = document;
    const isList =
        isObject(value) && /^(MPIJob|MiniCluster)?List$/.test(String(value.kind)) && Array.isArray(value.items);
    return isList
        ? value.items.map((_: unknown, index: number) => within(document, `items[${index}]`, index))
        : [document];
}

export function isObject(value: unknown): value is Fields {
    return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Warns of arguments that the preview of a MiniCluster refuses, as the preview does. */
export function warnOfRefusals(reader: Reader, name: string, values: Values): void {
    for (const { property, reason } of decideCluster(name, values as unknown as PlainArgs).problems) {
        reader.warn(`args.${property}`, `preview refuses it: ${reason}`);
    }
}

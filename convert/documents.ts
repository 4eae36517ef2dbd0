import type { Fields } from "./reader";
import { readDocuments } from "./yaml/documents";
import { type ReadDocument, within } from "./yaml/values";

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

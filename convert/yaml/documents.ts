import { DocumentReader, type ReadDocument, yamlError } from "./values";

/** Reads all documents of a YAML text as kubectl does. Throws an error with its line if the text is no YAML. */
export function readDocuments(text: string): ReadDocument[] {
    // Loaded only here, because few programs need it.
    const yaml = require("yaml") as typeof import("yaml");
    const counter = new yaml.LineCounter();
    const documents = yaml.parseAllDocuments(text, {
        lineCounter: counter,
        logLevel: "silent",
        prettyErrors: false,
        // All scalars are texts at first.
        schema: "failsafe",
        uniqueKeys: false,
    });
    return documents.map((document) => {
        const [error] = document.errors;
        if (error !== undefined) {
            const { col, line } = counter.linePos(error.pos[0]);
            throw yamlError(text, line, error.message, col);
        }
        return new DocumentReader(yaml, text, document, counter).read();
    });
}

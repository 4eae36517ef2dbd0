// Checks every Containerfile of the repository with dockerfile-utils. With --write it only formats.
import { format, validate } from "dockerfile-utils";

import { checkFormat, sources } from "./sources.mjs";

const write = process.argv.includes("--write");
let problems = 0;
const formatted = checkFormat(sources("**/Containerfile"), check, write);
process.exitCode = formatted && problems === 0 ? 0 : 1;

function check(text, path) {
    const found = write ? [] : validate(text);
    for (const { message, range } of found) {
        console.error(`${path}:${range.start.line + 1}:${range.start.character + 1}: ${message}`);
    }
    problems += found.length;
    return edited(text, format(text, { insertSpaces: true, tabSize: 4, ignoreMultilineInstructions: true }));
}

/** Makes the edits from the end of the text, so that the earlier positions stay right. */
function edited(text, edits) {
    const lines = text.split(/(?<=\n)/);
    const offset = ({ line, character }) => lines.slice(0, line).join("").length + character;
    return edits.reduceRight(
        (done, { newText, range }) => done.slice(0, offset(range.start)) + newText + done.slice(offset(range.end)),
        text,
    );
}

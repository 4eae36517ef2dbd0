/** Text of HTML, all foreign parts of which are escaped. */
export class Html {
    constructor(readonly text: string) {}
}

type Value = Html | number | string | undefined | readonly Html[];

/** Makes HTML from a template. Values that aren't HTML are escaped. */
export function html(parts: TemplateStringsArray, ...values: readonly Value[]): Html {
    return new Html(parts.map((part, index) => (index === 0 ? "" : textOf(values[index - 1])) + part).join(""));
}

function textOf(value: Value): string {
    if (value instanceof Html) {
        return value.text;
    }
    return Array.isArray(value) ? value.map(({ text }: Html) => text).join("") : escaped(String(value ?? ""));
}

const ENTITIES: Readonly<Record<string, string>> = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    '"': "&quot;",
    "'": "&#39;",
};

function escaped(text: string): string {
    return legible(text).replace(/[&<>"']/g, (character) => ENTITIES[character]);
}

/** Characters that XML doesn't have, halves of characters, and characters that change the direction of the text around them. */
const UNSEEN = /[^\P{Cc}\t\n]|\p{Cs}|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff]/gu;

/** A text of a user with a mark in the place of each character that can't be shown. */
export function legible(text: string): string {
    return text.replace(UNSEEN, "\ufffd");
}

/** The beginning of a long text. */
export function shortened(text: string, longest: number): string {
    const characters = [...text];
    return characters.length <= longest ? text : `${characters.slice(0, longest - 1).join("")}…`;
}

import assert from "node:assert/strict";

/** Requires that no text has a secret: as plain text, as JSON, or in base64 at any offset in a longer text. */
export function requireNoSecret(texts: readonly string[], secrets: readonly string[]): void {
    for (const form of secrets.flatMap(formsOf)) {
        const text = texts.find((one) => one.includes(form));
        assert(
            text === undefined,
            `I8: a secret is readable after: ${text?.slice(Math.max(0, text.indexOf(form) - 300), text.indexOf(form))}`,
        );
    }
}

function formsOf(secret: string): string[] {
    return [secret, JSON.stringify(secret).slice(1, -1), ...[0, 1, 2].map((offset) => inBase64(secret, offset))];
}

/** The part of a text's base64 that is the same whatever stands before and after the text. */
function inBase64(text: string, offset: number): string {
    const encoded = Buffer.concat([Buffer.alloc(offset), Buffer.from(text)]).toString("base64");
    return encoded.slice(offset === 0 ? 0 : 4, -4);
}

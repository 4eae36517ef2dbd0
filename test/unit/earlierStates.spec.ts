import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import fc from "fast-check";

import { blank, closeSecrets, fill, openSecrets } from "../e2e/support/earlierStates/placeholders";

const FOLDER = join(__dirname, "../states/earlier");

/** Patterns that no template may contain. */
const FORBIDDEN: Readonly<Record<string, RegExp>> = {
    "a UID": /\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/,
    "a key": /(public|secret)-?[kK]ey\\?"?\s*[=:]\s*\\?"(?!\{\{)[^"]/,
    // The number that begins with ab35920a is the same in all states of Pulumi.
    "a text in base64": /"(?!ab35920a)[A-Za-z0-9+/]{40,}={0,2}"/,
    "an encrypted secret": /"ciphertext"/,
    "a plain secret": /"plaintext":\s*"(?!#|\{\{)/,
    "a time": /\b\d{4}-\d\d-\d\dT\d\d:/,
    "an address": /(?<![\d.v])(?!127\.0\.0\.1|0\.0\.0\.0)(\d{1,3}\.){3}\d{1,3}(?![\d.])/,
    "a folder of a machine": /"[^"]*(\/home\/|\/root\/|\/tmp\/(?!end)|file:\/\/|project:\/\/)[^"]*"/,
    "a namespace of a test": /\be2e-[a-z0-9]{5}\b/,
};

describe("templates of earlier states", () => {
    const files = readdirSync(FOLDER, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".json"));

    for (const file of files) {
        it(`contain nothing of the machine that wrote them: ${file}`, () => {
            const text = readFileSync(join(FOLDER, file), "utf8");
            const found = Object.entries(FORBIDDEN).flatMap(([what, pattern]) =>
                pattern.test(text) ? [`${what}: ${pattern.exec(text)?.[0]}`] : [],
            );
            assert.deepEqual(found, []);
        });
    }

    it("have the same texts after placeholders are put in and filled again", () => {
        const values = new Map([
            ["one", "k3y-one"],
            ["two", "k3y-one-and-more"],
        ]);
        const parts = fc.array(fc.constantFrom(...values.values(), "a", " ", "\n", '"'), { maxLength: 6 });
        const texts = parts.map((some) => some.join(""));
        const trees = fc.array(fc.oneof(texts, fc.record({ text: texts }, { noNullPrototype: true })));
        fc.assert(
            fc.property(trees, (tree) => {
                const blanked = blank(tree, values);
                assert.doesNotMatch(JSON.stringify(blanked), /k3y/);
                assert.deepEqual(
                    fill(blanked, (name) => values.get(name) ?? ""),
                    tree,
                );
            }),
        );
    });

    it("keep the marks of secrets", () => {
        const state = {
            a: [{ "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", plaintext: '{"b":"c"}' }],
        };
        assert.deepEqual((openSecrets(state) as typeof state).a[0]?.plaintext, { b: "c" });
        assert.deepEqual(closeSecrets(openSecrets(state)), state);
    });
});

import assert from "node:assert/strict";

import * as fc from "fast-check";

import { plainText } from "../../../../../provider/observe/pods/plainText";

describe("plainText", () => {
    const secrets: [string, string][] = [
        ["mount -o username=ann,password=hunter2,rw", "mount -o username=ann,password=...,rw"],
        ["options: token='hunter2 x' rest", "options: token=... rest"],
        ['body {"clientSecret": "hunter2", "tenant": "a"}', 'body {"clientSecret": "...", "tenant": "a"}'],
        ['body {"password":"hunter2', 'body {"password":"..."'],
        ["wrong password: hunter2", "wrong password: ..."],
        ["Authorization: Bearer hunter2hunter2", "Authorization: Bearer ..."],
        ["GET https://ann:hunter2@files/x failed", "GET https://...@files/x failed"],
        ["GET https://s3/x?X-Amz-Signature=hunter2&y=1", "GET https://s3/x?X-Amz-Signature=...&y=1"],
        ["got eyJhbGciOiJub25lIn0.eyJhIjoiaHVudGVyMiJ9.hunter2", "got ..."],
        [
            "exit status 32\nMounting command: mount\nMounting arguments: -o hunter2 a b\nOutput: no route",
            "exit status 32: no route",
        ],
        ["exit status 32\nMounting command: mount\nMounting arguments: -o hunter2 a b", "exit status 32:"],
    ];
    for (const [text, plain] of secrets) {
        it(`hides the secret of ${JSON.stringify(text)}`, () => assert.equal(plainText(text), plain));
    }

    const harmless = [
        'secret "licence" not found',
        "failed to fetch oauth token: unexpected status: 401 Unauthorized",
        'pull "registry.example.com/flux@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"',
        'www-authenticate: Bearer realm="https://auth.example.com/token"',
    ];
    for (const text of harmless) {
        it(`keeps ${text}`, () => assert.equal(plainText(text), text));
    }

    it("leaves out ids that each try changes, and characters that a terminal obeys", () => {
        assert.equal(plainText(`sandbox "${"0a".repeat(32)}" is gone`), 'sandbox "..." is gone');
        assert.equal(plainText("a\n\tb\u001b[2Jc\u202ed"), "a bcd");
    });

    it("has at most as many characters as it may, in one line, and never a given secret", () => {
        const word = fc.string({ unit: "grapheme", maxLength: 40 });
        const run = (before: string, after: string, longest: number) => {
            const text = plainText(`${before} password=hunter2 ${after}`, longest);
            assert.ok([...text].length <= longest);
            assert.doesNotMatch(text, /[\n\p{Cc}]|hunter2/u);
        };
        fc.assert(fc.property(word, word, fc.integer({ min: 20, max: 300 }), run));
    });
});

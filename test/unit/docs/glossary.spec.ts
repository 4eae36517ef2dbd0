import assert from "node:assert/strict";

import { documents } from "./documents";

/** Words that a reader of Kubernetes' pages doesn't know. */
const WORD = /(?<![-\w])(?:lead|launcher|quorum|rank|view)s?(?!\w)/g;

/** The pages of a reader's first days. Reference pages explain the words in their tables. */
const PAGES = [
    "README.md",
    "docs/start.md",
    "docs/own-image.md",
    "docs/production.md",
    "docs/hang.md",
    "docs/elastic.md",
    "docs/mpi.md",
    "docs/slurm.md",
    "docs/nodes.md",
];

/** What isn't a sentence: fenced blocks, headings and other links. */
const OTHER = /^ *```[^]*?^ *```|^#.*$|!?\[[^\]]*\]\((?!\S*glossary\.md)[^)]*\)|`[^`\n]*`(?!\]\()/gm;

/** The first occurrence of each word in a page, with whether it is in a link to the glossary. */
function firstOf(text: string): Map<string, boolean> {
    const sentences = text.replaceAll(OTHER, "");
    const links = [...sentences.matchAll(/\[[^\]]*\]\(\S*glossary\.md#[^)]*\)/g)];
    const first = new Map<string, boolean>();
    for (const { 0: word, index } of sentences.matchAll(WORD)) {
        const name = word.replace(/s$/, "");
        const isLinked = links.some((link) => link.index < index && index < link.index + link[0].length);
        first.set(name, first.get(name) ?? isLinked);
    }
    return first;
}

describe("the words of Flux", () => {
    for (const { name, text } of documents().filter((page) => PAGES.includes(page.name))) {
        it(`lead to the glossary where they first occur: ${name}`, () => {
            const first = [...firstOf(text)];
            assert.ok(first.length > 0);
            assert.deepEqual(
                first.filter(([, isLinked]) => !isLinked).map(([word]) => word),
                [],
            );
        });
    }
});

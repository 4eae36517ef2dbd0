import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

import ts from "typescript";

import { type Fenced, fencedIn } from "../../e2e/support/pageBlocks";

export const ROOT = join(__dirname, "../../..");

/** A page of README, docs or examples, or the TSDoc of a component. */
export interface Document {
    /** Its path from the root of the repository. */
    readonly name: string;
    readonly text: string;
}

/** A fenced block with the document that has it. */
export interface DocumentBlock extends Fenced {
    readonly document: Document;
    /** The first word of its fence. */
    readonly language: string;
}

const PAGES = ["README.md", "docs/**/*.md", "examples/*/README.md"];

/** The components whose TSDoc has examples. */
const COMPONENTS = ["components/miniCluster.ts", "components/fluxJob/fluxJob.ts"];

const read = (name: string): Document => ({ name, text: readFileSync(join(ROOT, name), "utf8") });

/** All pages for users. */
export function documents(): Document[] {
    return globSync(PAGES, { cwd: ROOT })
        .filter((name) => !name.includes("node_modules"))
        .sort()
        .map(read);
}

/** Another name of a language. The pages of Pulumi's registry need it. */
const ALIASES: Readonly<Record<string, string>> = { typescript: "ts" };

/** The blocks of a language in all pages, and in the examples of TSDoc; those of all languages without one. */
export function blocksOf(language?: string): DocumentBlock[] {
    return [...documents(), ...COMPONENTS.map(exampleOf)].flatMap((document) =>
        fencedIn(document.text)
            .map((block) => ({ ...block, document, language: languageOf(block) }))
            .filter((block) => language === undefined || block.language === language),
    );
}

function languageOf({ words }: Fenced): string {
    const [name = ""] = words.split(" ");
    return ALIASES[name] ?? name;
}

/** Where a block is: `docs/jobs.md:5`. */
export function placeOf({ document, line }: DocumentBlock): string {
    return `${document.name}:${line}`;
}

/** The examples in the TSDoc of a component's class. */
function exampleOf(name: string): Document {
    const source = ts.createSourceFile(name, read(name).text, ts.ScriptTarget.Latest, true);
    const tags = source.statements.filter(ts.isClassDeclaration).flatMap((each) => ts.getJSDocTags(each));
    const examples = tags.filter(({ tagName }) => tagName.text === "example");
    return { name, text: examples.map(({ comment }) => ts.getTextOfJSDocComment(comment) ?? "").join("\n") };
}

import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, extname, join } from "node:path";

import { root } from "../local/paths";
import { addressOf, filePlaceOf, placeOf, targetOf } from "./pageNames";
import { references } from "./reference";

/** The Markdown from which the site is built, made of the repository's own. */
export const staged = join(root, "scripts/site/dist/pages");

/** Pages for Pulumi's registry, in the dialect of its site. */
const REGISTRY = ["docs/_index.md", "docs/installation-configuration.md"];

const START = ["README.md", "CHANGELOG.md", "docs/**/*.md", "examples/*.md", "examples/*/README.md"];

/** The sources of an example that its page shows. */
const SOURCES =
    "examples/*/{*.ts,*.py,*.go,*.sh,Makefile,Snakefile,*/*.{py,go},*/Pulumi.yaml,*/Containerfile,Containerfile}";

/** A link: its text, and where it leads: a path, and perhaps a heading. */
const LINK = /\[([^\]]*)\]\(([^)\s#]+)(#[^)\s]*)?\)/g;

const PICTURE = /\.(?:png|svg)$/;

const read = (path: string) => readFileSync(join(root, path), "utf8");

/** Writes all pages. A page is in the site if it is a page for users, or if another page links to it. */
export function stage(): void {
    rmSync(staged, { recursive: true, force: true });
    const waiting = globSync(START, { cwd: root }).filter(
        (path) => !path.includes("node_modules") && !REGISTRY.includes(path),
    );
    const known = new Set(waiting);
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
        const { links, place, text } = pageOf(path);
        write(place, text);
        for (const link of links.filter((each) => !known.has(each))) {
            known.add(link);
            waiting.push(link);
        }
    }
    Object.entries(references()).forEach(([place, text]) => write(place, text));
}

interface Page {
    readonly place: string;
    readonly text: string;
    /** The paths in the repository to which it links. */
    readonly links: readonly string[];
}

function pageOf(path: string): Page {
    if (extname(path) !== ".md") {
        return { place: filePlaceOf(path), text: `# ${path}\n\n${fence(path)}`, links: [] };
    }
    const links: string[] = [];
    const withLinks = outsideOfCode(read(path), (text) =>
        text.replaceAll(LINK, (whole: string, words: string, link: string, anchor = "") => {
            if (/^\w+:/.test(link)) {
                return whole;
            }
            const target = targetOf(path, link);
            if (!existsSync(join(root, target))) {
                throw new Error(`${path}: the link ${link} leads to ${target}, which doesn't exist.`);
            }
            if (PICTURE.test(target)) {
                cpSync(join(root, target), join(staged, "public", target));
                return `[${words}](/${target})`;
            }
            links.push(target);
            const place = extname(target) === ".md" ? placeOf(target) : filePlaceOf(target);
            return `[${wordsOf(words, target)}](${addressOf(place)}${anchor})`;
        }),
    );
    return { place: placeOf(path), text: withLinks + sourcesOf(path), links };
}

/** The words of a link. The name of a page's file says nothing in the site, so the page's title takes its place. */
function wordsOf(words: string, target: string): string {
    const [, title] = /^# (.+)$/m.exec(read(target)) ?? [];
    return /^[\w./-]+\.md$/.test(words) ? (title ?? words) : words;
}

/** Changes the text of a page, but not its fences. Comments have no place in the site, and only sh needs no more words. */
function outsideOfCode(page: string, change: (text: string) => string): string {
    const parts = page.replaceAll(/<!--[^]*?-->\n?/g, "").split(/^( *```[^]*?^ *```)$/m);
    return parts
        .map((part, index) => (index % 2 === 0 ? change(part) : part.replace(/^( *```\w*).*$/m, "$1")))
        .join("");
}

/** The sources of the example whose page this is. */
function sourcesOf(path: string): string {
    const [, folder] = /^examples\/([\w-]+)\/README\.md$/.exec(path) ?? [];
    const files = globSync(SOURCES, { cwd: root }).filter((file) => file.startsWith(`examples/${folder}/`));
    const sections = files.sort().map((file) => `### ${file.replace(`examples/${folder}/`, "")}\n\n${fence(file)}`);
    return folder === undefined || sections.length === 0 ? "" : `\n## The program\n\n${sections.join("\n")}`;
}

const LANGUAGES: Readonly<Record<string, string>> = { ".tsv": "text", "": "text" };

/** A file as a block of code. */
function fence(path: string): string {
    const name = path.split("/").at(-1)!;
    const special: Readonly<Record<string, string>> = {
        Containerfile: "dockerfile",
        Makefile: "makefile",
        Snakefile: "python",
    };
    const language = special[name] ?? LANGUAGES[extname(name)] ?? extname(name).slice(1);
    return `\`\`\`\`${language}\n${read(path).trimEnd()}\n\`\`\`\`\n`;
}

function write(place: string, text: string): void {
    const path = join(staged, place);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
}

import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";

const ROOT = join(__dirname, "../..");

const FOLDERS = "{cli,components,convert,docs,examples,plugin,provider,scripts,test}";

function filesOf(...patterns: string[]): string[] {
    const exclude = (path: string) => /\b(?:node_modules|dist)$|^scripts\/local\/state$/.test(path);
    return globSync(patterns, { cwd: ROOT, exclude });
}

const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");

/** The anchors that GitHub makes of the headings of a document. */
function anchorsOf(path: string): string[] {
    const text = read(path).replaceAll(/^```[\s\S]*?^```$/gm, "");
    const slugs = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
        heading
            .toLowerCase()
            .replaceAll(/[^\w\- ]/g, "")
            .replaceAll(" ", "-"),
    );
    return slugs.map((slug, index) => {
        const before = slugs.slice(0, index).filter((other) => other === slug).length;
        return before === 0 ? slug : `${slug}-${before}`;
    });
}

/** A link, by the path from the root of the repository; undefined if it leads somewhere. The site has only the README of a folder. */
function problemOf(source: string, path: string, anchor: string | undefined): string | undefined {
    const isFolder = existsSync(join(ROOT, path)) && statSync(join(ROOT, path)).isDirectory();
    const page = isFolder ? join(path, "README.md") : path;
    if (!existsSync(join(ROOT, page))) {
        return `${source}: there is no ${page}`;
    }
    return anchor === undefined || anchorsOf(path).includes(anchor)
        ? undefined
        : `${source}: ${path} has no #${anchor}`;
}

describe("the documents", () => {
    it("link only to files and headings that exist", () => {
        const problems = filesOf("*.md", `${FOLDERS}/**/*.md`).flatMap((source) =>
            [...read(source).matchAll(/\]\(([^)\s#]*)(?:#([^)\s]*))?\)/g)]
                .filter(([, target]) => !/^\w+:/.test(target))
                .map(([, target, anchor]) => {
                    const path = target === "" ? source : relative(ROOT, join(ROOT, dirname(source), target));
                    return problemOf(source, path, anchor);
                }),
        );
        assert.ok(problems.length >= 100, `only ${problems.length} links`);
        assert.deepEqual(
            problems.filter((problem) => problem !== undefined),
            [],
        );
    });

    it("exist if a text or a comment names them", () => {
        const sources = filesOf(
            "*.{json,md,toml,ts}",
            "Makefile",
            `${FOLDERS}/**/*.{go,json,md,mjs,py,sh,toml,ts,yaml}`,
        );
        const problems = sources.flatMap((source) =>
            [...read(source).matchAll(/(?<![\w/.])((?:docs|test)\/[\w/-]+\.(?:md|yaml))(?:#([\w-]+))?/g)].map(
                ([, path, anchor]) => problemOf(source, path, anchor),
            ),
        );
        assert.ok(problems.length >= 50, `only ${problems.length} paths`);
        assert.deepEqual(
            problems.filter((problem) => problem !== undefined),
            [],
        );
    });
});

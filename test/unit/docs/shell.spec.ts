import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { COMMANDS } from "../../../cli/commands";
import { parse } from "../../../cli/parser/parser";
import { blocksIn } from "../../e2e/support/pageBlocks";
import { documents, ROOT } from "./documents";

const read = (name: string) => readFileSync(join(ROOT, name), "utf8");

const blocks = documents().flatMap(({ name, text }) => blocksIn(text, name).map((block) => ({ ...block, name })));

/** The pages whose commands a spec runs: those that it opens by `page("sweep")` or `page("docs/start.md")`. */
function testedPages(): Set<string> {
    const specs = globSync("test/{e2e,faults}/**/*.spec.ts", { cwd: ROOT }).map(read);
    const names = specs.flatMap((text) => [...text.matchAll(/\.page\("([\w./-]+)"/g)].map(([, name]) => name));
    return new Set(names.map((name) => (name.endsWith(".md") ? name : `examples/${name}/README.md`)));
}

/** The lines of a block, with those that end in a backslash joined to the next, and without comments. */
function linesOf(commands: string): string[] {
    const whole = commands.replaceAll(/\\\n\s*/g, " ");
    return whole.split("\n").map((line) => line.replace(/(?:^|\s)#\s.*$/, "").trim());
}

/** The words of a command line up to a pipe or a redirection. */
function wordsOf(line: string): string[] {
    const found = line.match(/"[^"]*"|'[^']*'|[^\s"']+/g) ?? [];
    const end = found.findIndex((word) => /^(?:[|<>&;]|&&)/.test(word));
    return found.slice(0, end < 0 ? undefined : end).map((word) => word.replaceAll(/^["']|["']$/g, ""));
}

describe("commands in a document", () => {
    it("run in a test, or the fence says why not", () => {
        const pages = testedPages();
        assert.ok(pages.size >= 5, `only ${pages.size} pages`);
        const silent = blocks.filter(({ name, untested }) => untested === undefined && !pages.has(name));
        assert.deepEqual(
            silent.map(({ line, name }) => `${name}:${line}`),
            [],
        );
    });

    it("give as the reason only tests that exist", () => {
        const named = blocks.flatMap(({ untested = "" }) => untested.match(/\btest\/[\w/.]+\.ts\b/g) ?? []);
        assert.ok(named.length >= 5, `only ${named.length} tests`);
        assert.deepEqual(
            named.filter((path) => !existsSync(join(ROOT, path))),
            [],
        );
    });

    it("that another page runs are commands of that page", () => {
        const named = blocks.flatMap((block) => {
            const [, page] = /\bthe page (\S+) runs\b/.exec(block.untested ?? "") ?? [];
            return page === undefined ? [] : [{ ...block, page: page.endsWith(".md") ? page : `${page}/README.md` }];
        });
        assert.ok(named.length >= 1, `only ${named.length} blocks`);
        for (const { commands, name, page } of named) {
            const run = blocks.filter((block) => block.name === page && block.untested === undefined);
            const lines = run.flatMap((block) => linesOf(block.commands));
            const others = linesOf(commands).filter((line) => !lines.some((each) => each.startsWith(line)));
            assert.deepEqual(others, [], `${name}: not in ${page}`);
        }
    });

    it("of this package have the options and words that its parser takes", () => {
        const lines = blocks.flatMap(({ commands }) => linesOf(commands));
        const ours = lines.flatMap((line) => line.match(/(?<=\bnpx flux-minicluster ).*/) ?? []);
        assert.ok(ours.length >= 20, `only ${ours.length} commands`);
        ours.forEach((line) => assert.doesNotThrow(() => parse(wordsOf(line), COMMANDS), line));
    });

    it("in a sentence name commands of this package that exist", () => {
        const text = documents().map(({ text: content }) => content);
        const named = text.flatMap((each) => [...each.matchAll(/`npx flux-minicluster ([a-z]+)/g)]);
        const names = new Set([...COMMANDS.map(({ name }) => name), "help"]);
        assert.ok(named.length >= 30, `only ${named.length} commands`);
        assert.deepEqual(
            named.filter(([, name]) => !names.has(name)).map(([all]) => all),
            [],
        );
    });

    it("of make name targets that exist", () => {
        const targets = new Set([...read("Makefile").matchAll(/^([a-z0-9-]+):/gm)].map(([, name]) => name));
        const text = documents().map(({ text: content }) => content);
        const named = [...text, ...blocks.map(({ commands }) => commands)].flatMap((each) => [
            ...each.matchAll(/(?:^|`|[A-Z]=\S+ )make ([a-z][a-z0-9-]*)/gm),
        ]);
        assert.ok(named.length >= 20, `only ${named.length} commands`);
        assert.deepEqual(
            named.filter(([, name]) => !targets.has(name)).map(([all]) => all),
            [],
        );
    });
});

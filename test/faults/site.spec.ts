import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import type { Server } from "node:http";
import { join } from "node:path";

import { type Browser, chromium, type Page } from "playwright-core";

import { browserPrograms, ensurePrograms } from "../../scripts/local/packages";
import { root } from "../../scripts/local/paths";
import { findProgram } from "../../scripts/local/program";
import { run } from "../../scripts/local/run";
import { buildSite } from "../../scripts/site/build";
import { serve } from "../../scripts/site/serve";

const AXE = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

/** A page of each kind. */
const PAGES = [
    "/",
    "/start.html",
    "/glossary.html",
    "/arguments.html",
    "/api/",
    "/api/classes/MiniCluster.html",
    "/reference/types.html",
    "/examples/sweep/",
    "/files/docs/rbac-yaml.html",
];

/** The pages of docs/, without those for Pulumi's registry. */
const documents = () =>
    globSync("docs/*.md", { cwd: root }).filter((name) => !/_index|installation-configuration/.test(name));

/** The site of `make docs`, in Debian's Chromium. */
describe("the site", function () {
    this.timeout(900_000);
    let folder: string;
    let address: string;
    let server: Server;
    let browser: Browser;
    let pages: readonly string[];

    before(async () => {
        folder = await buildSite();
        pages = globSync("**/*.html", { cwd: folder });
        ({ address, server } = await serve(folder, 0));
        await ensurePrograms(browserPrograms);
        const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
        browser = await chromium.launch({ executablePath: findProgram("chromium-headless-shell"), args });
    });

    after(async () => {
        await browser?.close();
        server?.close();
    });

    const text = (page: string) => readFileSync(join(folder, page), "utf8");

    /** The values of an attribute in a page. */
    const valuesOf = (page: string, attribute: string) =>
        [...text(page).matchAll(new RegExp(`<[^>]* ${attribute}="([^"]*)"`, "g"))].map(([, value]) =>
            decodeURIComponent(value.replaceAll("&amp;", "&")),
        );

    /** Opens a page, and gives what it has requested elsewhere and printed. */
    async function open(page: string, colorScheme: "dark" | "light" = "light", width = 1280) {
        const context = await browser.newContext({ colorScheme, viewport: { width, height: 900 } });
        const opened = await context.newPage();
        const events: string[] = [];
        opened.on("console", (message) => events.push(`console: ${message.text()}`));
        opened.on("pageerror", (error) => events.push(`error: ${error.message}`));
        opened.on(
            "request",
            (request) => request.url().startsWith(`${address}/`) || events.push(`request: ${request.url()}`),
        );
        opened.on("response", (response) => response.ok() || events.push(`${response.status()}: ${response.url()}`));
        await opened.goto(`${address}${page}`, { waitUntil: "networkidle" });
        // The page's script gives the switch its name.
        await opened.waitForSelector(".VPSwitchAppearance[title]:not([title=''])", { state: "attached" });
        return { events, opened };
    }

    /** What breaks the rules of WCAG 2.1, levels A and AA. */
    async function violations(opened: Page): Promise<string[]> {
        await opened.evaluate(AXE);
        return opened.evaluate(
            `axe.run({ runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"] }).then(({ violations }) =>
                violations.map(({ id, nodes }) => id + ": " + nodes.slice(0, 3).map(({ html }) => html).join(" ")))`,
        );
    }

    it("has a page for each page of the repository, of the types and of the schema", () => {
        for (const page of [...documents().map((name) => name.slice("docs/".length)), "index.md"]) {
            const place = page === "README.md" ? "pages.html" : page.replace(".md", ".html");
            assert.ok(pages.includes(place), place);
        }
        for (const page of PAGES) {
            assert.ok(existsSync(join(folder, page.endsWith("/") ? `${page}index.html` : page)), page);
        }
    });

    it("links only to pages and headings that it has", () => {
        const ids = new Map(pages.map((page) => [page, new Set(valuesOf(page, "id"))]));
        const problems = pages.flatMap((page) => {
            const inner = valuesOf(page, "href").filter((link) => !/^\w+:/.test(link));
            return inner.flatMap((link) => {
                const { hash, pathname } = new URL(link, `http://site/${page}`);
                const path = decodeURIComponent(pathname).slice(1);
                const target = path === "" || path.endsWith("/") ? `${path}index.html` : path;
                const anchor = decodeURIComponent(hash.slice(1));
                const isFound = existsSync(join(folder, target)) && (anchor === "" || ids.get(target)?.has(anchor));
                return isFound ? [] : [`${page}: ${link}`];
            });
        });
        assert.ok(pages.length > 100, `${pages.length} pages`);
        assert.deepEqual([...new Set(problems)], []);
    });

    it("has each page in its sidebar, or below one that is", () => {
        const sidebar = readFileSync(join(root, "scripts/site/vitepress/sidebar.json"), "utf8");
        const linked = new Set([...sidebar.matchAll(/"link": "\/([^"]*)"/g)].map(([, link]) => link));
        const missing = documents()
            .map((name) => name.slice("docs/".length).replace(".md", ""))
            .filter((name) => name !== "README" && !linked.has(name));
        assert.deepEqual(missing, []);
    });

    it("describes each picture", () => {
        const images = pages.flatMap((page) => text(page).match(/<img [^>]*>/g) ?? []);
        assert.ok(images.length >= 4, `${images.length} pictures`);
        assert.deepEqual(
            images.filter((image) => !/ alt="[^"]{10,}"/.test(image)),
            [],
        );
    });

    it("has no wrong spelling", async () => {
        const program = join(root, "scripts/site/node_modules/cspell/bin.mjs");
        const files = ["README.md", "CHANGELOG.md", "docs/**/*.md", "examples/**/README.md"];
        const words = [
            "lint",
            "--config",
            join(root, "scripts/site/cspell.json"),
            "--root",
            root,
            "--no-progress",
            "--no-summary",
        ];
        assert.equal(await run(process.execPath, [program, ...words, ...files], { cwd: root }), "");
    });

    for (const page of PAGES) {
        for (const scheme of ["light", "dark"] as const) {
            it(`is accessible, and requests and prints nothing else: ${page}, ${scheme}`, async () => {
                const { events, opened } = await open(page, scheme);
                assert.deepEqual(await violations(opened), []);
                assert.deepEqual(events, []);
                await opened.context().close();
            });
        }

        it(`doesn't scroll to the side on a phone: ${page}`, async () => {
            const { opened } = await open(page, "light", 390);
            assert.equal(await opened.evaluate(`document.documentElement.scrollWidth <= innerWidth`), true);
            await opened.context().close();
        });
    }

    for (const [word, title] of [
        ["quorum", "Quorum"],
        ["stuck", "A cluster hangs"],
        ["kind", "A Kubernetes cluster"],
        ["jupyter", "A notebook"],
    ]) {
        it(`finds "${word}", without a request to anywhere else`, async () => {
            const { events, opened } = await open("/");
            await opened.click("button.DocSearch-Button");
            await opened.fill("input.search-input", word);
            await opened.waitForSelector(".results .result");
            const found = await opened.locator(".results .result").allInnerTexts();
            assert.ok(
                found.some((each) => each.includes(title)),
                found.join("\n"),
            );
            assert.deepEqual(events, []);
            await opened.context().close();
        });
    }
});

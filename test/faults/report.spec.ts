import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { type Browser, chromium, type Page } from "playwright-core";

import { collect } from "../../cli/report/collect";
import type { Report } from "../../cli/report/model";
import { page } from "../../cli/report/page/page";
import { browserPrograms, ensurePrograms } from "../../scripts/local/packages";
import { findProgram } from "../../scripts/local/program";
import { makeSource } from "../unit/support/runs";

const AXE = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

const hostile = (index: number) =>
    [`</script><img src=x onerror=alert(1)>`, `"><svg onload=alert(1)>`, `</title></style><script>alert(1)</script>`][
        index % 3
    ];

const small = collect(makeSource({ ranks: 4, jobs: 20 }));
const long = `Pod lammps-1-x7k2p can't start: ${"the image registry.example/a-very-long-name/".repeat(8)}`;
const reports: Record<string, Report> = {
    small,
    hostile: {
        ...collect(makeSource({ ranks: 4, jobs: 30, nameOf: hostile, name: hostile(0) })),
        warnings: [{ about: hostile(1), reason: hostile(2), message: hostile(0), count: 1, firstAt: 1, lastAt: 2 }],
    },
    ended: {
        ...small,
        changes: null,
        jobs: null,
        usage: null,
        jobCount: null,
        failures: [{ about: "Cluster", message: long }],
        missing: [
            "Flux' jobs, the queue and the use of cores: the cluster has ended, and only the lead's broker knows them.",
        ],
    },
    names: {
        ...small,
        jobs: (small.jobs ?? []).map((job, index) => ({
            ...job,
            name: index === 0 ? "x".repeat(500) : "nosuchprogram",
            reason: "exit code 127 (the program was not found)",
        })),
    },
    several: collect(makeSource({ ranks: 60, jobs: 400 })),
    large: collect(makeSource({ ranks: 1000, jobs: 10_000 })),
};

/** In Debian's Chromium. */
describe("The page of a report in a browser", function () {
    this.timeout(300_000);
    let browser: Browser;
    let folder: string;

    before(async () => {
        await ensurePrograms(browserPrograms);
        const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
        browser = await chromium.launch({ executablePath: findProgram("chromium-headless-shell"), args });
        folder = mkdtempSync(join(tmpdir(), "report-"));
        Object.entries(reports).forEach(([name, report]) => writeFileSync(join(folder, `${name}.html`), page(report)));
    });

    after(async () => {
        await browser?.close();
        rmSync(folder, { recursive: true, force: true });
    });

    /** Opens a page, and gives what it has printed and requested besides itself, and how many milliseconds it took. */
    async function open(name: string, colorScheme: "dark" | "light" = "light", width = 1200) {
        const context = await browser.newContext({ colorScheme, viewport: { width, height: 900 } });
        const opened = await context.newPage();
        const events: string[] = [];
        opened.on("console", (message) => events.push(`console: ${message.text()}`));
        opened.on("pageerror", (error) => events.push(`error: ${error.message}`));
        opened.on("dialog", (dialog) => {
            events.push(`dialog: ${dialog.message()}`);
            void dialog.dismiss();
        });
        const address = pathToFileURL(join(folder, `${name}.html`)).href;
        opened.on("request", (request) => request.url() === address || events.push(`request: ${request.url()}`));
        const begin = performance.now();
        await opened.goto(address);
        return { events, opened, milliseconds: performance.now() - begin };
    }

    /** What axe finds. It is evaluated by the browser's debugger, because the page's policy forbids scripts. */
    async function violations(opened: Page): Promise<string[]> {
        await opened.evaluate(AXE);
        return opened.evaluate(
            `axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html).join(" ")))`,
        );
    }

    for (const name of ["small", "hostile", "ended", "several"]) {
        for (const scheme of ["light", "dark"] as const) {
            it(`is accessible, prints nothing to the console and requests nothing: ${name}, ${scheme}`, async () => {
                const { events, opened } = await open(name, scheme);
                assert.deepEqual(await violations(opened), []);
                await opened.evaluate(`document.querySelectorAll("details").forEach((each) => (each.open = true))`);
                await opened.evaluate(`scrollTo(0, document.body.scrollHeight)`);
                assert.deepEqual(events, []);
                const active = `[document.scripts, document.images, document.querySelectorAll("iframe, object, embed, link")]`;
                assert.deepEqual(await opened.evaluate(`${active}.map(({ length }) => length)`), [0, 0, 0]);
                await opened.context().close();
            });
        }
    }

    it("refuses scripts and styles that a text would add", async () => {
        const { opened } = await open("small");
        const add = (tag: string, text: string) =>
            `(() => { const e = document.createElement("${tag}"); e.textContent = ${JSON.stringify(text)}; document.head.append(e); })()`;
        await opened.evaluate(add("script", "window.hit = true"));
        await opened.evaluate(add("style", "body { display: none }"));
        assert.deepEqual(await opened.evaluate(`[window.hit, getComputedStyle(document.body).display]`), [
            undefined,
            "block",
        ]);
        await opened.context().close();
    });

    it("has the colours of the system, and those of paper in print", async () => {
        const background = `getComputedStyle(document.body).backgroundColor`;
        const { opened } = await open("small", "dark");
        assert.equal(await opened.evaluate(background), "rgb(18, 22, 28)");
        await opened.emulateMedia({ media: "print" });
        assert.equal(await opened.evaluate(background), "rgb(255, 255, 255)");
        await opened.context().close();
    });

    it("breaks only the name of a job that is longer than a column may be", async () => {
        const { opened } = await open("names", "light", 800);
        const lines = `[...document.querySelectorAll("td.name")].map((cell) => {
            const range = document.createRange();
            range.selectNodeContents(cell);
            return range.getClientRects().length;
        })`;
        const [first, ...others] = await opened.evaluate<number[]>(lines);
        assert.deepEqual([first > 5, [...new Set(others)]], [true, [1]]);
        await opened.context().close();
    });

    it("fits on a few sheets of paper, without the parts that are closed", async () => {
        const { opened } = await open("large");
        const sheets = String(await opened.pdf({ format: "A4" })).match(/\/Type\s*\/Page\b/g)?.length ?? 0;
        assert.ok(sheets >= 2 && sheets <= 8, `${sheets} sheets`);
        await opened.context().close();
    });

    it("is used by keyboard: links, pictures, tables and parts", async () => {
        const { opened } = await open("several");
        const reached = new Set<string>();
        for (let presses = 0; presses < 40; presses++) {
            await opened.keyboard.press("Tab");
            reached.add(
                await opened.evaluate(`document.activeElement.localName + "." + document.activeElement.className`),
            );
        }
        assert.deepEqual(
            [...reached].sort().filter((each) => each !== "body."),
            ["a.", "div.plot", "div.table", "summary."].sort(),
        );
        await opened.evaluate(`document.querySelector("summary").focus()`);
        await opened.keyboard.press("Enter");
        assert.equal(await opened.evaluate(`document.querySelector("details").open`), true);
        await opened.context().close();
    });

    for (const width of [400, 1200]) {
        it(`doesn't scroll to the side in a window of ${width} pixels, and no texts of an axis overlap`, async () => {
            const { opened } = await open("several", "light", width);
            assert.equal(await opened.evaluate(`document.documentElement.scrollWidth <= innerWidth`), true);
            const overlaps = await opened.evaluate(
                `[...document.querySelectorAll("svg.chart g:has(> text)")].flatMap((group) => {
                    const boxes = [...group.children].map((text) => text.getBoundingClientRect());
                    return boxes.flatMap((a, index) => boxes.slice(index + 1).filter((b) =>
                        a.left < b.right && b.left < a.right && a.top + 3 < b.bottom && b.top + 3 < a.bottom));
                }).length`,
            );
            assert.equal(overlaps, 0);
            await opened.context().close();
        });
    }

    it("opens and scrolls with 1,000 ranks and 10,000 jobs", async () => {
        const { events, milliseconds, opened } = await open("large");
        // Two frames: the first one may be there already.
        const frames = `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))`;
        const begin = performance.now();
        await opened.evaluate(`document.querySelectorAll("details").forEach((each) => (each.open = true)); ${frames}`);
        for (let screen = 0; screen < 40; screen++) {
            await opened.evaluate(`scrollBy(0, 900); ${frames}`);
        }
        const took = performance.now() - begin;
        console.log(
            `      opened in ${Math.round(milliseconds)} ms; all parts opened and 40 screens scrolled in ${Math.round(took)} ms`,
        );
        assert.deepEqual(events, []);
        await opened.context().close();
    });
});

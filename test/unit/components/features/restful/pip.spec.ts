import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { scriptFile } from "../../../support/scriptFile";

const WHEEL = "pip-26.3-py3-none-any.whl";
const CONTENT = "the wheel";

describe("restful-pip.py", () => {
    let folder: string;
    let index: Server;
    let origin: string;
    let asked: IncomingMessage[];
    /** Answers of the index by path: a page, a status, or a place to which it redirects. */
    let pages: Record<string, string | number>;

    beforeEach(async () => {
        folder = mkdtempSync(join(tmpdir(), "pip-"));
        asked = [];
        pages = {
            "/simple/pip/": `<a href="pip-9.whl">pip-9.whl</a><a href="../../files/${WHEEL}#sha256=0">${WHEEL}</a>`,
            [`/files/${WHEEL}`]: CONTENT,
        };
        index = createServer((message, response) => {
            asked.push(message);
            const page = pages[message.url!] ?? 404;
            if (typeof page === "number") {
                response.writeHead(page).end();
            } else if (page.startsWith("http")) {
                response.writeHead(302, { location: page }).end();
            } else {
                response.end(page);
            }
        });
        await new Promise<void>((resolve) => index.listen(0, "127.0.0.1", resolve));
        origin = `http://127.0.0.1:${(index.address() as AddressInfo).port}`;
    });
    afterEach(async () => {
        await new Promise((resolve) => index.close(resolve));
        rmSync(folder, { recursive: true });
    });

    /** Runs the script with a hash of its own, as `flux python` does. */
    async function run(url = "", variables: Record<string, string> = {}, content = CONTENT) {
        const hash = createHash("sha256").update(content).digest("hex");
        const text = readFileSync(scriptFile("restful-pip.py"), "utf8").replace(/(?<=SHA256 = ")\w+/, hash);
        writeFileSync(join(folder, "restful-pip.py"), text);
        const child = spawn("python3", ["-I", join(folder, "restful-pip.py"), join(folder, "made"), url], {
            cwd: folder,
            env: { PATH: process.env["PATH"], HOME: join(folder, "home"), PIP_CONFIG_FILE: "/dev/null", ...variables },
        });
        let [stdout, stderr] = ["", ""];
        child.stdout.on("data", (chunk: Buffer) => (stdout += chunk));
        child.stderr.on("data", (chunk: Buffer) => (stderr += chunk));
        const code = await new Promise((resolve) => child.once("close", resolve));
        return { code, stdout: stdout.trim(), stderr: stderr.trim() };
    }

    const fetched = { code: 0, stderr: "" };
    const made = () => ({ ...fetched, stdout: join(folder, "made", WHEEL) });

    it("has the hash of the wheel, and no address of an index", () => {
        const text = readFileSync(scriptFile("restful-pip.py"), "utf8");
        assert.match(text, /^SHA256 = "[0-9a-f]{64}"$/m);
        assert.match(text, new RegExp(`^WHEEL = "${WHEEL}"$`, "m"));
        assert.doesNotMatch(text, /https?:\/\/[a-z]/);
    });

    it("fetches the wheel from the given index", async () => {
        assert.deepEqual(await run(`${origin}/simple`), made());
        assert.equal(readFileSync(join(folder, "made", WHEEL), "utf8"), CONTENT);
    });

    it("fetches the wheel from an index in a folder", async () => {
        mkdirSync(join(folder, "index/pip"), { recursive: true });
        writeFileSync(join(folder, "index/pip/index.html"), `<a href="${WHEEL}">${WHEEL}</a>`);
        writeFileSync(join(folder, "index/pip", WHEEL), CONTENT);
        assert.deepEqual(await run(`file://${folder}/index`), made());
    });

    it("takes the index of pip's variable, else of pip's settings", async () => {
        const settings = join(folder, "pip.conf");
        writeFileSync(settings, `[global]\nindex-url = ${origin}/simple\n`);
        const elsewhere = { PIP_CONFIG_FILE: settings, PIP_INDEX_URL: "http://127.0.0.1:1/simple" };
        assert.match((await run("", elsewhere)).stderr, /^127\.0\.0\.1:1: /);
        assert.deepEqual(await run("", { PIP_CONFIG_FILE: settings }), made());
        mkdirSync(join(folder, "home/.config/pip"), { recursive: true });
        writeFileSync(join(folder, "home/.config/pip/pip.conf"), `[install]\nindex_url = ${origin}/simple\n`);
        assert.deepEqual(await run("", { PIP_CONFIG_FILE: join(folder, "home/.config/pip/pip.conf") }), made());
    });

    it("finds the default of a setuptools behind a newer one that has no default", async () => {
        for (const [name, text] of [
            ["newer/setuptools/__init__.py", ""],
            ["older/setuptools/package_index.py", `def __init__(self, index_url="https://pypi.example/simple/"):\n`],
        ]) {
            mkdirSync(join(folder, name, ".."), { recursive: true });
            writeFileSync(join(folder, name), text);
        }
        const text = readFileSync(scriptFile("restful-pip.py"), "utf8").replace(
            /\nmain\(.*\n$/,
            "\nprint(from_setuptools())\n",
        );
        writeFileSync(
            join(folder, "only.py"),
            `import sys\nsys.path[:0] = ["${folder}/newer", "${folder}/older"]\n${text}`,
        );
        const child = spawn("python3", ["-I", join(folder, "only.py")]);
        let stdout = "";
        child.stdout.on("data", (chunk: Buffer) => (stdout += chunk));
        await new Promise((resolve) => child.once("close", resolve));
        assert.equal(stdout, "https://pypi.example/simple/\n");
    });

    it("sends user and password to the index only, and shows neither", async () => {
        const other = createServer((message, response) => {
            asked.push(message);
            response.end(CONTENT);
        });
        await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
        const place = `http://127.0.0.1:${(other.address() as AddressInfo).port}/${WHEEL}`;
        const url = `${origin.replace("//", "//me:se%40cret@")}/simple`;
        try {
            pages["/simple/pip/"] = `<a href="/files/${WHEEL}">x</a>`;
            pages[`/files/${WHEEL}`] = place;
            assert.deepEqual(await run("", { PIP_INDEX_URL: url }), made());
            const sent = asked.map(({ headers }) => headers.authorization);
            const basic = `Basic ${Buffer.from("me:se@cret").toString("base64")}`;
            assert.deepEqual(sent, [basic, basic, undefined]);
            pages["/simple/pip/"] = 403;
            const { code, stderr } = await run("", { PIP_INDEX_URL: url });
            assert.deepEqual([code, stderr], [1, `${origin.replace("http://", "")}: HTTP status 403`]);
        } finally {
            await new Promise((resolve) => other.close(resolve));
        }
    });

    it("refuses a wheel with another hash", async () => {
        const { code, stderr } = await run(`${origin}/simple`, {}, "another wheel");
        assert.deepEqual([code, stderr], [1, `${WHEEL} of ${origin.replace("http://", "")} has another hash`]);
    });

    it("says what the index lacks, or that it doesn't answer", async () => {
        pages["/simple/pip/"] = "<a href=pip-9.whl>pip-9.whl</a>";
        assert.equal((await run(`${origin}/simple`)).stderr, `${origin.replace("http://", "")} has no ${WHEEL}`);
        assert.match((await run("http://127.0.0.1:1/simple")).stderr, /^127\.0\.0\.1:1: .*refused/);
        assert.match((await run("https://pypi.invalid/simple")).stderr, /^pypi\.invalid: /);
    });
});

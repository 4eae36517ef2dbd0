import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";

import { isEmptyFolder, listFolder, MOST_FILES } from "../../../../../provider/contract/code/folder";
import { LEFT_OUT } from "../../../../../provider/contract/code/names";
import { type Item, useFolders } from "../../../support/folder";

type Lists = { exclude?: readonly string[]; include?: readonly string[] };

describe("the folder of the code", () => {
    const folder = useFolders();
    const list = (files: Readonly<Record<string, Item>>, { exclude = [], include = [] }: Lists = {}) =>
        listFolder({ source: folder(files), exclude, include });
    /** Without empty folders. */
    const paths = (files: Readonly<Record<string, Item>>, lists?: Lists) =>
        list(files, lists)
            .files.filter((file) => !isEmptyFolder(file))
            .map(({ path }) => path);

    it("leaves out what no program needs, and tells by which patterns", () => {
        const files = {
            ".git/config": "",
            ".venv/bin/python": "",
            "a/__pycache__/b.pyc": "",
            "a/b.pyc": "",
            "a/b.py": "",
            "node_modules/x/index.js": "",
            "Pulumi.dev.yaml": "",
            "Pulumi.yaml": "",
            ".gitignore": "",
        };
        const { files: taken, leftOut } = list(files);
        assert.deepEqual(
            taken.map(({ path }) => path),
            [".gitignore", "Pulumi.yaml", "a/b.py"],
        );
        assert.deepEqual(leftOut, ["*.pyc", ".git", ".venv", "Pulumi.*.yaml", "__pycache__", "node_modules"]);
    });

    it("leaves out what version control, caches, editors and systems leave, as docs/data.md lists it", () => {
        const remains = [
            ".DS_Store",
            ".hg/store",
            ".ipynb_checkpoints/a.ipynb",
            ".mypy_cache/a",
            ".pytest_cache/a",
            ".ruff_cache/a",
            ".svn/a",
            ".tox/a",
            ".vscode/settings.json",
            "Thumbs.db",
            ".main.py.swp",
            "main.py~",
            ".idea/a",
        ];
        const files = Object.fromEntries(["main.py", ...remains, "a/.DS_Store", "a/b"].map((path) => [path, ""]));
        assert.deepEqual(paths({ ...files, ".#main.py": { link: "me@host.1" } }), ["a/b", "main.py"]);
        const docs = readFileSync(join(__dirname, "../../../../../docs/data.md"), "utf8").replaceAll(/\s+/g, " ");
        const [last, ...others] = LEFT_OUT.map((name) => `\`${name}\``).reverse();
        assert.ok(docs.includes(`${others.reverse().join(", ")}, ${last} and the patterns in \`exclude\``));
    });

    const PATTERNS: readonly [string, string[]][] = [
        ["data", ["a/b/c.dat", "a/c.dat", "c.dat"]],
        ["data/", ["a/b/c.dat", "a/c.dat", "c.dat"]],
        ["*.dat", ["a/data/d.txt", "data/d.txt"]],
        ["a/*.dat", ["a/b/c.dat", "a/data/d.txt", "c.dat", "data/d.txt"]],
        ["./a/**/c.dat", ["a/data/d.txt", "c.dat", "data/d.txt"]],
        ["a/**", ["c.dat", "data/d.txt"]],
        ["?.dat", ["a/data/d.txt", "data/d.txt"]],
        ["[c].dat", ["a/b/c.dat", "a/c.dat", "a/data/d.txt", "c.dat", "data/d.txt"]],
    ];
    for (const [pattern, left] of PATTERNS) {
        it(`without ${pattern} has the other files`, () => {
            const files = { "a/b/c.dat": "", "a/c.dat": "", "c.dat": "", "a/data/d.txt": "", "data/d.txt": "" };
            assert.deepEqual(paths(files, { exclude: [pattern] }), left);
        });
    }

    it("takes a pattern that begins with ./ for a path", () =>
        assert.deepEqual(paths({ "build/a": "", "pkg/build/a": "" }, { exclude: ["./build"] }), ["pkg/build/a"]));

    it("takes what include names, whatever leaves it out", () => {
        const files = { "a.dat": "", "b.dat": "", "node_modules/x/index.js": "", ".env": "" };
        const lists = { exclude: ["*.dat"], include: ["a.dat", "node_modules", ".env"] };
        assert.deepEqual(paths(files, lists), [".env", "a.dat", "node_modules/x/index.js"]);
    });

    const BELOW: readonly [string, string[]][] = [
        [".venv/keep.txt", [".venv/keep.txt"]],
        ["./.venv/lib/*.py", [".venv/lib/a.py"]],
        ["node_modules/a/**", ["node_modules/a/b/c.js", "node_modules/a/i.js"]],
        ["node_modules/a/", ["node_modules/a/b/c.js", "node_modules/a/i.js"]],
        ["node_modules/**/i.js", ["node_modules/a/i.js", "node_modules/z/i.js"]],
        ["**/node_modules/z", ["node_modules/z/i.js", "pkg/node_modules/z/j.js"]],
        ["keep.txt", []],
        ["**/keep.txt", []],
        ["*/keep.txt", []],
    ];
    for (const [pattern, taken] of BELOW) {
        it(`takes what ${pattern} names below folders that are left out: ${taken.length} files`, () => {
            const names = [
                ".venv/keep.txt",
                ".venv/lib/a.py",
                "node_modules/a/i.js",
                "node_modules/a/b/c.js",
                "node_modules/z/i.js",
                "pkg/node_modules/z/j.js",
                "pkg/a.js",
            ];
            const { files, leftOut } = list(Object.fromEntries(names.map((name) => [name, ""])), {
                include: [pattern],
            });
            assert.deepEqual(
                files.map(({ path }) => path).filter((path) => path !== "pkg/a.js"),
                taken,
            );
            assert.deepEqual(leftOut, [".venv", "node_modules"]);
        });
    }

    const NAMED: readonly [string, string[]][] = [
        ["data/**", [".aws", "data/.env", "data/b/tls.key"]],
        ["data", [".aws", "data/.env", "data/b/tls.key"]],
        ["**", [".aws", "data/.env", "data/b/tls.key"]],
        ["*.*", [".aws", "data/.env", "data/b/tls.key"]],
        ["data/**/*.key", [".aws", "data/.env"]],
        [".env", [".aws", "data/b/tls.key"]],
        [".aws", ["data/.env", "data/b/tls.key"]],
        [".aws/config", [".aws/credentials", "data/.env", "data/b/tls.key"]],
        [".aws/**", ["data/.env", "data/b/tls.key"]],
    ];
    for (const [pattern, left] of NAMED) {
        it(`has ${left.length} files that look like secrets and that ${pattern} doesn't name`, () => {
            const names = ["data/.env", "data/b/tls.key", ".aws/config", ".aws/credentials", "main.py"];
            const files = Object.fromEntries(names.map((name) => [name, ""]));
            assert.deepEqual(list(files, { include: [pattern] }).secrets, left);
        });
    }

    it("keeps empty folders, also those of which all is left out, and links to them", () => {
        const source = folder({ "a/b.py": "", "out/a.pyc": "", link: { link: "results" } });
        mkdirSync(join(source, "results/now"), { recursive: true });
        mkdirSync(join(source, ".venv"));
        const { files, unfit } = listFolder({ source, exclude: [], include: [".venv/a.txt"] });
        assert.deepEqual(
            files.map(({ path }) => path),
            ["a/b.py", "link", "out/", "results/now/"],
        );
        assert.deepEqual(unfit, []);
    });

    it("is cut if it has too many files, and the rest isn't looked at", () => {
        const source = folder({ a: "", b: "", "c/d": "", "c/e": "", "c/f": "", "c/g": "" });
        const listed = (most: number) => {
            const { files, isCut } = listFolder({ source, exclude: [], include: [] }, most);
            return [files.length, isCut];
        };
        assert.deepEqual([6, 5, 2].map(listed), [
            [6, false],
            [6, true],
            [3, true],
        ]);
        assert.equal(MOST_FILES, 20_000);
    });

    it("names files that look like secrets", () => {
        const secrets = [".env", ".env.local", ".netrc", ".npmrc", "a/id_rsa", "key.pem", "kubeconfig", "tls.key"];
        const files = Object.fromEntries(
            [...secrets, ".aws/credentials", ".kube/config", "id_map.py", "id_rsa.pub"].map((name) => [name, ""]),
        );
        assert.deepEqual(list(files).secrets, [".aws", ".kube", ...secrets].sort());
    });

    it("keeps links that stay in the folder, and refuses the others", () => {
        const { files, unfit } = list({
            "a/b.py": "",
            "a/out": { link: "../../etc" },
            "a/back": { link: "../../code/a" },
            absolute: { link: "/etc/hosts" },
            "a/same": { link: "b.py" },
            folder: { link: "a" },
            git: { link: ".git/HEAD" },
            ".git/HEAD": "",
            nothing: { link: "gone" },
            round: { link: "round" },
        });
        assert.deepEqual(
            files.flatMap(({ link, path }) => (link === undefined || unfit.join().includes(`${path} (`) ? [] : [path])),
            ["a/same", "folder"],
        );
        assert.deepEqual(unfit, [
            "a/back (a link to nothing, ../../code/a)",
            "a/out (a link to nothing, ../../etc)",
            "absolute (a link out of the folder, to /etc/hosts)",
            "git (a link to a file or folder that is left out, .git/HEAD)",
            "nothing (a link to nothing, gone)",
            "round (a link to nothing, round)",
        ]);
    });

    it("refuses a link that leaves the folder and comes back: the folder has another name in the pods", () => {
        const source = folder({ "a/b.py": "" });
        const name = source.split("/").at(-1)!;
        execFileSync("ln", ["-s", `../../${name}/a/b.py`, join(source, "a/back")]);
        assert.deepEqual(listFolder({ source, exclude: [], include: [] }).unfit, [
            `a/back (a link out of the folder, to ../../${name}/a/b.py)`,
        ]);
    });

    it("refuses what is no file, and doesn't wait for it", async () => {
        const source = folder({ "a.py": "" });
        execFileSync("mkfifo", [join(source, "pipe")]);
        const server = createServer();
        await new Promise<void>((resolve) => server.listen(join(source, "socket"), resolve));
        writeFileSync(Buffer.concat([Buffer.from(`${source}/`), Buffer.from([0xff, 0x61])]), "");
        const { files, unfit } = listFolder({ source, exclude: [], include: [] });
        server.close();
        assert.deepEqual(
            files.map(({ path }) => path),
            ["a.py"],
        );
        assert.deepEqual(unfit, ["pipe (a FIFO)", "socket (a socket)", "\ufffda (a name that is not UTF-8)"]);
    });
});

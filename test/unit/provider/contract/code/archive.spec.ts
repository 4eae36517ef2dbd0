import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
    chmodSync,
    lstatSync,
    mkdirSync,
    readdirSync,
    readFileSync,
    readlinkSync,
    renameSync,
    rmSync,
    utimesSync,
} from "node:fs";
import { join, relative } from "node:path";

import fc from "fast-check";

import { codeOf, marksOf } from "../../../../../provider/contract/code/code";
import { archiveOf, type CodeArchive } from "../../../../../provider/contract/code/archive";
import { listFolder } from "../../../../../provider/contract/code/folder";
import { changedFiles } from "../../../../../provider/code/words";
import { fill, useFolders } from "../../../support/folder";

const read = (source: string, exclude: string[] = []) => archiveOf(listFolder({ source, exclude, include: [] }));

const { BUSYBOX } = process.env;
const LONG = `${"folder-".repeat(9)}/${"ø".repeat(80)}/${"file".repeat(20)}.txt`;

describe("the archive of the code", () => {
    const folder = useFolders();

    it("has the same bytes in every release, so an upgrade runs no command again", () => {
        const source = folder({
            "main.py": "print(1)\n",
            "bin/run.sh": { script: "#!/bin/sh\n" },
            "data/now": { link: "../main.py" },
            [LONG]: "x",
        });
        const { bytes, files, hash, length } = read(source);
        assert.deepEqual([bytes, length], [20, 5632]);
        assert.deepEqual(files, {
            "bin/run.sh": "x a8076d3d",
            "data/now": "-> ../main.py",
            [LONG]: "2d711642",
            "main.py": "cc421550",
        });
        assert.equal(hash, "bb2a56a8d206ec5b8523bf43c861098841941984216286a456925840be8add60");
    });

    it("has empty folders, and other bytes with them", () => {
        const source = folder({ "main.py": "1" });
        const before = read(source);
        mkdirSync(join(source, "results/now"), { recursive: true });
        const after = read(source);
        assert.notEqual(after.hash, before.hash);
        assert.equal(after.files["results/now/"], "empty folder");
        assert.equal(changedFiles(before, after), "added: results/now/");
        const found = listFolder({ source, exclude: [], include: [] });
        assert.equal(codeOf({ source, exclude: [], include: [] }, found, after).count, 1);
    });

    for (const tar of [["tar"], ...(BUSYBOX ? [[BUSYBOX, "tar"]] : [])]) {
        it(`is unpacked by ${tar.join(" ")} with contents, modes, links and long names`, () => {
            const content = "ab".repeat(700);
            const target = `${"../".repeat(2)}${"t".repeat(120)}`;
            const source = folder({
                [LONG]: content,
                "a b/ø\n.sh": { script: "#!/bin/sh\n" },
                ["t".repeat(120)]: "target",
                "x/y/link": { link: target },
                empty: "",
            });
            mkdirSync(join(source, "an empty folder"));
            const to = folder();
            const input = Buffer.concat(read(source).chunks);
            const [program, ...words] = tar;
            execFileSync(program, [...words, "-x", "-o", "-m", "-f", "-", "-C", to], { input });
            assert.equal(readFileSync(join(to, LONG), "utf8"), content);
            assert.equal(lstatSync(join(to, "a b/ø\n.sh")).mode & 0o777, 0o755);
            assert.equal(lstatSync(join(to, LONG)).mode & 0o777, 0o644);
            assert.equal(lstatSync(join(to, "an empty folder")).mode & 0o777, 0o755);
            assert.equal(readlinkSync(join(to, "x/y/link")), target);
            assert.equal(readFileSync(join(to, "x/y/link"), "utf8"), "target");
            assert.equal(read(to).hash, read(source).hash);
        });
    }

    it("names scripts whose first line ends as on Windows", () => {
        const source = folder({ "a.sh": "#!/bin/sh\r\nls\r\n", "b.sh": "#!/bin/sh\nls\n", "c.txt": "text\r\n" });
        assert.deepEqual(read(source).windowsScripts, ["a.sh"]);
    });

    it("changes with each edit that matters and no other, and the changed files are named", () => {
        const name = fc.constantFrom("main.py", "a/b.py", "a/c/d.txt", "run.sh");
        const edit = fc.oneof(
            fc.record({ kind: fc.constantFrom("write"), name, text: fc.string({ minLength: 1 }) }),
            fc.record({
                kind: fc.constantFrom("mode", "touch", "remove", "rename", "link", "commit", "import"),
                name,
                text: fc.string(),
            }),
        );
        let edits = 0;
        fc.assert(
            fc.property(fc.array(edit, { minLength: 20, maxLength: 20 }), (all) => {
                const source = folder({ "main.py": "1", "a/b.py": "2" });
                for (const each of all) {
                    edits++;
                    const [before, seen] = [read(source), tree(source)];
                    apply(source, each);
                    const [after, now] = [read(source), tree(source)];
                    const differs = [...new Set([...seen.keys(), ...now.keys()])].filter(
                        (path) => seen.get(path) !== now.get(path),
                    );
                    assert.equal(before.hash !== after.hash, differs.length > 0, JSON.stringify(each));
                    const words = changedFiles(before, after);
                    assert.deepEqual(namesIn(words), differs.sort());
                }
            }),
            { numRuns: 10, seed: 58 },
        );
        assert.equal(edits, 200);
    });

    it("is listed by folders if it has more than 500 files", () => {
        const files = Object.fromEntries(
            Array.from({ length: 600 }, (_, index) => [`src/${index % 3}/${index}.py`, "ab"]),
        );
        assert.deepEqual(Object.keys(marksOf(files)), ["./src/0/", "./src/1/", "./src/2/"]);
        const changed = marksOf({ ...files, "src/1/4.py": "cd" });
        assert.equal(changedFiles({ files: marksOf(files) }, { files: changed }), "changed: ./src/1/");
    });

    it("is listed by fewer folders if there are too many", () => {
        const files = Object.fromEntries(Array.from({ length: 600 }, (_, index) => [`src/${index}/a.py`, "ab"]));
        assert.deepEqual(Object.keys(marksOf(files)), ["./src/"]);
    });

    it("has as many parts as its size needs before it is packed, and never more than 17", () => {
        const parts = (length: number) =>
            codeOf(
                { source: "", exclude: [], include: [] },
                { root: "", files: [], isCut: false, leftOut: [], secrets: [], unfit: [] },
                {
                    ...({ hash: "", files: {}, bytes: 0, chunks: [], windowsScripts: [] } satisfies Omit<
                        CodeArchive,
                        "length"
                    >),
                    length,
                },
            ).parts;
        assert.deepEqual([1024, 1_000_000, 1_000_001, 17_000_000, 60_000_000].map(parts), [1, 1, 2, 17, 17]);
    });
});

interface Edit {
    readonly kind: string;
    readonly name: string;
    readonly text: string;
}

/** Edits of a folder that need no file. */
const ANYWHERE: Record<string, (source: string, edit: Edit) => void> = {
    write: (source, { name, text }) => {
        rmSync(join(source, name), { force: true });
        fill(source, { [name]: text });
    },
    commit: (source, { text }) => fill(source, { [`.git/objects/${edits(text)}`]: text }),
    import: (source, { text }) => fill(source, { [`a/__pycache__/${edits(text)}.pyc`]: text }),
    link: (source, { text }) => {
        rmSync(join(source, "a/link"), { force: true });
        const link = text.length % 2 === 0 ? "../other.txt" : ".././other.txt";
        fill(source, { "other.txt": "x", "a/link": { link } });
    },
};

/** Edits of a file, by its path. */
const OF_FILE: Record<string, (path: string, source: string, edit: Edit) => void> = {
    mode: (path) => chmodSync(path, lstatSync(path).mode ^ 0o111),
    touch: (path, _source, { text }) => utimesSync(path, 1, text.length),
    rename: (path, source, { name }) => {
        mkdirSync(join(source, "moved"), { recursive: true });
        renameSync(path, join(source, "moved", name.replaceAll("/", "-")));
    },
    remove: (path) => rmSync(path),
};

/** Edits a folder. What can't be done is left out. */
function apply(source: string, edit: Edit): void {
    const path = join(source, edit.name);
    ANYWHERE[edit.kind]?.(source, edit);
    if (lstatSync(path, { throwIfNoEntry: false })?.isFile() === true) {
        OF_FILE[edit.kind]?.(path, source, edit);
    }
}

const edits = (text: string) => String(text.length);

/** What a pod would see, found by other means. */
function tree(source: string): Map<string, string> {
    const isSeen = (path: string) => !/\.git|__pycache__/.test(path);
    const all = readdirSync(source, { recursive: true, withFileTypes: true })
        .map((entry) => ({ path: join(entry.parentPath, entry.name), isFolder: entry.isDirectory() }))
        .filter(({ path }) => isSeen(path));
    const paths = all.filter(({ isFolder }) => !isFolder).map(({ path }) => path);
    const empty = all.filter(({ isFolder, path }) => isFolder && !readdirSync(path).some(isSeen));
    return new Map([
        ...empty.map(({ path }): [string, string] => [`${relative(source, path)}/`, "empty"]),
        ...files(source, paths),
    ]);
}

function files(source: string, paths: readonly string[]): Map<string, string> {
    return new Map(
        paths.map((path) => {
            const stats = lstatSync(path);
            const content = stats.isSymbolicLink()
                ? readlinkSync(path)
                : `${stats.mode & 0o100} ${readFileSync(path, "base64")}`;
            return [relative(source, path), content];
        }),
    );
}

/** The names in a sentence about changes. */
function namesIn(words: string): string[] {
    return words === ""
        ? []
        : words
              .split("; ")
              .flatMap((part) => part.replace(/^\w+: /, "").split(", "))
              .sort();
}

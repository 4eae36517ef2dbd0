import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { randomBytes } from "node:crypto";

import type { PlainArgs } from "../../../../../components/args";
import { code } from "../../../../../components/features/code";
import { fluxContainer } from "../../../../../components/pod/container";
import { type Item, useFolders } from "../../../support/folder";
import { makeSpec, problemsOf } from "../../../support/spec";

describe("the rules of code", () => {
    const folder = useFolders();
    const problems = (args: Partial<PlainArgs>) => problemsOf(code, makeSpec(args));
    const ofFolder = (files: Readonly<Record<string, Item>>, more: object = {}) =>
        problems({ code: { source: folder(files), ...more } });
    const notices = (source: string) => code.notices!(makeSpec({ code: { source } })).map(({ reason }) => reason);

    it("accept a folder with files", () => {
        const source = folder({ "main.py": "" });
        assert.deepEqual(problems({ code: { source } }), []);
        assert.deepEqual(
            problems({ code: { source, path: "/opt/my code/", exclude: ["*.dat"], include: ["a/b"] } }),
            [],
        );
        assert.deepEqual(notices(source), []);
    });

    it("refuse a persistent cluster, with the other ways", () => {
        assert.deepEqual(problems({ command: [], code: { source: folder({ a: "" }) } }), [
            "code: is given, but this cluster is persistent, and each edit of a file would end its queue. Give it to the " +
                "FluxJobs, or give a command too.",
        ]);
    });

    for (const path of ["code", "/", "//", "/a:b", "/a/../b", ""]) {
        it(`refuse the path "${path}"`, () => {
            assert.deepEqual(ofFolder({ a: "" }, { path }), [
                `code.path: is "${path}"; it must be an absolute path of a folder, without ':' and '..'.`,
            ]);
        });
    }

    it("refuse a path that the cluster uses, and those that hold it or are in it", () => {
        assert.deepEqual(ofFolder({ a: "" }, { path: "/run/flux/" }), [
            "code.path: is /run/flux/, which the cluster uses itself. Use another path.",
        ]);
        assert.deepEqual(ofFolder({ a: "" }, { path: "/run/flux-minicluster/code" }), [
            "code.path: is /run/flux-minicluster/code, which the cluster uses itself. Use another path.",
        ]);
        for (const [path, own] of [
            ["/etc", "/etc/flux/config"],
            ["/run/flux/code", "/run/flux"],
            ["/run//flux/./code", "/run/flux"],
        ]) {
            assert.deepEqual(ofFolder({ a: "" }, { path }), [
                `code.path: is ${path}, and the cluster itself uses ${own}. Use a path that neither holds it nor is in it.`,
            ]);
        }
    });

    it("refuse patterns that are of no path in the folder", () => {
        const rule = "it must be a name or a path in code.source, in which * and ? may stand for characters.";
        assert.deepEqual(ofFolder({ a: "" }, { exclude: [""], include: ["/a", "a/../b"] }), [
            `code.exclude[0]: is ""; ${rule}`,
            `code.include[0]: is "/a"; ${rule}`,
            `code.include[1]: is "a/../b"; ${rule}`,
        ]);
    });

    it("refuse code without a folder", () => {
        assert.deepEqual(problems({ code: {} as { source: string } }), [
            "code.source: is missing. Give the path of a folder, absolute or from the program's main folder.",
        ]);
    });

    it("refuse a folder that doesn't exist, and an archive", () => {
        const source = folder({ "a.tgz": "" });
        const [missing] = problems({ code: { source: `${source}/gone` } });
        assert.equal(
            missing,
            `code.source: is "${source}/gone", which can't be read: ENOENT: no such file or directory, lstat '${source}/gone'. ` +
                "Give the path of a folder, absolute or from the program's main folder.",
        );
        const [archive] = problems({ code: { source: `${source}/a.tgz` } });
        assert.match(
            archive,
            /can't be read: ENOTDIR.* Give the folder itself: a new archive of the same files is another one\.$/,
        );
    });

    it("refuse all files that no pod can get in one sentence, and read none", () => {
        const source = folder({ nothing: { link: "gone" }, out: { link: "/etc" }, "a.py": "" });
        execFileSync("mkfifo", [join(source, "pipe")]);
        assert.deepEqual(problems({ code: { source } }), [
            "code.source: has what no pod can get: nothing (a link to nothing, gone), out (a link out of the folder, to /etc), " +
                "pipe (a FIFO). Remove it, or name it in code.exclude.",
        ]);
        assert.deepEqual(problems({ code: { source, exclude: ["nothing", "out", "pipe"] } }), []);
    });

    it("refuse files that look like secrets, unless they are named", () => {
        const files = { ".env": "", "tls.key": "", "a.py": "" };
        assert.deepEqual(ofFolder(files), [
            "code.source: has files that look like secrets, and all users who may read ConfigMaps could read them: .env, " +
                "tls.key. Name them in code.exclude, or in code.include if they are no secrets.",
        ]);
        assert.deepEqual(ofFolder(files, { exclude: [".env"], include: ["tls.key"] }), []);
    });

    it("refuse a folder without files", () => {
        const source = folder({ ".git/HEAD": "" });
        assert.deepEqual(problems({ code: { source } }), [
            `code.source: is "${source}", which has no files. Give a folder with files, or name some in code.include.`,
        ]);
    });

    const WAYS =
        "Name in code.exclude what the command doesn't need, or put large files into a volume, an image or a bucket " +
        "(docs/data.md).";

    it("refuse too many files, and name the folder that has the most", () => {
        const spec = makeSpec({ code: { source: folder({ "main.py": "" }) } });
        const cut = (names: readonly string[]) => {
            const files = names.map((path) => ({ path, size: 2 ** 30 }));
            const found = { folder: { root: "", files, isCut: true, leftOut: [], secrets: [], unfit: [] } };
            return problemsOf(code, { ...spec, code: { ...spec.code!, found: { ...found, windowsScripts: [] } } });
        };
        const words = (where: string) =>
            `code.source: has more than 20,000 files. Of those that were counted first, ${where}. ${WAYS}`;
        assert.deepEqual(cut(["a/a", "main.py", "b/a", "b/c/d"]), [words("2 are in b/")]);
        assert.deepEqual(cut(["main.py", "other.py", "b/c"]), [words("2 are in ./")]);
    });

    it("refuse large files before they are read, and name the largest", () => {
        const source = folder({ "data/a.bin": "", "data/b.bin": "", "main.py": "1" });
        truncateSync(join(source, "data/a.bin"), 2 ** 40);
        assert.deepEqual(problems({ code: { source } }), [
            "code.source: has 3 files of 1024 GiB; the limit is 64 MiB. The largest are data/ (1024 GiB), " +
                `main.py (1 byte). ${WAYS}`,
        ]);
    });

    it("refuse files that are too large packed, warn of large ones, and take those that pack well", () => {
        const [warned, refused] = [6_000_000, 17_000_000].map((bytes) => {
            const source = folder();
            writeFileSync(join(source, "data.bin"), randomBytes(bytes));
            return source;
        });
        assert.deepEqual(problems({ code: { source: warned } }), []);
        assert.match(notices(warned).join(), /^has 5\.7 MiB packed\. Each node keeps that in memory/);
        assert.match(
            problems({ code: { source: refused } }).join(),
            /^code\.source: has 1 file of 16\.2 MiB, 16\.2 MiB packed; the limit is 16 MiB\. The largest are data\.bin/,
        );
        const well = folder({ "data.txt": "text\n".repeat(4_000_000) });
        assert.deepEqual([problems({ code: { source: well } }), notices(well)], [[], []]);
    });

    it("warn of scripts with line ends of Windows", () => {
        assert.deepEqual(notices(folder({ "a.sh": "#!/bin/sh\r\n" })), [
            "has scripts whose lines end as on Windows, so Linux doesn't find their interpreter: a.sh. Save them with line " +
                "ends of Linux.",
        ]);
    });
});

describe("a cluster with code", () => {
    const folder = useFolders();

    it("starts its command in the folder, unless workingDir is given", () => {
        const given = { source: folder({ a: "" }) };
        const dirOf = (args: Partial<PlainArgs>) => fluxContainer(makeSpec({ code: given, ...args }), []).workingDir;
        assert.deepEqual([dirOf({}), dirOf({ workingDir: "/data" })], ["/code", "/data"]);
    });

    it("reads the folder once for one MiniCluster", () => {
        const args = { code: { source: folder({ a: "" }) } };
        assert.equal(makeSpec(args).code?.found, makeSpec(args).code?.found);
        assert.notEqual(makeSpec(args).code?.found, makeSpec({ code: { ...args.code } }).code?.found);
    });
});

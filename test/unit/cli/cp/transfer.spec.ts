import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, linkSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

import { FarCopy, type RunThere } from "../../../../provider/copy/far";
import { type Copied, copyIn, copyOut } from "../../../../cli/cp/transfer";
import { farShell } from "../../support/farShell";
import { findProgram } from "../../../../scripts/local/program";

const watch = { moved: () => {}, starts: () => {} };
const LONG = `${"long-".repeat(30)}name`;
const ODD = ["a b", "-rf", "it's", 'q"q', "ümlaut\u{1f300}", "$(touch x)", "new\nline", "*", ".hidden", "sum", LONG];

/** Both directions run the script of the pod in bash on this machine; `far` is the folder of the pod. */
describe("a copy", () => {
    let work: string;
    let near: string;
    let far: string;

    beforeEach(() => {
        work = mkdtempSync(join(tmpdir(), "copy-"));
        near = join(work, "near");
        far = join(work, "far");
        mkdirSync(near);
        mkdirSync(far);
    });

    afterEach(() => {
        execFileSync("chmod", ["-R", "u+rwX", work]);
        rmSync(work, { recursive: true });
    });

    interface Between {
        readonly run?: RunThere;
        readonly signal?: AbortSignal;
        readonly moved?: (bytes: number) => void;
    }

    function start(from: string, to: string, { moved, run, signal }: Between): [boolean, Parameters<typeof copyIn>[0]] {
        const isOut = from.startsWith(":");
        const copy = {
            far: new FarCopy(run ?? farShell(far), "pod x"),
            from: isOut ? from.slice(1) : `${near}/${from}`,
            to: isOut ? `${near}/${to}` : to.slice(1),
            watch: { ...watch, ...(moved && { moved }) },
            signal: signal ?? new AbortController().signal,
        };
        return [isOut, copy];
    }

    /** Copies from `:PATH` of the pod to a path here, or the other way round. */
    function copy(from: string, to: string, between: Between = {}): Promise<Copied> {
        const [isOut, what] = start(from, to, between);
        return isOut ? copyOut(what) : copyIn(what);
    }

    const ways: [string, () => string, () => string, string, string][] = [
        ["out of a pod", () => far, () => near, ":", ""],
        ["into a pod", () => near, () => far, "", ":"],
    ];
    for (const [way, source, target, before, behind] of ways) {
        const go = (from: string, to: string, between?: Between) => copy(before + from, behind + to, between);
        const has = (path: string) => readFileSync(join(target(), path), "utf8");
        const left = (folder = target()) => readdirSync(folder).filter((name) => name.startsWith(".minicluster-cp"));

        describe(way, () => {
            it("keeps odd names, permissions, times, links, hard links and empty folders", async () => {
                const tree = join(source(), "tree");
                mkdirSync(join(tree, "empty"), { recursive: true });
                mkdirSync(join(tree, "locked"));
                for (const name of ODD) {
                    writeFileSync(join(tree, name), name);
                }
                writeFileSync(join(tree, "locked", "inside"), "");
                writeFileSync(join(tree, "big"), Buffer.alloc(3_000_000, "0123456789"));
                linkSync(join(tree, "big"), join(tree, "same"));
                symlinkSync("../big", join(tree, "empty", "up"));
                symlinkSync(LONG, join(tree, "link"));
                chmodSync(join(tree, "a b"), 0o751);
                chmodSync(join(tree, "-rf"), 0o4400);
                [join(tree, "a b"), join(tree, "locked"), tree].forEach((path) => utimesSync(path, 1e9, 1e9));
                chmodSync(join(tree, "locked"), 0o555);
                const copied = await go("tree", ".");
                const made = join(target(), "tree");
                assert.deepEqual(readdirSync(made).sort(), readdirSync(tree).sort());
                for (const name of ODD) {
                    assert.equal(readFileSync(join(made, name), "utf8"), name);
                }
                assert.ok(readFileSync(join(made, "same")).equals(readFileSync(join(tree, "big"))));
                const modes = ["a b", "-rf", "locked"].map((name) => lstatSync(join(made, name)).mode & 0o7777);
                assert.deepEqual(modes, [0o751, 0o400, 0o555]);
                const times = ["a b", "locked", "."].map((name) => lstatSync(join(made, name)).mtimeMs);
                assert.deepEqual(times, [1e12, 1e12, 1e12]);
                assert.ok(
                    lstatSync(join(made, "link")).isSymbolicLink() &&
                        lstatSync(join(made, "empty", "up")).isSymbolicLink(),
                );
                assert.deepEqual(
                    [copied.files, copied.folders, copied.links, copied.skipped],
                    [ODD.length + 3, 3, 2, []],
                );
                assert.match(copied.sha256, /^[0-9a-f]{64}$/);
                assert.deepEqual([left(), left(made)], [[], []]);
            });

            it("gives a file the name of the target, or its own in a folder", async () => {
                writeFileSync(join(source(), "f"), "text");
                symlinkSync("f", join(source(), "link"));
                mkdirSync(join(target(), "d"));
                await go("f", "g");
                await go("f", "d");
                await go("link", "d/");
                assert.deepEqual(["g", "d/f", "d/link"].map(has), ["text", "text", "text"]);
                assert.ok(lstatSync(join(target(), "d", "link")).isFile());
            });

            it("fills a folder that exists, and keeps its other files", async () => {
                mkdirSync(join(source(), "d", "deep", "new"), { recursive: true });
                writeFileSync(join(source(), "d", "a"), "new");
                writeFileSync(join(source(), "d", "deep", "b"), "new");
                writeFileSync(join(source(), "d", "deep", "new", "c"), "new");
                mkdirSync(join(target(), "d", "deep"), { recursive: true });
                writeFileSync(join(target(), "d", "a"), "old");
                writeFileSync(join(target(), "d", "deep", "kept"), "old");
                await go("d", ".");
                assert.deepEqual(["d/a", "d/deep/b", "d/deep/new/c", "d/deep/kept"].map(has), [
                    "new",
                    "new",
                    "new",
                    "old",
                ]);
                await go("d/.", "d/deep");
                assert.equal(has("d/deep/a"), "new");
                assert.deepEqual([left(), left(join(target(), "d")), left(join(target(), "d", "deep"))], [[], [], []]);
            });

            it("refuses a folder in place of a file, and the other way round, before it changes anything", async () => {
                mkdirSync(join(source(), "d", "x"), { recursive: true });
                writeFileSync(join(source(), "d", "a"), "new");
                writeFileSync(join(source(), "f"), "new");
                mkdirSync(join(target(), "d"));
                writeFileSync(join(target(), "d", "x"), "old");
                mkdirSync(join(target(), "f"));
                mkdirSync(join(target(), "into", "f"), { recursive: true });
                await assert.rejects(go("d", "."), { message: /d\/x is a file, and not the folder that it is to be$/ });
                await assert.rejects(go("f", "."), { message: /f is a folder, and not the file that it is to be$/ });
                await assert.rejects(go("d", "d/x"), {
                    message: /d\/x is a file, and not the folder that it is to be$/,
                });
                assert.ok(!existsSync(join(target(), "d", "a")));
                assert.deepEqual(left(), []);
            });

            it("replaces no pipe and no device, also through a link", async () => {
                mkdirSync(join(source(), "d"));
                writeFileSync(join(source(), "d", "pipe"), "new");
                mkdirSync(join(target(), "d"));
                for (const pipe of ["pipe", "d/pipe"]) {
                    execFileSync("mkfifo", [join(target(), pipe)]);
                }
                symlinkSync("/dev/null", join(target(), "null"));
                const message = /(pipe|null) is neither a file nor a folder$/;
                await assert.rejects(go("d/pipe", "pipe"), { message });
                await assert.rejects(go("d/pipe", "null"), { message });
                await assert.rejects(go("d", "."), { message });
                assert.deepEqual(left(), []);
                assert.deepEqual(readdirSync(target()).sort(), ["d", "null", "pipe"]);
            });

            it("refuses what is not there", async () => {
                writeFileSync(join(source(), "f"), "");
                symlinkSync("nowhere", join(source(), "dangling"));
                execFileSync("mkfifo", [join(source(), "pipe")]);
                await assert.rejects(go("nothing", "."), { message: /there is no .*nothing$/ });
                await assert.rejects(go("dangling", "."), { message: /link to nothing$/ });
                await assert.rejects(go("pipe", "."), { message: /is neither a file nor a folder/ });
                await assert.rejects(go("f", "no/where"), { message: /there is no folder .*no$/ });
                await assert.rejects(go("f", "no/"), { message: /there is no folder .*no\/$/ });
                assert.deepEqual(readdirSync(target()), []);
            });

            it("leaves nothing when the connection breaks in the middle", async () => {
                writeFileSync(join(source(), "big"), Buffer.alloc(20_000_000, "x"));
                writeFileSync(join(target(), "big"), "old");
                const stop = new AbortController();
                let moved = 0;
                const between = {
                    signal: stop.signal,
                    moved: (bytes: number) => (moved += bytes) > 5e6 && stop.abort(new Error("broke")),
                };
                await assert.rejects(go("big", ".", { ...between, moved: (bytes) => void between.moved(bytes) }), {
                    message: "broke",
                });
                await until(() => left().length === 0);
                assert.equal(has("big"), "old");
            });

            it("names the package that a missing program is in", async () => {
                writeFileSync(join(source(), "f"), "");
                const bin = join(work, "bin");
                mkdirSync(bin);
                for (const name of [
                    "bash",
                    "basename",
                    "cat",
                    "chmod",
                    "dirname",
                    "head",
                    "mkdir",
                    "mktemp",
                    "mv",
                    "rm",
                    "sha256sum",
                    "stat",
                    "tee",
                ]) {
                    symlinkSync(findProgram(name) ?? "", join(bin, name));
                }
                await assert.rejects(go("f", ".", { run: farShell(far, bin) }), {
                    message: "pod x: the image has no tar; add it to the image (tar, or coreutils for the others)",
                });
                assert.deepEqual(readdirSync(target()), []);
            });

            it("fails with the words of tar", async () => {
                mkdirSync(join(source(), "d"));
                writeFileSync(join(source(), "d", "f"), "x");
                const bin = join(work, "bin");
                mkdirSync(bin);
                writeFileSync(
                    join(bin, "tar"),
                    "#!/bin/sh\necho 'tar: f: Cannot do: No space left on device' >&2\nexit 2\n",
                    { mode: 0o755 },
                );
                const run = farShell(far, bin + delimiter + process.env.PATH);
                await assert.rejects(go("d", ".", { run }), {
                    message: "pod x: f: Cannot do: No space left on device",
                });
                assert.deepEqual(readdirSync(target()), []);
            });
        });
    }

    it("leaves out pipes of this machine, and says so", async () => {
        mkdirSync(join(near, "d"));
        execFileSync("mkfifo", [join(near, "d", "pipe")]);
        const { skipped } = await copy("d", ":.");
        assert.deepEqual(skipped, [`${join(near, "d", "pipe")} is neither a file, a folder nor a link`]);
    });

    it("refuses a name of this machine that is not UTF-8, and keeps one of the pod", async () => {
        const odd = Buffer.concat([Buffer.from(`${far}/d/`), Buffer.from([0x66, 0xff])]);
        mkdirSync(join(far, "d"));
        writeFileSync(odd, "text");
        await copy(":d", ".");
        assert.deepEqual(readdirSync(join(near, "d"), { encoding: "buffer" }), [Buffer.from([0x66, 0xff])]);
        await assert.rejects(copy("d", ":."), { message: /has the name f\ufffd, which is not in UTF-8/ });
    });

    it("copies a time after 2038", async () => {
        writeFileSync(join(near, "f"), "");
        utimesSync(join(near, "f"), 3e9, 3e9);
        await copy("f", ":.");
        await copy(":f", "g");
        assert.deepEqual([lstatSync(join(far, "f")).mtimeMs, lstatSync(join(near, "g")).mtimeMs], [3e12, 3e12]);
    });

    it("tells of a file that tar has found changed, and refuses one that has become shorter", async () => {
        const bin = join(work, "bin");
        mkdirSync(bin);
        writeFileSync(join(far, "f"), "text");
        const say = (words: string) =>
            writeFileSync(
                join(bin, "tar"),
                `#!/bin/sh\n${findProgram("tar")} "$@"\necho 'tar: ./f: ${words}' >&2\nexit 1\n`,
                { mode: 0o755 },
            );
        const run = farShell(far, bin + delimiter + process.env.PATH);
        say("file changed as we read it");
        const { skipped } = await copy(":f", "f", { run });
        assert.deepEqual(
            [skipped, readFileSync(join(near, "f"), "utf8")],
            [["./f: file changed as we read it"], "text"],
        );
        say("File shrank by 3 bytes; padding with zeros");
        await assert.rejects(copy(":f", "g", { run }), {
            message: "pod x: ./f: File shrank by 3 bytes; padding with zeros",
        });
        assert.ok(!existsSync(join(near, "g")));
    });
});

async function until(isDone: () => boolean): Promise<void> {
    while (!isDone()) {
        await new Promise((resolve) => setTimeout(resolve, 20));
    }
}

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import {
    existsSync,
    mkdirSync,
    mkdtempSync,
    readdirSync,
    readFileSync,
    rmSync,
    symlinkSync,
    writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";

import { FarCopy, type RunThere } from "../../../../provider/copy/far";
import { type Headers, pack } from "../../../../provider/copy/tarStream";
import { copyOut } from "../../../../cli/cp/transfer";

const watch = { moved: () => {}, starts: () => {} };

/** A pod that answers with an archive of its choice, and says that it is right. */
function lyingPod(archive: Buffer, sha256 = createHash("sha256").update(archive).digest("hex")): RunThere {
    return async ({ stderr, stdout }) => {
        stdout.end(archive);
        stderr.end(`minicluster-cp: sha256 ${sha256}\n`);
        await new Promise((resolve) => stdout.once("finish", resolve));
        return 0;
    };
}

async function archiveOf(...entries: [Headers, string?][]): Promise<Buffer> {
    const tar = pack();
    entries.forEach(([header, content]) => tar.entry({ ...header }, content ?? ""));
    tar.finalize();
    return buffer(tar);
}

const folder = (name: string): [Headers] => [{ name, type: "directory" }];
const link = (name: string, linkname: string): [Headers] => [{ name, linkname, type: "symlink" }];
const file = (name: string, content = "stolen"): [Headers, string] => [{ name }, content];

describe("Unpacking", () => {
    let work: string;

    beforeEach(() => {
        work = mkdtempSync(join(tmpdir(), "unpack-"));
        mkdirSync(join(work, "outside"));
        writeFileSync(join(work, "outside", "mine"), "mine");
        mkdirSync(join(work, "here"));
    });

    afterEach(() => rmSync(work, { recursive: true }));

    const copy = async (archive: Buffer, to = join(work, "here"), sha256?: string) =>
        copyOut({
            far: new FarCopy(lyingPod(archive, sha256), "pod x"),
            from: "/data/out",
            to,
            watch,
            signal: new AbortController().signal,
        });

    const hostile: [string, [Headers, string?][], RegExp][] = [
        ["a name with ..", [folder("./"), file("./../mine")], /has the name \.\/\.\.\/mine, which may be outside/],
        ["a name with .. in its middle", [folder("./"), file("./a/../../mine")], /may be outside of the copy$/],
        ["an absolute name", [folder("./"), file("/etc/mine")], /has the name \/etc\/mine, which may be outside/],
        ["a name with control characters", [folder("./"), file("/\u001b[2Jx")], /has the name \/\?\[2Jx,/],
        [
            "a file through a link",
            [folder("./"), folder("./d/"), link("./l", "d"), file("./l/mine")],
            /has l\/mine, whose folder/,
        ],
        [
            "a file in a file",
            [folder("./"), file("./f"), file("./f/mine")],
            /has f\/mine, whose folder it doesn't have$/,
        ],
        ["a file twice", [folder("./"), file("./f"), file("./f")], /EEXIST/],
        ["a file in place of a link", [folder("./"), folder("./d/"), link("./f", "d"), file("./f")], /EEXIST/],
        [
            "a hard link to a file outside",
            [folder("./"), [{ name: "./f", type: "link", linkname: "../outside/mine" }]],
            /may be outside/,
        ],
        [
            "a second name of a link",
            [
                folder("./"),
                folder("./d/"),
                folder("./d/e/"),
                link("./d/e/l", "../.."),
                [{ name: "./l", type: "link", linkname: "d/e/l" }],
            ],
            /has l as another name of d\/e\/l, which is no file$/,
        ],
        ["two files in place of one", [file("./out"), file("./more")], /has more, whose folder it doesn't have$/],
        ["a link in place of a file", [link("./out", "/etc")], /begins with out, and not with what it is a copy of$/],
    ];
    for (const [what, entries, message] of hostile) {
        it(`refuses ${what}, and leaves nothing`, async () => {
            await assert.rejects(copy(await archiveOf(...entries)), { message });
            assert.deepEqual(readdirSync(join(work, "here")), []);
            assert.deepEqual(readdirSync(join(work, "outside")), ["mine"]);
            assert.equal(readFileSync(join(work, "outside", "mine"), "utf8"), "mine");
        });
    }

    it("leaves out links that lead out of the copy, devices and pipes, and says so", async () => {
        const { skipped, files, folders, links } = await copy(
            await archiveOf(
                folder("./"),
                folder("./d/"),
                link("./d/up", ".."),
                link("./up", ".."),
                link("./far", "/data/run"),
                link("./d/chain", "up/.."),
                [{ name: "./null", type: "character-device" }],
                [{ name: "./disk", type: "block-device" }],
                [{ name: "./pipe", type: "fifo" }],
                file("./kept", "text"),
            ),
        );
        assert.deepEqual(skipped, [
            "up is a link to .., which is outside of the copy",
            "far is a link to /data/run, which is outside of the copy",
            "d/chain is a link to up/.., which is outside of the copy",
            "null is a character device",
            "disk is a block device",
            "pipe is a fifo",
        ]);
        assert.deepEqual([files, folders, links], [1, 2, 1]);
        assert.deepEqual(readdirSync(join(work, "here", "out")).sort(), ["d", "kept"]);
    });

    it("refuses to go through a link that was there before", async () => {
        mkdirSync(join(work, "here", "out"));
        symlinkSync(join(work, "outside"), join(work, "here", "out", "d"));
        await assert.rejects(copy(await archiveOf(folder("./"), folder("./d/"), file("./d/new"))), {
            message: /here\/out\/d is a link, and not the folder that it is to be$/,
        });
        assert.ok(!existsSync(join(work, "outside", "new")));
    });

    it("refuses an archive with another checksum, and one that is cut, and leaves nothing", async () => {
        const archive = await archiveOf(folder("./"), file("./f", "x".repeat(5000)));
        await assert.rejects(copy(archive, undefined, "0".repeat(64)), {
            message: /^the archive has arrived with the checksum/,
        });
        await assert.rejects(copy(archive.subarray(0, 3000)), { message: "Unexpected end of data" });
        assert.deepEqual(readdirSync(join(work, "here")), []);
    });
});

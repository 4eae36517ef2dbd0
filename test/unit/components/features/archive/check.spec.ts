import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";

import { tar } from "../../../../../scripts/local/tar";
import { dump, members } from "../../../support/dump";
import { scriptFile } from "../../../support/scriptFile";

const SCRIPT = scriptFile("archive.py");

describe("archive.py", function () {
    this.timeout(60_000);
    const folder = mkdtempSync(join(tmpdir(), "archive-"));
    after(() => rmSync(folder, { recursive: true }));

    function check(content: Buffer) {
        const path = join(folder, "content.tgz");
        writeFileSync(path, content);
        return checkFile(path);
    }

    function checkFile(path: string) {
        const { status, stdout, stderr } = spawnSync("python3", [SCRIPT, path], { encoding: "utf8" });
        assert.equal(stderr, "");
        return { status, said: stdout };
    }

    const exactly = (line: string) => new RegExp(`^${line.replaceAll(/[\\[\]{}()*+?.^$|]/g, "\\$&")}\\n$`);

    /** Content that gzip can't make small. */
    const noise = Array.from({ length: 50_000 }, (_, index) => (index * index * 7919) % 100_003).join(" ");
    const whole = dump(noise);

    const right: [string, Buffer][] = [
        ["a dump", whole],
        ["a dump without jobs", dump("")],
        ["a dump of an instance whose resources have no events yet", dump("queue", "")],
        ["a dump that an old libarchive has not compressed", tar(members())],
        ["a dump that is padded with zeros", Buffer.concat([whole, Buffer.alloc(512)])],
        ["a dump with a value of several megabytes", dump("x".repeat(5_000_000))],
        [
            "an event log of several megabytes",
            dump("queue", '{"timestamp":1,"name":"online","context":{"idset":"0"}}\n'.repeat(60_000)),
        ],
    ];
    for (const [what, content] of right) {
        it(`accepts ${what}`, () => assert.deepEqual(check(content), { status: 0, said: "" }));
    }

    const otherVersion = (event: string) =>
        `has an event in resource/eventlog that is of another version of the format: b'${event}'`;
    const wrong: [string, Buffer, string | RegExp][] = [
        ["an empty file", Buffer.alloc(0), "is empty"],
        ["an empty archive", gzipSync(""), "is cut off"],
        ["a file of one byte", Buffer.from([0x1f]), "is cut off"],
        ["a text file", Buffer.from("queue\n".repeat(500)), "is not a tar file, or damaged in its middle"],
        ["a compressed text file", gzipSync("queue\n".repeat(500)), "is not a tar file, or damaged in its middle"],
        ["a file of zeros", Buffer.alloc(10_240), "is not what flux dump writes: it has no resource/eventlog"],
        [
            "another program's archive",
            gzipSync(tar(members().slice(0, 1))),
            "is not what flux dump writes: it has no resource/eventlog",
        ],
        ["a tar that ends between two members", gzipSync(tar(members()).subarray(0, 1024)), "is cut off"],
        ["a tar that ends within a member", gzipSync(tar(members(noise)).subarray(0, 1500)), "is cut off"],
        ["a tar whose end mark is missing", gzipSync(tar(members()).subarray(0, -1024)), "is cut off"],
        [
            "a damaged checksum",
            Buffer.from([...whole.subarray(0, -8), 0, 0, 0, 0, ...whole.subarray(-4)]),
            /^is damaged: CRC check failed /,
        ],
        [
            "a dump with a changed byte",
            Buffer.from(whole.map((byte, index) => (index === 20_000 ? byte ^ 0xff : byte))),
            /^is (damaged|cut off|not a tar)/,
        ],
        [
            "a tar with a changed byte in a header",
            Buffer.from(tar(members()).map((byte, index) => (index === 1030 ? byte ^ 1 : byte))),
            "is not a tar file, or damaged in its middle",
        ],
        ["events that aren't JSON", dump("queue", "1.5 restart\n"), otherVersion("1.5 restart")],
        [
            "events with other fields",
            dump("queue", '{"time":1,"name":"restart"}'),
            otherVersion('{"time":1,"name":"restart"}'),
        ],
        ["events that are lists", dump("queue", "[1]\n"), otherVersion("[1]")],
    ];
    for (const [what, content, said] of wrong) {
        it(`refuses ${what}`, () => {
            const result = check(content);
            assert.equal(result.status, 65);
            assert.match(result.said, typeof said === "string" ? exactly(said) : said);
        });
    }

    it("refuses a dump that is cut off at any length", () => {
        const lengths = [1, 2, 5, 10, 11, 100, whole.length - 9, whole.length - 8, whole.length - 1];
        const more = Array.from({ length: 50 }, (_, index) => Math.ceil((whole.length * (index + 1)) / 51));
        const paths = [...lengths, ...more].map((length) => join(folder, `cut-${length}`));
        paths.forEach((path) => writeFileSync(path, whole.subarray(0, Number(path.split("-").at(-1)))));
        const script =
            "import sys; sys.path.insert(0, sys.argv[1]); import archive; print(set(map(archive.main, sys.argv[2:])))";
        const { stdout, stderr } = spawnSync("python3", ["-Bc", script, dirname(SCRIPT), ...paths], {
            encoding: "utf8",
        });
        assert.deepEqual([stdout, stderr], ["{(65, 'is cut off')}\n", ""]);
    });

    it("exits with another code for a file that can't be read than for a damaged one", () => {
        assert.deepEqual(checkFile(join(folder, "none.tgz")), { status: 74, said: "No such file or directory\n" });
        assert.deepEqual(checkFile(folder), { status: 74, said: "Is a directory\n" });
    });

    it("needs no more memory for a large archive than for a small one", () => {
        const peak = (size: number) => {
            writeFileSync(join(folder, "content.tgz"), dump("x".repeat(size)));
            const script = `import resource, runpy, sys\nsys.argv[:] = sys.argv[1:]\ntry:\n    runpy.run_path(sys.argv[0], run_name="__main__")\nexcept SystemExit as end:\n    print(end.code, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)`;
            const { stdout } = spawnSync("python3", ["-c", script, SCRIPT, join(folder, "content.tgz")], {
                encoding: "utf8",
            });
            const [code, kilobytes] = stdout.split(" ").map(Number);
            assert.equal(code, 0);
            return kilobytes;
        };
        assert.ok(peak(100_000_000) < peak(1000) + 20_000);
    });
});

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import {
    cpSync,
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
import { dirname, join } from "node:path";
import { Transform } from "node:stream";

import { RESULTS_OFFER } from "../../../../provider/contract/paths";
import type { RunThere } from "../../../../provider/copy/far";
import { fetchResults } from "../../../../provider/results/fetch";
import { farShell } from "../../support/farShell";

const sumOf = (text: string) => createHash("sha256").update(text, "latin1").digest("hex");

describe("a fetch of results", () => {
    let work: string;
    let to: string;

    beforeEach(() => {
        work = mkdtempSync(join(tmpdir(), "results-"));
        to = join(work, "here/results/mc");
    });
    afterEach(() => rmSync(work, { recursive: true }));

    /** What the pod offers: the list, and a link to each file. */
    function offer(files: Readonly<Record<string, string>>, listed = files) {
        rmSync(join(work, "offer"), { recursive: true, force: true });
        for (const [path, text] of Object.entries(files)) {
            const link = join(work, "offer/files", path);
            mkdirSync(dirname(link), { recursive: true });
            const place = join(work, `file-${sumOf(text)}`);
            writeFileSync(place, text);
            symlinkSync(place, link);
        }
        const lines = Object.entries(listed).map(([path, text]) => `${sumOf(text)} ${text.length} 0 ${path}\n`);
        writeFileSync(join(work, "offer/list"), lines.join(""));
        const bytes = Object.values(listed).join("").length;
        const sha256 = sumOf(lines.join(""));
        return { state: "waits", exitCode: 0, count: lines.length, bytes, until: 0, sha256 } as const;
    }

    /** Runs a pod's part here, with a folder in place of its offer. */
    const runIn =
        (folder: string): RunThere =>
        (streams) => {
            const elsewhere = new Transform({
                transform: (chunk: Buffer, _encoding, done) =>
                    done(null, chunk.toString().replaceAll(RESULTS_OFFER, join(work, folder))),
            });
            streams.stdin.pipe(elsewhere);
            return farShell(work)({ ...streams, stdin: elsewhere });
        };
    const run = runIn("offer");

    const fetch = (mark: ReturnType<typeof offer>, more: Partial<Parameters<typeof fetchResults>[0]> = {}) =>
        fetchResults({
            podOf: () => ({ name: "mc-0", run }),
            ofAllRanks: false,
            offer: RESULTS_OFFER,
            mark,
            to,
            watch: { moved: () => {}, starts: () => {} },
            signal: new AbortController().signal,
            ...more,
        });

    const here = () => readdirSync(join(work, "here/results"), { recursive: true, encoding: "utf8" }).sort();

    it("makes the folder, and replaces an older one as a whole", async () => {
        const files = await fetch(offer({ "out/a": "first", "b c": "" }));
        assert.deepEqual(
            files.map(({ bytes, bytesOfPath }) => [bytesOfPath, bytes]),
            [
                ["out/a", 5],
                ["b c", 0],
            ],
        );
        assert.deepEqual(here(), ["mc", "mc/b c", "mc/out", "mc/out/a"]);
        await fetch(offer({ "out/a": "second" }));
        assert.deepEqual(here(), ["mc", "mc/out", "mc/out/a"]);
        assert.equal(readFileSync(join(to, "out/a"), "utf8"), "second");
    });

    it("takes the list from the lead, and the files from the one rank that has them", async () => {
        const mark = offer({ "out/a": "of rank 2" });
        const text = readFileSync(join(work, "offer/list"), "latin1").replace(/ 0 out/, " 2 out");
        // The lead offers no file.
        cpSync(join(work, "offer"), join(work, "offer-2"), { recursive: true, verbatimSymlinks: true });
        rmSync(join(work, "offer/files/out"), { recursive: true });
        writeFileSync(join(work, "offer/list"), text);
        const asked: number[] = [];
        const podOf = (rank: number) => {
            asked.push(rank);
            return { name: `mc-${rank}`, run: rank === 0 ? run : runIn(`offer-${rank}`) };
        };
        await fetch({ ...mark, sha256: sumOf(text) }, { podOf });
        assert.deepEqual(
            [asked, here()],
            [
                [0, 2],
                ["mc", "mc/out", "mc/out/a"],
            ],
        );
        assert.equal(readFileSync(join(to, "out/a"), "utf8"), "of rank 2");
    });

    for (const [what, files, message] of [
        ["another content than the list says", { "out/a": "other" }, /^"out\/a" has changed since it was listed/],
        ["another size", { "out/a": "longer text" }, /^"out\/a" has changed since it was listed/],
        ["fewer files", { b: "b" }, /^"out\/a" has changed since it was listed/],
    ] as [string, Record<string, string>, RegExp][]) {
        it(`is refused with ${what}, and the older folder stays`, async () => {
            await fetch(offer({ "out/a": "first" }));
            await assert.rejects(fetch(offer(files, { "out/a": "right" })), ({ message: said }: Error) =>
                message.test(said),
            );
            assert.deepEqual(here(), ["mc", "mc/out", "mc/out/a"]);
            assert.equal(readFileSync(join(to, "out/a"), "utf8"), "first");
        });
    }

    it("is refused with another list than that of the log", async () => {
        const mark = offer({ a: "a" });
        await assert.rejects(
            fetch({ ...mark, sha256: sumOf("x") }),
            /^Error: the list of the results has come with another/,
        );
        assert.deepEqual(here(), []);
    });

    it("leaves nothing when its connection breaks or it is cancelled", async () => {
        const mark = offer({ "out/big": "x".repeat(3_000_000) });
        for (const reason of ["the connection broke", "the update was cancelled"]) {
            const stop = new AbortController();
            const watch = { moved: () => stop.abort(new Error(reason)), starts: () => {} };
            await assert.rejects(fetch(mark, { watch, signal: stop.signal }), new RegExp(reason));
            assert.deepEqual(here(), []);
            assert.ok(!existsSync(to));
        }
    });
});

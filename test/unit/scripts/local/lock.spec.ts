import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { withLock } from "../../../../scripts/local/lock";
import { identify, isAlive } from "../../../../scripts/local/processes";
import { sleep } from "../../../../scripts/local/run";

describe("withLock", () => {
    const folder = mkdtempSync(join(tmpdir(), "flux-minicluster-"));
    const lock = join(folder, "lock");
    after(() => rmSync(folder, { recursive: true }));

    it("runs one function at a time", async () => {
        let inside = 0;
        const work = async (): Promise<void> => {
            inside++;
            assert.equal(inside, 1);
            await sleep(10);
            inside--;
        };
        await Promise.all([withLock(lock, "work", work), withLock(lock, "work", work), withLock(lock, "work", work)]);
    });

    it("releases the lock after a failure", async () => {
        await assert.rejects(
            withLock(lock, "work", () => Promise.reject(new Error("broken"))),
            /broken/,
        );
        assert.equal(await withLock(lock, "work", async () => "done"), "done");
    });

    it("takes the lock over from a dead process, even if its process id is in use again", async () => {
        writeFileSync(lock, JSON.stringify({ pid: process.pid, startTime: "1" }));
        assert.equal(await withLock(lock, "work", async () => "done"), "done");
    });
});

describe("a process's identity", () => {
    it("differs from that of another process with the same process id", () => {
        const self = identify(process.pid);
        assert(self !== undefined && isAlive(self));
        assert(!isAlive({ pid: process.pid, startTime: "1" }));
    });
});

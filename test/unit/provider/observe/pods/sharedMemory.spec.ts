import assert from "node:assert/strict";

import { sharedMemoryHint } from "../../../../../provider/observe/pods/sharedMemory";

describe("sharedMemoryHint", () => {
    for (const [cause, output] of [
        ["The command ended with exit code 135.", ""],
        ["exit code 1", "dd: error writing '/dev/shm/x': No space left on device\n"],
        ["exit code 1", "RuntimeError: unable to write to file </torch_123>: No space left on device (28), shm\nbye\n"],
        ["exit code 1", "flux-job: task(s) Bus error\n"],
        ["exit code 1", "bash: line 1: 17 Bus error (core dumped) ./a\n"],
    ]) {
        it(`names the argument after ${JSON.stringify([cause, output])}`, () => {
            assert.match(sharedMemoryHint(cause, output), /Its size is sharedMemory/);
        });
    }

    for (const [cause, output] of [
        ["exit code 1", "cp: /data/x: No space left on device\n"],
        ["exit code 1355", "a school bus, errors\nshm\n"],
        ["exit code 139", "shm is fine\n"],
        ["exit code 1", `Bus error\n${"line\n".repeat(60)}`],
    ]) {
        it(`says nothing after ${JSON.stringify([cause, output]).slice(0, 60)}`, () => {
            assert.equal(sharedMemoryHint(cause, output), "");
        });
    }
});

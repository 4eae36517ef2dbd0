import assert from "node:assert/strict";

import { Stall } from "../../../../provider/kubernetes/stall";

describe("Stall", () => {
    const never = new AbortController().signal;

    it("lasts so long if nothing happens, and as long again", async () => {
        const stall = new Stall();
        for (const time of [1, 2]) {
            const begun = performance.now();
            await stall.lasts(30, never);
            assert(performance.now() - begun >= 29, `time ${time}`);
        }
    });

    it("begins again with each thing that happens", async () => {
        const stall = new Stall();
        let last = 0;
        const timer = setInterval(() => {
            stall.end();
            last = performance.now();
        }, 5);
        setTimeout(() => clearInterval(timer), 80);
        await stall.lasts(40, never);
        assert(performance.now() - last >= 39);
    });

    it("ends when the signal aborts", async () => {
        await new Stall().lasts(2 ** 31 - 1, AbortSignal.timeout(10));
    });
});

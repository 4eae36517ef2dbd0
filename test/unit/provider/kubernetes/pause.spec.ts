import assert from "node:assert/strict";
import { mock } from "node:test";

import { pause, withGrace } from "../../../../provider/kubernetes/pause";

describe("withGrace", () => {
    beforeEach(() => mock.timers.enable({ apis: ["setTimeout"] }));
    afterEach(() => mock.timers.reset());

    it("aborts its work some time after the signal, with the same reason", async () => {
        const stop = new AbortController();
        const doing = withGrace(stop.signal, 3000, (late) => {
            return new Promise((_resolve, reject) =>
                late.addEventListener("abort", () => reject(late.reason as Error)),
            );
        });
        stop.abort(new Error("cancelled"));
        mock.timers.tick(2999);
        const first = await Promise.race([doing.catch(() => "aborted"), Promise.resolve().then(() => "goes on")]);
        assert.equal(first, "goes on");
        mock.timers.tick(1);
        await assert.rejects(doing, { message: "cancelled" });
    });

    it("returns the result of work that ends in the meantime", async () => {
        const stop = new AbortController();
        const doing = withGrace(stop.signal, 3000, () => Promise.resolve("done"));
        stop.abort(new Error("cancelled"));
        assert.equal(await doing, "done");
    });

    it("aborts its work in time after a signal that came before", async () => {
        const signal = AbortSignal.abort(new Error("cancelled"));
        const doing = withGrace(signal, 3000, (late) => {
            return new Promise((_resolve, reject) =>
                late.addEventListener("abort", () => reject(late.reason as Error)),
            );
        });
        mock.timers.tick(3000);
        await assert.rejects(doing, { message: "cancelled" });
    });
});

describe("pause", () => {
    it("is over at once if the signal came before", () => pause(1e9, AbortSignal.abort()));
});

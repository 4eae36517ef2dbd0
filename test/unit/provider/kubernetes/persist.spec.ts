import assert from "node:assert/strict";

import { persist, type Persistence, type Tries } from "../../../../provider/kubernetes/persist";

describe("persist", () => {
    let told: unknown[];
    const how = (patience: number): Persistence => ({
        patience,
        pause: 0,
        isPassing: (error) => error === "passing",
        tell: (error) => told.push(error),
    });

    beforeEach(() => (told = []));

    /** An attempt that fails with each of these, or returns a value. */
    function attempts(...results: readonly (number | string | undefined)[]) {
        const left = [...results];
        return async (): Promise<number | undefined> => {
            const result = left.shift();
            if (typeof result === "string") {
                // eslint-disable-next-line typescript/only-throw-error
                throw result;
            }
            return result;
        };
    }

    it("repeats an attempt that returns nothing, or fails with an error that may pass", async () => {
        assert.equal(await persist(attempts(undefined, "passing", undefined, 0), how(60_000)), 0);
        assert.deepEqual(told, ["passing"]);
    });

    it("pauses as long as the server asks for, but not for ever", async () => {
        const { setTimeout } = globalThis;
        const waits: unknown[] = [];
        globalThis.setTimeout = ((act: () => void, wait: number) => {
            waits.push(wait);
            return setTimeout(act, 0);
        }) as typeof setTimeout;
        try {
            const busy = (seconds: string) =>
                Object.assign(new Error("busy"), { code: 429, headers: { "retry-after": seconds } });
            const errors = [busy("7"), busy("86400"), Object.assign(new Error("away"), { code: 503 })];
            const attempt = async () => {
                const error = errors.shift();
                if (error !== undefined) {
                    throw error;
                }
                return 0;
            };
            await persist(attempt, { ...how(60_000), pause: 20, isPassing: () => true });
        } finally {
            globalThis.setTimeout = setTimeout;
        }
        assert.deepEqual(waits, [7000, 30_000, 20]);
    });

    it("ends with another error", async () => {
        await assert.rejects(persist(attempts("passing", "lasting"), how(60_000)), (error) => error === "lasting");
    });

    describe("by a clock that only the attempts set", () => {
        const { now } = Date;
        let time: number;

        beforeEach(() => {
            time = 1000;
            Date.now = () => time;
        });

        afterEach(() => (Date.now = now));

        it("ends with an error that may pass after its time without an answer", async () => {
            const left: number[] = [];
            const attempt = async (tries: Tries) => {
                left.push(tries.left());
                time += 50_000;
                return attempts("passing")();
            };
            await assert.rejects(persist(attempt, how(120_000)), (error) => error === "passing");
            assert.deepEqual([left, told.length], [[120, 70, 20], 2]);
        });

        it("has its whole time again from the first error after an answer", async () => {
            const left: number[] = [];
            const attempt = async (tries: Tries) => {
                time += 100_000;
                left.push(tries.left());
                tries.answered();
                return attempts(left.length < 4 ? "passing" : left.length)();
            };
            assert.equal(await persist(attempt, how(120_000)), 4);
            assert.deepEqual(left, [20, 20, 20, 20]);
        });
    });
});

import assert from "node:assert/strict";
import { mock } from "node:test";

import { ProgressReport } from "../../../../provider/jobStatus/progressReport";
import { Throttle } from "../../../../provider/jobStatus/throttle";

describe("Throttle", () => {
    let throttle: Throttle;
    /** Milliseconds. */
    let clock: number;

    beforeEach(() => {
        clock = 0;
        mock.timers.enable({ apis: ["Date", "setTimeout"] });
        mock.method(performance, "now", () => clock);
    });
    afterEach(() => {
        throttle.end();
        mock.timers.reset();
        mock.restoreAll();
    });

    function pass(milliseconds: number): void {
        clock += milliseconds;
        mock.timers.tick(milliseconds);
    }

    it("looks at once, and combines the changes that come while looks take long", () => {
        let count = 0;
        let changes = 0;
        let seen = 0;
        throttle = new Throttle(() => {
            count += 1;
            seen = changes;
            clock += 5;
            return undefined;
        });
        for (; changes < 1000; changes += 1) {
            throttle.soon();
            assert(changes > 0 || count === 1);
        }
        pass(200);
        assert.equal(seen, 1000);
        assert(count <= 4, `${count} looks at 1000 changes`);
    });

    it("looks again at the time that a look has asked for, without a change", () => {
        let count = 0;
        throttle = new Throttle(() => (++count === 1 ? Date.now() + 20 : undefined));
        throttle.soon();
        pass(100);
        assert.equal(count, 2);
    });

    it("doesn't look after its end", () => {
        let count = 0;
        throttle = new Throttle(() => {
            count += 1;
            return Date.now() + 20;
        });
        throttle.soon();
        throttle.end();
        pass(60);
        assert.equal(count, 1);
    });
});

describe("ProgressReport", () => {
    const said: string[] = [];
    beforeEach(() => said.splice(0));

    it("have a pause between them if there are many pods, except before the last one", () => {
        const progress = new ProgressReport((line) => said.push(line), 60_000);
        assert.equal(progress.say("1/60000", false), undefined);
        const again = progress.say("2/60000", false);
        assert(again !== undefined && again > Date.now());
        progress.say("ready", true);
        assert.deepEqual(said, ["1/60000", "ready"]);
    });

    it("are repeated after another message", () => {
        const progress = new ProgressReport((line) => said.push(line), 0);
        progress.say("1/2", false);
        progress.say("1/2", false);
        progress.interject("the API server does not answer");
        progress.say("1/2", false);
        assert.deepEqual(said, ["1/2", "the API server does not answer", "1/2"]);
    });
});

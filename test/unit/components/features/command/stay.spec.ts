import assert from "node:assert/strict";

import { isAlive, processesWith } from "../../../support/processes";
import { Sandbox } from "../../../support/sandbox";

describe("stay.sh", () => {
    let pod: Sandbox;

    beforeEach(() => (pod = new Sandbox({ command: [] })));
    afterEach(() => {
        processesWith(`SANDBOX=${pod.root}`).forEach((pid) => process.kill(pid, "SIGKILL"));
        pod.remove();
    });

    it("marks the quorum for the pod's end, and the pod as ready", async () => {
        pod.start("stay");
        await pod.until(() => pod.has("run/flux/ready"), "its start");
        assert.ok(pod.has("run/flux/quorum"));
    });

    for (const [signal, code, isShutdown] of [
        ["SIGHUP", 0, true],
        ["SIGTERM", 143, false],
    ] as const) {
        it(`exits with ${code} at ${signal}, and ends all processes that it has started`, async () => {
            const running = pod.start("stay");
            await pod.until(() => processesWith(`SANDBOX=${pod.root}`).length > 1, "what it waits for");
            const before = processesWith(`SANDBOX=${pod.root}`);
            running.signal(signal);
            assert.equal((await running.ended).code, code);
            assert.equal(pod.has("run/flux/shutdown"), isShutdown);
            await pod.until(() => !before.some(isAlive), "the end of all");
        });
    }
});

import assert from "node:assert/strict";

import { withInstance } from "./support/instance";
import { isStandin } from "./support/root";

/** A task that says all the time that it lives, and goes on when it is asked to end. */
const stubborn = (file: string): string => `trap "" TERM; while :; do echo >> ${file}; sleep 0.1; done`;

describe("tasks", function() {
    this.timeout(120_000);
    const instance = withInstance({ size: 2 });

    it("outlive a broker that is killed", async () => {
        const beats = instance().path("beats");
        const line = `"$@" & broker=$!; until [ -s ${beats} ]; do sleep 0.1; done; kill -9 $broker; wait $broker; ${counted(beats)}`;
        const lead = await instance().shell(0, line, ["-Sbroker.quorum=1", "flux", "run", "sh", "-c", stubborn(beats)]);
        await lead.says(/^lives on$/m);
    });

    it("outlive a broker that leaves in order, if they ignore SIGTERM", async () => {
        const beats = instance().path("beats");
        const lead = await instance().broker(0, ["bash", "-c", `flux run --requires=rank:1 sh -c '${stubborn(beats)}'`]);
        const follower = await instance().shell(1, `"$@" & broker=$!; echo $broker > ${instance().path("pid")}; wait $broker; echo broker $?; ${counted(beats)}`);
        await instance().read("beats");
        // The shell is process 1 there, and so the signal has to come from within.
        await instance().flux("exec", "-r", "1", "sh", "-c", `kill -TERM $(cat ${instance().path("pid")})`);
        await follower.says(/^broker 0\n[^]*^lives on$/m);
        lead.kill("SIGKILL");
    });

    it("get SIGTERM when their broker leaves in order", async () => {
        const lead = await instance().broker(0, ["sleep", "1000"]);
        const follower = await instance().broker(1);
        await lead.says(/quorum->run/);
        const task = `trap "echo > ${instance().path("asked")}; exit 0" TERM; echo > ${instance().path("runs")}; while :; do sleep 0.1; done`;
        await instance().flux("submit", "--requires=rank:1", "sh", "-c", task);
        await instance().read("runs");
        follower.kill("SIGTERM");
        await instance().read("asked");
        assert.equal((await follower.ended).code, 0);
    });

    if (!isStandin) {
        // The stand-in's broker starts tasks itself.
        it("outlive their shell that is killed, and their job doesn't", async () => {
            const beats = instance().path("beats");
            const lead = await instance().broker(0, ["-Sbroker.quorum=1", "bash", "-c", `flux run sh -c '${stubborn(beats)}'; echo job $?; ${counted(beats)}`]);
            await instance().read("beats");
            await instance().flux("exec", "-r", "0", "sh", "-c", 'for it in /proc/[0-9]*; do [ "$(cat $it/comm)" != flux-shell ] || kill -9 ${it#/proc/}; done');
            await lead.says(/^job \d+\nlives on$/m);
        });
    }

    /** Prints that a file grows, when it has grown by twenty lines. */
    function counted(file: string): string {
        return `had=$(wc -l < ${file}); until [ $(wc -l < ${file}) -gt $((had + 20)) ]; do sleep 0.1; done; echo lives on; sleep 1000`;
    }
});

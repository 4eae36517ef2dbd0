import assert from "node:assert/strict";

import { withInstance } from "./support/instance";
import { isStandin } from "./support/root";

/** A task that writes a line every 0.1 s and ignores SIGTERM. */
const stubborn = (file: string): string => `trap "" TERM; while :; do echo >> ${file}; sleep 0.1; done`;

describe("task", function () {
    this.timeout(120_000);
    const instance = withInstance({ size: 2 });

    it("outlives a killed broker", async () => {
        const beats = instance().path("beats");
        const line = `"$@" & broker=$!; until [ -s ${beats} ]; do sleep 0.1; done; kill -9 $broker; wait $broker; ${counted(beats)}`;
        const lead = await instance().shell(0, line, ["-Sbroker.quorum=1", "flux", "run", "sh", "-c", stubborn(beats)]);
        await lead.says(/^lives on$/m);
    });

    it("ends with a broker that leaves in order, even if it ignores SIGTERM", async () => {
        const beats = instance().path("beats");
        const lead = await instance().broker(0, [
            "bash",
            "-c",
            `flux run --requires=rank:1 sh -c '${stubborn(beats)}'; echo job $?`,
        ]);
        const alive = "grep -lsz ^FLUX_JOB_ID= /proc/[0-9]*/environ";
        const follower = await instance().shell(
            1,
            `"$@" & broker=$!; echo $broker > ${instance().path("pid")}; wait $broker; echo broker $?; while ${alive}; do sleep 0.1; done; echo all gone; sleep 1000`,
        );
        await instance().read("beats");
        // The shell is process 1 of its namespace, so the signal must come from inside.
        await instance().flux("exec", "-r", "1", "sh", "-c", `kill -TERM $(cat ${instance().path("pid")})`);
        await follower.says(/^broker 0\n[^]*^all gone$/m);
        await lead.says(/^job 1$/m);
        assert.match(lead.stderr, /type=exec severity=0 flux_job_event_watch_get: Function not implemented/);
    });

    if (!isStandin) {
        // The stand-in's broker starts tasks itself.
        it("outlives its killed shell, unlike its job", async () => {
            const beats = instance().path("beats");
            const lead = await instance().broker(0, [
                "-Sbroker.quorum=1",
                "bash",
                "-c",
                `flux run sh -c '${stubborn(beats)}'; echo job $?; ${counted(beats)}`,
            ]);
            await instance().read("beats");
            await instance().flux(
                "exec",
                "-r",
                "0",
                "sh",
                "-c",
                'for it in /proc/[0-9]*; do [ "$(cat $it/comm)" != flux-shell ] || kill -9 ${it#/proc/}; done',
            );
            await lead.says(/^job \d+\nlives on$/m);
        });
    }

    /** Shell code that prints "lives on" when a file has grown by twenty lines. */
    function counted(file: string): string {
        return `had=$(wc -l < ${file}); until [ $(wc -l < ${file}) -gt $((had + 20)) ]; do sleep 0.1; done; echo lives on; sleep 1000`;
    }
});

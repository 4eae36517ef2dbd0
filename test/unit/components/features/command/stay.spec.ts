import assert from "node:assert/strict";

import { hasChild, isAlive, killProcessesWith, processesWith } from "../../../support/processes";
import { Sandbox } from "../../../support/sandbox";

describe("stay.sh", () => {
    let pod: Sandbox;

    beforeEach(() => (pod = new Sandbox({ command: [] })));
    afterEach(() => {
        killProcessesWith(`SANDBOX=${pod.root}`);
        pod.remove();
    });

    it("marks the quorum for the pod's end, and the pod as ready", async () => {
        pod.start("stay");
        await pod.until(() => pod.has("run/flux/ready"), "its start");
        assert.ok(pod.has("run/flux/quorum"));
    });

    /** Answers dmesg with a last line, and setattr with an exit code. */
    const log = (line: string, code = 0) => `
[[ $1 != setattr ]] || exit ${code}
[[ $1 != dmesg ]] || printf '%s\\n' '2026-01-02T03:04:05.678Z broker.info[0]: quorum-full: quorum->run 1.2s' '${line}'`;
    const moment = "2026-01-02T03:05:05.678Z";

    async function hangUp(stub: string): Promise<void> {
        const running = pod.start("stay", [], { FLUX_STUB: stub });
        await pod.until(() => hasChild(running.pid, "sleep"), "what it waits for");
        const before = processesWith(`SANDBOX=${pod.root}`);
        running.signal("SIGHUP");
        assert.equal((await running.ended).code, 0);
        await pod.until(() => !before.some(isAlive), "the end of all");
    }

    for (const [what, line] of [
        ["no module has failed", `${moment} broker.info[0]: online: mc-0 (ranks 0)`],
        ["a job writes about failures", `${moment} logger.notice[0]: a module runtime failure`],
        [
            "a job writes down the log of another broker",
            `${moment} logger.notice[0]: ${moment} broker.crit[0]: x module runtime failure`,
        ],
    ] as const) {
        it(`marks a shutdown at SIGHUP if ${what}, and ends all its processes`, async () => {
            await hangUp(log(line));
            assert.deepEqual([pod.has("run/flux/shutdown"), pod.has("run/flux/failure")], [true, false]);
            assert.deepEqual(pod.calls, [
                ["flux", "setattr", "broker.module-nopanic", "1"],
                ["flux", "dmesg"],
            ]);
        });
    }

    it("notes the module that has failed, and no shutdown", async () => {
        await hangUp(log(`${moment} broker.crit[0]: sched-simple module runtime failure`));
        assert.equal(pod.read("run/flux/failure"), "sched-simple module runtime failure\n");
        assert.ok(!pod.has("run/flux/shutdown"));
    });

    for (const [what, stub] of [
        ["doesn't take the attribute", log("", 1)],
        ["doesn't show its log", "[[ $1 != dmesg ]]"],
    ] as const) {
        it(`marks no shutdown if the broker ${what}`, async () => {
            await hangUp(stub);
            assert.ok(!pod.has("run/flux/shutdown"));
        });
    }

    it("asks nothing if the pod was told to stop, as its exit code is known", async () => {
        pod.write("run/flux/stopped", "yes\n");
        await hangUp("");
        assert.deepEqual([pod.calls, pod.has("run/flux/shutdown")], [[], false]);
    });

    it("lives on if a job kills its child or signals it", async () => {
        const running = pod.start("stay");
        await pod.until(() => hasChild(running.pid, "sleep"), "what it waits for");
        const [first] = processesWith(`SANDBOX=${pod.root}`).filter((pid) => pid !== running.pid);
        running.signal("SIGTERM");
        running.signal("SIGINT");
        process.kill(first, "SIGTERM");
        await pod.until(() => !isAlive(first) && hasChild(running.pid, "sleep"), "another child");
        running.signal("SIGHUP");
        assert.equal((await running.ended).code, 0);
    });

    it("ends with the exit code of a RESTful server that fails before it answers, and restarts it later", async () => {
        pod.write("etc/flux-minicluster/restful.sh", 'echo x >>"$SANDBOX/served"; exit 7\n');
        assert.equal((await pod.run("stay")).code, 7);
        assert.equal(pod.read("served"), "x\n");
        pod.write(
            "etc/flux-minicluster/restful.sh",
            ': >"$MINICLUSTER_RUN/ready"; echo x >>"$SANDBOX/served"; exit 7\n',
        );
        const running = pod.start("stay");
        await pod.until(() => pod.read("served") === "x\nx\nx\n", "another server");
        running.signal("SIGHUP");
        assert.equal((await running.ended).code, 0);
    });

    it("restarts the dumps of the archive if a job ends them, until another pod has claimed the archive", async () => {
        pod.write(
            "etc/flux-minicluster/archive.sh",
            `
echo x >>"$SANDBOX/dumps"; [[ $(wc -l <"$SANDBOX/dumps") == 3 ]] || kill -s TERM $$; : >"$SANDBOX/over"\n`,
        );
        const running = pod.start("stay", [], { MINICLUSTER_ARCHIVE_PERIOD: "1" });
        await pod.until(() => pod.has("over"), "the third start");
        running.signal("SIGHUP");
        assert.equal((await running.ended).code, 0);
        assert.equal(pod.read("dumps"), "x\nx\nx\n");
    });
});

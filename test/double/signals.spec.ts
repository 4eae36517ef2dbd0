import assert from "node:assert/strict";

import { withInstance, type Instance } from "./support/instance";
import { fluxMinor, HAS_MODPROBE } from "./support/version";

/** Number of tries. The modules load within some milliseconds, so a try may send no signal meanwhile. */
const TRIES = 20;

describe("SIGTERM", function () {
    this.timeout(120_000);
    const instance = withInstance({ size: 1 });

    it("is ignored while the built-in modules load", async () => {
        // The broker starts with SIGTERM ignored, so the signal has no effect until the broker installs its handler.
        const flood = "trap '' TERM; \"$@\" & broker=$!; while kill -TERM $broker; do :; done 2>/dev/null";
        for (let tries = 1; ; tries++) {
            const broker = await instance().shell(0, flood, ["true"]);
            const { stderr } = await broker.ended;
            if (/ignored signal 15 in (load-builtins|none)\n[^]*->join /.test(stderr)) {
                return;
            }
            assert(tries !== TRIES, stderr);
        }
    });

    it("aborts rc1, and the broker ends with 129", async () => {
        const lead = await instance().broker(
            0,
            ["true"],
            rcScripts(instance(), 1, "echo waiting; while :; do sleep 0.1; done"),
        );
        await lead.says(/rc1\.0: waiting/);
        lead.kill("SIGTERM");
        assert.equal((await lead.ended).code, 129);
        assert.match(lead.stderr, /rc1-fail: init->shutdown/);
    });

    it("aborts rc3, and the broker fails", async () => {
        const lead = await instance().broker(
            0,
            ["true"],
            rcScripts(instance(), 3, "echo waiting; while :; do sleep 0.1; done"),
        );
        await lead.says(/rc3\.0: waiting/);
        lead.kill("SIGTERM");
        assert.notEqual((await lead.ended).code, 0);
        assert.match(lead.stderr, /rc3-fail: finalize->goodbye/);
    });

    it("aborts the clean-up when it comes a second time", async () => {
        const lead = await instance().broker(0, [
            "bash",
            "-c",
            "flux run sh -c 'trap \"\" TERM; echo runs; while :; do sleep 0.1; done'",
        ]);
        await lead.says(/^runs$/m);
        lead.kill("SIGTERM");
        await lead.says(/run->cleanup/);
        lead.kill("SIGTERM");
        assert.equal((await lead.ended).code, 129);
        assert.match(lead.stderr, /cleanup-fail: cleanup->shutdown/);
    });
});

describe("rc1", function () {
    this.timeout(120_000);
    const instance = withInstance({ size: 1 });

    it("ends the broker when it fails", async () => {
        const lead = await instance().broker(0, ["echo", "not reached"], rcScripts(instance(), 1, "exit 3"));
        const { code, stdout } = await lead.ended;
        // Before 0.77 rc1 is a shell script, which ends with the exit code of the failed command.
        assert.equal(code, (await fluxMinor()) < HAS_MODPROBE ? 3 : 1);
        assert.equal(stdout, "");
        assert.match(lead.stderr, /rc1-fail: init->shutdown/);
    });

    it("runs before the initial program, and rc3 runs after it", async () => {
        const folder = rcScripts(instance(), 1, "echo first");
        rcScripts(instance(), 3, "echo last");
        const lead = await instance().broker(0, ["flux", "version"], folder);
        assert.equal((await lead.ended).code, 0);
        assert.match(lead.stderr, /rc1\.0: first[^]*quorum->run[^]*rc3\.0: last/);
    });
});

/** Adds a script to rc1 or rc3. */
function rcScripts(instance: Instance, level: 1 | 3, line: string): Record<string, string> {
    instance.write(`extra/rc${level}.d/script`, `#!/bin/sh\n${line}\n`, 0o755);
    return { FLUX_RC_EXTRA: instance.path("extra") };
}

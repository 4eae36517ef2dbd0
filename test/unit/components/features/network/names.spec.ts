import assert from "node:assert/strict";

import { Network } from "../../../../../components/features/network/kind";
import { Sandbox } from "../../../support/sandbox";

describe("start-names.sh", () => {
    let pod: Sandbox;

    beforeEach(() => {
        pod = new Sandbox({ network: Network.Hosts }, 1);
        // The ninth pause ends the script.
        pod.write(
            "bin/sleep",
            '#!/bin/sh\necho "$1" >>"$SANDBOX/pauses"; [ "$(wc -l <"$SANDBOX/pauses")" -lt 9 ]\n',
            0o755,
        );
    });
    afterEach(() => pod.remove());

    it("restarts hosts.py when it ends, after growing pauses of up to 30 s, and reports each restart", async () => {
        const { code, stderr } = await pod.run("start-names", [], { FLUX_STUB: "echo ready; exit 3" });
        assert.equal(code, 0);
        const pauses = [1, 2, 4, 8, 16, 30, 30, 30, 30];
        assert.equal(pod.read("pauses"), pauses.map((seconds) => `${seconds}\n`).join(""));
        const said = (seconds: number) =>
            `minicluster: hosts.py has ended, and is restarted in ${seconds} s; until then no new address is known here\n`;
        assert.equal(stderr, pauses.map(said).join(""));
        assert.deepEqual(
            pod.calls,
            pauses.map(() => ["flux", "python", pod.path("etc/flux-minicluster/hosts.py")]),
        );
    });

    it("lets the broker start when the names of a quorum are known", async () => {
        const running = pod.start("start-names", [], {
            FLUX_STUB: "echo ready; until [[ -e $SANDBOX/end ]]; do /bin/sleep 0.05; done",
        });
        assert.equal(await running.exit, 0);
        assert.ok(!pod.has("pauses"));
        pod.write("end", "");
        await running.ended;
    });

    it("ends the pod if hosts.py can't run at all", async () => {
        const { code } = await pod.run("start-names", [], { FLUX_STUB: "exit 127" });
        assert.equal(code, 78);
        assert.equal(
            pod.read("dev/termination-log"),
            "minicluster.error=the addresses of the ranks are unknown: hosts.py has failed, see the log of this pod\n",
        );
        assert.ok(!pod.has("pauses"));
    });

    it("tells why flux python can't run", async () => {
        await pod.run("start-names", [], { FLUX_STUB: "echo 'no python3.11' >&2; exit 127" });
        assert.equal(
            pod.read("dev/termination-log"),
            "minicluster.error=the addresses of the ranks are unknown: no python3.11\n",
        );
    });
});

import assert from "node:assert/strict";

import { fluxContainer } from "../../../../../components/pod/container";
import { Sandbox } from "../../../support/sandbox";
import { makeSpec } from "../../../support/spec";

describe("ready.sh", () => {
    let pod: Sandbox;

    afterEach(() => pod.remove());

    it("waits on the lead until its initial program has started", async () => {
        pod = new Sandbox({}, 0);
        const running = pod.run("ready");
        pod.write("run/flux/ready", "");
        assert.equal((await running).code, 0);
        assert.deepEqual(pod.calls, []);
    });

    it("asks a follower's broker whether it has joined", async () => {
        pod = new Sandbox({}, 2);
        assert.deepEqual(await pod.run("ready", [], { FLUX_STUB: "echo pong; exit 0" }), {
            code: 0,
            stdout: "",
            stderr: "",
        });
        assert.deepEqual(pod.calls, [["flux", "ping", "--count=1", "--rank=2", "job-ingest"]]);
    });

    it("sets the given log level of a follower's broker when it has joined, and not before", async () => {
        pod = new Sandbox({ broker: { logLevel: 1 } }, 2);
        const second = '[[ $1 != ping || -e $SANDBOX/asked ]] || { : >"$SANDBOX/asked"; exit 1; }';
        assert.equal((await pod.run("ready", [], { FLUX_STUB: second })).code, 0);
        assert.deepEqual(pod.calls.slice(2), [["flux", "setattr", "log-stderr-level", "1"]]);
    });

    it("finds Flux where start.sh has found it, even if start.sh finds it later", async () => {
        pod = new Sandbox({}, 2);
        const brought = pod.read("bin/flux");
        pod.write("bin/flux", "#!/bin/sh\nexit 1\n", 0o755);
        pod.write("spack/bin/flux", brought, 0o755);
        pod.write(
            "bin/sleep",
            `#!/bin/sh\necho "export PATH='$SANDBOX/spack/bin:$PATH'" >"$MINICLUSTER_RUN/paths.env"\n`,
            0o755,
        );
        assert.equal((await pod.run("ready")).code, 0);
        assert.deepEqual(
            pod.calls.map(([, command]) => command),
            ["ping"],
        );
    });

    it("asks again until the follower has joined", async () => {
        pod = new Sandbox({}, 2);
        const second = '[[ -e $SANDBOX/asked ]] || { : >"$SANDBOX/asked"; echo no >&2; exit 1; }';
        assert.deepEqual(await pod.run("ready", [], { FLUX_STUB: second }), { code: 0, stdout: "", stderr: "" });
        assert.equal(pod.calls.length, 2);
    });

    it("fails before the kubelet's timeout ends it", async () => {
        pod = new Sandbox({}, 0);
        // The clock advances by ten seconds at each look.
        pod.write(
            "bin/date",
            '#!/bin/sh\necho x >>"$SANDBOX/looks"; echo $(($(wc -l <"$SANDBOX/looks") * 10))\n',
            0o755,
        );
        pod.write("bin/sleep", "#!/bin/sh\n", 0o755);
        assert.equal((await pod.run("ready")).code, 1);
        const longestLook = 5;
        const { timeoutSeconds } = fluxContainer(makeSpec(), []).startupProbe as { timeoutSeconds: number };
        assert.ok((pod.read("looks").length / 2) * 10 + longestLook < timeoutSeconds);
    });

    const log = (text: string) =>
        `case "$1 $2" in "kvs eventlog") printf '%s\\n' '${text}';; "resource drain") echo "2 the pod is leaving";; esac`;
    const drained = '1.0 drain idset="2" reason="the pod is leaving" overwrite=0';
    const undrains = () => pod.calls.filter((call) => call.includes("undrain"));

    it("undrains a rank that leave.sh has drained", async () => {
        pod = new Sandbox({ command: [] }, 2);
        assert.equal((await pod.run("ready", [], { FLUX_STUB: log(drained) })).code, 0);
        assert.deepEqual(undrains(), [["flux", "resource", "undrain", "2"]]);
    });

    it("doesn't undrain a rank that an administrator has drained, or another rank", async () => {
        for (const text of [
            '1.0 drain idset="2" reason="broken"',
            drained.replace('"2"', '"3"'),
            "",
            drained.replace('"2"', '"12"'),
        ]) {
            pod = new Sandbox({ command: [] }, 2);
            assert.equal((await pod.run("ready", [], { FLUX_STUB: log(text) })).code, 0);
            assert.deepEqual(undrains(), [], text);
            pod.remove();
        }
    });

    it("doesn't undrain a rank whose pod is leaving", async () => {
        pod = new Sandbox({ command: [] }, 2);
        await pod.run("leave");
        assert.equal((await pod.run("ready", [], { FLUX_STUB: log(drained) })).code, 0);
        assert.deepEqual(undrains(), []);
    });

    it("fails while the lead can't tell whether the rank has to be undrained", async () => {
        pod = new Sandbox({ command: [] }, 2);
        assert.equal((await pod.run("ready", [], { FLUX_STUB: "case $1 in kvs) exit 1;; esac" })).code, 1);
    });

    it("succeeds even if the rank can't be undrained", async () => {
        pod = new Sandbox({ command: [] }, 2);
        assert.equal(
            (await pod.run("ready", [], { FLUX_STUB: `${log(drained)}; case $2 in undrain) exit 1;; esac` })).code,
            0,
        );
    });
});

import assert from "node:assert/strict";

import { Sandbox } from "../../support/sandbox";

const version = (text: string) => ({ FLUX_STUB: `printf 'commands:    \\t\\t%s\\nlibflux-core:\\t\\t%s\\n' '${text}' '${text}'` });

describe("wait.sh", () => {
    let pod: Sandbox;

    beforeEach(() => {
        pod = new Sandbox();
        // What comes next only shows what it got.
        pod.write("etc/flux-minicluster/start.sh", `printf '<%s>' "$@"`);
    });

    afterEach(() => pod.remove());

    const words = ["sh", "-c", "echo $HOME '*'\n\n", "", " two  words ", "$(A)", '"'];

    it("becomes start.sh, with every word of the command as it was", async () => {
        const { code, stderr, stdout } = await pod.run("wait", words, version("0.88.0"));
        assert.deepEqual([code, stderr, stdout], [0, "", words.map((word) => `<${word}>`).join("")]);
        assert.equal(pod.has("dev/termination-log"), false);
    });

    it("keeps its process, so that signals arrive", async () => {
        pod.write("etc/flux-minicluster/start.sh", "echo $$");
        const running = pod.start("wait", [], version("0.88.0"));
        assert.equal((await running.ended).stdout.trim(), String(running.pid));
    });

    for (const good of ["0.72", "0.72.0", "0.88.1", "0.100.0", "1.0.0", "0.88.0-12-gabcdef", "2.3"]) {
        it(`takes flux-core ${good}`, async () => {
            assert.equal((await pod.run("wait", [], version(good))).code, 0);
        });
    }

    /** One line for people, the same for JobStatus, and the exit code of a configuration error. */
    async function missing(variables: Record<string, string>, expected: string): Promise<void> {
        const { code, stderr, stdout } = await pod.run("wait", words, variables);
        assert.deepEqual([code, stdout, stderr], [78, "", `minicluster: ${expected}\n`]);
        assert.equal(pod.read("dev/termination-log"), `error=${expected}\n`);
    }

    for (const old of ["0.71.9", "0.9", "0.0.1"]) {
        it(`refuses flux-core ${old}`, () =>
            missing(version(old), `the image has flux-core ${old}; at least 0.72 is needed`));
    }

    it("says that there is no bash", () =>
        missing({ PATH: pod.only("id") }, "the image has no bash; install bash in it"));

    it("says that there is no flux, and where it looked", () => {
        const path = pod.only("bash", "id");
        return missing({ PATH: path }, `the image has no flux on PATH (${path}); install flux-core in it`);
    });

    for (const [what, stub] of [["fails", "exit 1"], ["says something else", "echo flux-core: new"], ["says no number", "echo libflux-core: unknown"]]) {
        it(`says that it can't tell the version where flux ${what}`, () =>
            missing({ FLUX_STUB: stub }, "flux version does not say which flux-core this is; at least 0.72 is needed"));
    }

    it("says that there is no certificate", () => {
        const path = pod.path("etc/curve/none");
        return missing({ ...version("0.88.0"), MINICLUSTER_CERTIFICATE: path }, `there is no certificate at ${path}`);
    });

    it("says that a user may not read the certificate, and how to change that", async function () {
        if (process.getuid?.() !== 0) {
            this.skip();
        }
        const { spawnSync } = await import("node:child_process");
        spawnSync("chmod", ["-R", "a+rX", pod.root]);
        spawnSync("chmod", ["0777", pod.path("dev")]);
        spawnSync("chmod", ["0666", pod.path("calls")]);
        pod.write("calls", "", 0o666);
        pod.write("etc/curve/curve.cert", "the key", 0o400);
        const { status, stderr } = spawnSync("/bin/sh", [pod.path("etc/flux-minicluster/wait.sh")], {
            encoding: "utf8", uid: 1234, gid: 1234, env: { ...pod.variables, ...version("0.88.0") },
        });
        const expected = `user 1234 may not read ${pod.path("etc/curve/curve.cert")}; set podSecurityContext.fsGroup to a group of that user`;
        assert.deepEqual([status, stderr], [78, `minicluster: ${expected}\n`]);
    });

    it("is no less clear where the termination message can't be written", async () => {
        const { code, stderr } = await pod.run("wait", [], { ...version("0.1"), MINICLUSTER_TERMINATION_LOG: "/no/such/folder" });
        assert.deepEqual([code, stderr], [78, "minicluster: the image has flux-core 0.1; at least 0.72 is needed\n"]);
    });
});

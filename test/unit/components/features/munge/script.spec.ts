import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";

import { Sandbox } from "../../../support/sandbox";
import { scriptFile } from "../../../support/scriptFile";

const text = readFileSync(scriptFile("start-munge.sh"), "utf8");

describe("start-munge.sh", () => {
    let pod: Sandbox;

    beforeEach(() => {
        pod = new Sandbox({ munge: true });
        pod.variables.MINICLUSTER_MUNGE_KEY = pod.path("etc/munge/munge.key");
        pod.write("etc/flux-minicluster/start-munge.sh", text);
        pod.write("etc/munge/munge.key", "the munge key", 0o440);
    });
    afterEach(() => pod.remove());

    it("gives munged a copy of the key that only its user can read", async () => {
        pod.write("bin/munged", '#!/bin/bash\nprintf "%s\\n" "$@" >"$SANDBOX/words"\n', 0o755);
        assert.equal((await pod.run("start-munge")).code, 0);
        const copy = pod.path("run/flux/munge/munge.key");
        assert.ok(pod.read("words").split("\n").includes(`--key-file=${copy}`));
        assert.equal(pod.read("run/flux/munge/munge.key"), "the munge key");
        assert.equal(statSync(copy).mode & 0o777, 0o400);
        assert.equal((await pod.run("start-munge")).code, 0, "once more, in a container that was restarted");
    });

    it("ends the pod with munged's message if munged doesn't start", async () => {
        pod.write("bin/munged", "#!/bin/bash\necho 'munged: Error: Keyfile is insecure' >&2\nexit 1\n", 0o755);
        assert.equal((await pod.run("start-munge")).code, 78);
        assert.equal(
            pod.read("dev/termination-log"),
            "minicluster.error=munged does not start: munged: Error: Keyfile is insecure\n",
        );
    });

    it("does nothing in an image without munged", async () => {
        pod.variables.PATH = pod.only("bash");
        assert.deepEqual(await pod.run("start-munge"), { code: 0, stdout: "", stderr: "" });
    });
});

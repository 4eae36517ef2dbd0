import assert from "node:assert/strict";

import { Sandbox } from "../../../support/sandbox";

describe("metrics.sh", () => {
    let pod: Sandbox;

    beforeEach(() => (pod = new Sandbox({ metrics: {} })));
    afterEach(() => pod.remove());

    it("warns in one line of an image without Python, and leaves the cluster alone", async () => {
        pod.variables.PATH = pod.only("bash", "sleep");
        const stderr =
            "minicluster: metrics: the image has no Python 3.6 or later, so there are no metrics; " +
            "install python3, or remove metrics\n";
        assert.deepEqual(await pod.run("metrics", ["keep"]), { code: 0, stdout: "", stderr });
    });

    it("takes the image's Python if that of Flux doesn't work, and starts the server again", async () => {
        pod.write("bin/flux", "#!/bin/bash\nexit 1\n", 0o755);
        pod.write(
            "bin/python3",
            '#!/bin/bash\n[[ $1 == -c ]] || { echo "$FLUX_URI $*" >>"$SANDBOX/starts"; exit 3; }\n',
            0o755,
        );
        const running = pod.start("metrics", ["keep"]);
        await pod.until(() => running.stderr.includes("restarted in 2 s"), "the server has ended twice");
        const [first, second] = pod.read("starts").split("\n");
        assert.equal(
            first,
            `local://${pod.path("run/flux")}/broker/local -B ${pod.path("etc/flux-minicluster/metrics.py")}`,
        );
        assert.equal(second, first);
        assert.match(running.stderr, /^minicluster: metrics: the server ended with 3 and is restarted in 1 s\n/);
    });

    it("counts the restarts of the broker", async () => {
        for (const count of ["1\n", "2\n"]) {
            assert.deepEqual(await pod.run("metrics", ["count"]), { code: 0, stdout: "", stderr: "" });
            assert.equal(pod.read("run/flux/restarts"), count);
        }
    });
});

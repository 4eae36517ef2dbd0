import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

import { findingFlux } from "../../../../provider/contract/paths";
import { Sandbox } from "../../support/sandbox";

/** Shells that may be an image's /bin/sh. */
const SHELLS = ["/bin/dash", "/bin/bash"].filter((shell) => existsSync(shell));

describe("findingFlux", () => {
    let pod: Sandbox;

    beforeEach(() => {
        pod = new Sandbox();
        pod.write("brought/bin/flux", "#!/bin/sh\nprintf '<%s>' \"$@\"\n", 0o755);
    });

    afterEach(() => pod.remove());

    for (const shell of SHELLS) {
        /** Runs the command line with the pod's files in the sandbox. */
        const run = (variables: Record<string, string> = {}) => {
            const [, ...words] = findingFlux(["flux", "jobs", "it's", ""]);
            const here = words.map((word) => word.replaceAll("/run/flux/", pod.path("run/flux/")));
            return spawnSync(shell, here, { encoding: "utf8", env: { PATH: "/usr/bin:/bin", ...variables } });
        };

        it(`finds the Flux that the start of the pod has found, in ${shell}`, () => {
            pod.write("run/flux/paths.env", `export PATH='${pod.path("brought/bin")}:/usr/bin:/bin'\n`);
            assert.equal(run({ MINICLUSTER_VIEW: "/none" }).stdout, "<jobs><it's><>");
        });

        it(`finds the Flux of a view if the start of the pod has recorded no paths, in ${shell}`, () => {
            assert.equal(run({ MINICLUSTER_VIEW: pod.path("brought") }).stdout, "<jobs><it's><>");
        });

        it(`exits with 127 if the pod has no Flux, in ${shell}`, () => {
            assert.equal(run().status, 127);
        });
    }
});

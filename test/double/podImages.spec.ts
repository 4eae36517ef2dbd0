import assert from "node:assert/strict";
import { cpSync, existsSync, lstatSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import type { PlainArgs } from "../../components/args";
import { run } from "../../scripts/local/run";
import { type ImageOptions, provideImage, withPods } from "./support/pods/cluster";
import { fluxRoot } from "./support/root";

/*
 * FLUX_TEST_LAYER=folder lays a folder over the image's files, for tests by hand: another version of bash, busybox in
 * place of the tools, another Python. The oldest bash is 4.2 (Red Hat 7). Those before 5.1, such as 4.4 of Red Hat 8,
 * need a writable folder for here-strings.
 */

before(provideImage);

describe("image of a pod", function () {
    this.timeout(120_000);

    it("can be read-only and run with an unknown uid", async () => {
        const lines = await whoRuns({
            podSecurityContext: { runAsUser: 1000680000, runAsGroup: 0, fsGroup: 1000680000 },
            securityContext: { readOnlyRootFilesystem: true },
        });
        assert.equal(lines, "1000680000\n1000680000");
    });

    it("can be read-only for a command with run options", () =>
        withPods(
            {
                size: 2,
                nodes: 1,
                tasks: 1,
                command: ["bash", "-c", "echo on $FLUX_TASK_RANK of $HOSTNAME; exec sleep inf"],
                requires: "not rank:0",
                timeLimit: 2,
                resources: { limits: { cpu: "1" } },
                securityContext: { readOnlyRootFilesystem: true },
            },
            async (cluster) => {
                const [lead] = await cluster.start(0, 1);
                const { code } = await lead.ended();
                assert.match(lead.container.output, /^on 0 of mc-1$/m);
                // Flux' exit code of a job that has reached its time limit: 128 + SIGALRM.
                assert.equal(code, 142);
            },
        ));

    it("can have Flux in a folder that only a hook adds to PATH", () =>
        withFluxElsewhere(async (image) => {
            assert.equal(await whoRuns({ hooks: { init: "export PATH=/opt/conda/bin:$PATH\n" } }, image), "0\n0");
        }));

    it("can have Flux in a folder of the image's own PATH", () =>
        withFluxElsewhere(async (image) => {
            const env = { PATH: "/opt/conda/bin:/usr/sbin:/usr/bin:/sbin:/bin" };
            assert.equal(await whoRuns({}, { ...image, env }), "0\n0");
        }));
});

/** Starts a cluster, runs a job on both ranks and requires an orderly end. Returns the uids of the job's tasks. */
function whoRuns(args: Partial<PlainArgs>, image?: ImageOptions): Promise<string> {
    return withPods(
        { size: 2, resources: { limits: { cpu: "1" } }, ...args },
        async (cluster) => {
            await cluster.up(2);
            const uri = "FLUX_URI=local:///run/flux/broker/local";
            // Only the scripts know the folder of Flux, so this PATH has it.
            const { stdout, stderr } = await cluster
                .rank(0)
                .exec("env", uri, "PATH=/opt/conda/bin:/usr/bin:/bin", "flux", "run", "-N2", "-n2", "id", "-u").ended;
            assert.equal(stderr, "");
            const ends = await cluster.destroy();
            assert.deepEqual(
                ends.map(({ code, killed }) => [code, killed]),
                ends.map(() => [143, false]),
            );
            return stdout.trim();
        },
        image,
    );
}

/** Makes a layer that moves `flux` to /opt/conda/bin. */
async function withFluxElsewhere(action: (image: ImageOptions) => Promise<void>): Promise<void> {
    const layer = mkdtempSync(join(tmpdir(), "layer-"));
    try {
        const root = await fluxRoot();
        const usual = ["usr/local/bin/flux", "usr/bin/flux"].filter((path) => existsSync(join(root, path)));
        const [first] = usual;
        assert.ok(first, "the image has no flux in /usr/local/bin or /usr/bin");
        mkdirSync(join(layer, "opt/conda/bin"), { recursive: true });
        moveTo(join(layer, "opt/conda/bin/flux"), join(root, first), root);
        for (const path of usual) {
            mkdirSync(dirname(join(layer, path)), { recursive: true });
            await run("mknod", [join(layer, path), "c", "0", "0"]);
        }
        await action({ layers: [layer] });
    } finally {
        rmSync(layer, { recursive: true, force: true });
    }
}

function moveTo(place: string, flux: string, root: string): void {
    if (lstatSync(flux).isSymbolicLink()) {
        symlinkSync(realpathSync(flux).slice(root.length), place);
    } else {
        cpSync(flux, place);
    }
}

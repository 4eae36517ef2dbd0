import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import type { PlainArgs } from "../../components/args";
import { imitate, LIKENESSES, PUBLIC_USER } from "../../scripts/local/images/likeness";
import { run } from "../../scripts/local/run";
import { type ImageOptions, type PodCluster, provideImage, withPods } from "./support/pods/cluster";
import { fluxRoot, isStandin } from "./support/root";

/*
 * Images that imitate the public ones of flux-core: scripts/local/images/likeness.ts. No argument names their user.
 * FLUX_TEST_RESTFUL=1 tells that the root of FLUX_TEST_ROOT has flux-restful, or settings of pip with an index.
 */

type Name = keyof typeof LIKENESSES;

before(provideImage);

describe("a pod of an image like the public one, without user", function () {
    this.timeout(120_000);

    for (const name of ["bookworm", "el9", "alpine"] as const) {
        it(`of ${name} runs brokers and jobs as the image's user, who alone can read the broker's certificate`, () =>
            withLikeness(name, [], { size: 2, restful: { enabled: false } }, async (cluster) => {
                await cluster.up(2);
                const lines = await cluster.flux("run", "-N2", "-n2", "bash", "-c", 'echo "$(id -u) $HOME"');
                assert.deepEqual(lines.split("\n"), Array(2).fill(`${PUBLIC_USER.uid} ${PUBLIC_USER.home}`));
                const { stdout } = await cluster.rank(1).exec("stat", "-c", "%u %a", "/run/flux/curve.cert").ended;
                assert.equal(stdout.trim(), `${PUBLIC_USER.uid} 400`);
                const ends = await cluster.destroy();
                assert.deepEqual(
                    ends.map(({ killed }) => killed),
                    [false, false],
                );
            }));
    }

    // The root of a real Flux may have neither flux-restful nor the address of an index that can be reached.
    if (isStandin || process.env["FLUX_TEST_RESTFUL"] !== undefined) {
        it("of bookworm runs a persistent cluster with its RESTful server by default", () =>
            withLikeness("bookworm", [], { restful: {} }, async (cluster) => {
                await cluster.up(1);
                assert.match(cluster.rank(0).container.output, /the RESTful server answers on port 5000/);
            }));
    }

    it("of el9 says that flux-restful needs a newer Python", () =>
        withLikeness("el9", [], { restful: {} }, async (cluster) => {
            const [lead] = await cluster.start(0);
            const { message } = await lead.ended();
            assert.match(
                message,
                /^minicluster\.error=the image has no flux-restful 1\.1\.0 or later, and it can't be installed: it needs Python 3\.10 or later, and Flux's is 3\.9; /m,
            );
        }));

    it("of bookworm without flux-restful and without an index says both", () =>
        withLikeness(
            "bookworm",
            LIKENESSES.el9.hidden,
            { restful: { indexUrl: "file:///no/index" } },
            async (cluster) => {
                const [lead] = await cluster.start(0);
                const { message } = await lead.ended();
                assert.match(
                    message,
                    /^minicluster\.error=the image has no flux-restful 1\.1\.0 or later, and no pip to install it with, and pip can't be downloaded: .*No such file.*; give restful\.indexUrl, /m,
                );
            },
        ));
});

/** Runs an action with the pods of an image that has the files of a likeness, and hides what the public image lacks. */
async function withLikeness(
    name: Name,
    hidden: readonly string[],
    args: Partial<PlainArgs>,
    action: (cluster: PodCluster) => Promise<void>,
): Promise<void> {
    const layer = mkdtempSync(join(tmpdir(), "layer-"));
    try {
        const root = await fluxRoot();
        const likeness = LIKENESSES[name];
        imitate(likeness, layer, (path) => readFileSync(join(root, path), "utf8"));
        const present = [...new Set([...likeness.hidden, ...hidden])].filter((path) => existsSync(join(root, path)));
        for (const path of present) {
            mkdirSync(dirname(join(layer, path)), { recursive: true });
            await run("mknod", [join(layer, path), "c", "0", "0"]);
        }
        // mkdtemp makes a folder that only root may enter.
        await run("chmod", ["755", layer]);
        const image: ImageOptions = { layers: [layer], user: PUBLIC_USER };
        await withPods({ resources: { limits: { cpu: "1" } }, ...args }, action, image);
    } finally {
        rmSync(layer, { recursive: true, force: true });
    }
}

import assert from "node:assert/strict";

import type { Preview } from "../e2e/support/changing";
import { EarlierCluster } from "../e2e/support/earlierStates/cluster";
import { END, makeCertificateSecret, STATES } from "../e2e/support/earlierStates/states";
import { releases } from "../e2e/support/earlierStates/template";
import { certificateOf, newKeys } from "../e2e/support/earlierStates/values";
import { outcome } from "../e2e/support/interruptions";
import { useNamespace } from "../e2e/support/namespace";
import { until } from "../e2e/support/until";

const REFUSAL = /This change replaces the Job, and its command has been running for/;

for (const release of releases()) {
    const keys = newKeys();

    /** Two stories: names are the same in both, so each has a namespace. */
    const useStory = () => {
        const namespace = useNamespace();
        before(() => makeCertificateSecret(namespace, certificateOf(keys)));
        const load = async (name: string) => {
            const cluster = new EarlierCluster(namespace, name, keys);
            return { cluster, uid: await cluster.load(release) };
        };
        const destroy = async ({ name, stack }: EarlierCluster) => {
            await stack.destroy();
            // Clusters of other tests may still be on their way out.
            await namespace.assertNothingLeft((object) => object.split("/")[1]?.startsWith(name) ?? false);
        };
        return { namespace, load, destroy };
    };

    describe(`a state that ${release} wrote, without a refresh`, () => {
        const { destroy, load } = useStory();

        for (const name of Object.keys(STATES).filter((state) => !["failed", "running"].includes(state))) {
            it(`(${name}) has its Job replaced once at most, as preview says, and can be destroyed`, async () => {
                const { cluster, uid } = await load(name);
                const first = await cluster.preview();
                const isReplaced = replaces(first, name);
                requireOnlyScripts(first, name);
                await cluster.stack.up();
                const now = await cluster.uid();
                assert.equal(now !== uid, isReplaced);
                await cluster.stack.up(true);
                assert.equal(await cluster.uid(), now);
                await destroy(cluster);
            });
        }

        it("(running) keeps its Job while its command runs, and can be destroyed", async () => {
            const { cluster, uid } = await load("running");
            const { succeeded, text } = await outcome(cluster.stack, "up");
            assert(succeeded || REFUSAL.test(text), text);
            assert.equal(await cluster.uid(), uid);
            await destroy(cluster);
        });

        it("(failed) is run again once by each update, as preview says, and can be destroyed", async () => {
            const { cluster, uid } = await load("failed");
            const { changes, text } = await cluster.preview();
            assert.match(changes["failed-job"], /replace/);
            assert.match(text, new RegExp(`rerun: "run ${uid?.slice(0, 8)} failed: `));
            await cluster.stack.fails("up");
            assert.notEqual(await cluster.uid(), uid);
            await destroy(cluster);
        });
    });

    describe(`a state that ${release} wrote, after a refresh`, () => {
        const { destroy, load, namespace } = useStory();

        for (const name of Object.keys(STATES).filter((state) => state !== "failed")) {
            it(`(${name}) is as before, and a change replaces its Job once, as preview says`, async () => {
                const { cluster, uid } = await load(name);
                cluster.set(name === "running" ? { interrupt: "allow" as never } : {});
                const before = await cluster.preview();
                await cluster.stack.refresh();
                assert.deepEqual((await cluster.preview()).changes, before.changes);
                cluster.set({ environment: { CHANGED: "yes" } });
                assert(replaces(await cluster.preview(), name));
                assert.equal(await cluster.uid(), uid);
                await cluster.stack.up();
                assert.notEqual(await cluster.uid(), uid);
                await cluster.assertSettled();
                await destroy(cluster);
            });
        }

        it("(failed) can be destroyed", async () => {
            const { cluster } = await load("failed");
            await cluster.stack.refresh();
            await destroy(cluster);
        });

        it("(running) refuses a change while its command runs, and takes it afterwards", async () => {
            const { cluster, uid } = await load("running");
            cluster.set({ environment: { CHANGED: "yes" } });
            for (const verb of ["preview", "up"] as const) {
                const { text } = await cluster.stack.fails(verb);
                assert.match(text, REFUSAL);
            }
            assert.equal(await cluster.uid(), uid);
            await Promise.all([0, 1].map((rank) => namespace.exec("running", END, rank)));
            await until("the command has ended", async () =>
                (await cluster.job()).status?.succeeded ? true : undefined,
            );
            await cluster.stack.up();
            assert.notEqual(await cluster.uid(), uid);
            await destroy(cluster);
        });
    });
}

/** Another version of the package may have other scripts: then its first update replaces the Job with its ConfigMap. */
function requireOnlyScripts({ changes }: Preview, name: string): void {
    const follows = new RegExp(`^${name}-(config|job|secret|status|task(-.*)?)$`);
    assert.deepEqual(
        Object.keys(changes).filter((changed) => !follows.test(changed)),
        [],
    );
    assert(
        Object.keys(changes).length === 0 || `${name}-config` in changes,
        `the scripts are the same, and yet: ${JSON.stringify(changes)}`,
    );
}

function replaces({ changes }: Preview, name: string): boolean {
    return /replace/.test(changes[`${name}-job`] ?? "");
}

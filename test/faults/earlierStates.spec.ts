import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";

import type { Preview } from "../e2e/support/changing";
import type { StateResource } from "../e2e/support/checkpoint";
import { EarlierCluster } from "../e2e/support/earlierStates/cluster";
import { END, makeCertificateSecret, STATES } from "../e2e/support/earlierStates/states";
import { releases } from "../e2e/support/earlierStates/template";
import { certificateOf, newKeys } from "../e2e/support/earlierStates/values";
import { outcome } from "../e2e/support/interruptions";
import { useNamespace } from "../e2e/support/namespace";
import { until } from "../e2e/support/until";

const REFUSAL = /This change replaces the Job, but the Job's command has been running for/;

for (const release of releases()) {
    const keys = newKeys();

    /** Each `describe` needs its own namespace, because both use the same names. */
    const useStory = () => {
        const namespace = useNamespace();
        before(() => makeCertificateSecret(namespace, certificateOf(keys)));
        const load = async (name: string) => {
            const cluster = new EarlierCluster(namespace, name, keys);
            return { cluster, uid: await cluster.load(release) };
        };
        const destroy = async ({ name, stack }: EarlierCluster) => {
            await stack.destroy();
            // The objects of other tests may still be ending.
            await namespace.assertNothingLeft((object) => object.split("/")[1]?.startsWith(name) ?? false);
        };
        return { namespace, load, destroy };
    };

    describe(`update from release ${release}`, () => {
        const { destroy, load } = useStory();

        for (const name of Object.keys(STATES).filter((state) => !["failed", "running"].includes(state))) {
            it(`replaces Job "${name}" at most once, as previewed, and allows a destroy`, async () => {
                const { cluster, uid } = await load(name);
                const before = cluster.child("job")?.inputs ?? {};
                const first = await cluster.preview();
                const isReplaced = replaces(first, name);
                await cluster.stack.up();
                requireOnlyScripts(first, name, before, cluster.child("job")?.inputs ?? {});
                const now = await cluster.uid();
                assert.equal(now !== uid, isReplaced);
                await cluster.stack.up(true);
                assert.equal(await cluster.uid(), now);
                await destroy(cluster);
            });
        }

        for (const name of ["elastic", "flux-array", "flux-job", "rank-loss"]) {
            it(`finds the Job of "${name}", and its job in Flux, after an interrupted creation`, async () => {
                const { cluster, uid } = await load(name);
                const isReplaced = replaces(await cluster.preview(), name);
                const jobId = () => cluster.child("task-submission")?.outputs?.["jobId"];
                const before = jobId();
                await cluster.forget("job", "status", "task-submission");
                await cluster.stack.up();
                assert.equal((await cluster.uid()) !== uid, isReplaced);
                assert.equal(before !== undefined && jobId() !== before, before !== undefined && isReplaced);
                await destroy(cluster);
            });
        }

        it('keeps Job "running" while its command runs, and allows a destroy', async () => {
            const { cluster, uid } = await load("running");
            const { succeeded, text } = await outcome(cluster.stack, "up");
            assert(succeeded || REFUSAL.test(text), text);
            assert.equal(await cluster.uid(), uid);
            await destroy(cluster);
        });

        it('runs Job "failed" again, as previewed, and allows a destroy', async () => {
            const { cluster, uid } = await load("failed");
            const { changes, text } = await cluster.preview();
            assert.match(changes["failed-job"], /replace/);
            assert.match(text, new RegExp(`rerun: "run ${uid?.slice(0, 8)} failed: `));
            await cluster.stack.fails("up");
            assert.notEqual(await cluster.uid(), uid);
            await destroy(cluster);
        });
    });

    describe(`refresh from release ${release}`, () => {
        const { destroy, load, namespace } = useStory();

        for (const name of Object.keys(STATES).filter((state) => state !== "failed")) {
            it(`keeps "${name}", whose Job a change then replaces once, as previewed`, async () => {
                const { cluster, uid } = await load(name);
                cluster.set(name === "running" ? { interrupt: "allow" } : {});
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

        it('allows a destroy of "failed"', async () => {
            const { cluster } = await load("failed");
            await cluster.stack.refresh();
            await destroy(cluster);
        });

        it('lets "running" refuse a change while its command runs, and accept it afterwards', async () => {
            const { cluster, uid } = await load("running");
            cluster.set({ environment: { CHANGED: "yes" } });
            for (const verb of ["preview", "up"] as const) {
                const { text } = await cluster.stack.fails(verb);
                assert.match(text, REFUSAL);
            }
            assert.equal(await cluster.uid(), uid);
            await Promise.all([0, 1].map((rank) => namespace.exec("running", END, rank)));
            await until("the command has finished", async () =>
                (await cluster.job()).status?.succeeded ? true : undefined,
            );
            await cluster.stack.up();
            assert.notEqual(await cluster.uid(), uid);
            await destroy(cluster);
        });
    });
}

/** Requires that scripts cause all changes, which may differ between versions of the package. */
function requireOnlyScripts({ changes }: Preview, name: string, before: Inputs, after: Inputs): void {
    const follows = new RegExp(`^${name}-(job|status|task-submission)$`);
    // The lead Service gets an annotation in place, which names its stack.
    const { [`${name}-lead`]: lead = "update", ...others } = changes;
    assert.equal(lead, "update");
    assert.deepEqual(
        Object.keys(others).filter((changed) => !follows.test(changed)),
        [],
    );
    assert.deepEqual(withoutScripts(after), withoutScripts(before));
    if (isDeepStrictEqual(before["files"], after["files"])) {
        assert.deepEqual(others, {});
    }
}

type Inputs = NonNullable<StateResource["inputs"]>;

/** The inputs of an IndexedJob without those that contain scripts or name their ConfigMap, and without secrets. */
function withoutScripts({ files, markKey: _key, secret: _secret, ...inputs }: Inputs): unknown {
    const others = Object.entries(files.data).filter(([file]) => !/\.(py|sh|txt)$/.test(file));
    const text = JSON.stringify({ ...inputs, files: { ...files, data: Object.fromEntries(others) } }, withoutLater)
        .replaceAll(/-config-[0-9a-f]{8}"/g, '-config"')
        // A later version starts the lead's programs by a script of their own.
        .replaceAll(/\/lead-program\.sh","(\w+)"/g, '/$1.sh"')
        // A later version has another name for the script that a pod runs when it leaves.
        .replaceAll("/notice.sh", "/leave.sh");
    return JSON.parse(text);
}

const LATER = ["MINICLUSTER_LEAVE_SECONDS", "FLUX_SSH"];

/** Leaves out what a later version adds to a pod: the preference of one zone, and variables. */
function withoutLater(key: string, value: unknown): unknown {
    const isLater = (item: unknown) => LATER.includes((item as { name?: string } | null)?.name ?? "");
    return key === "affinity" ? undefined : Array.isArray(value) ? value.filter((item) => !isLater(item)) : value;
}

function replaces({ changes }: Preview, name: string): boolean {
    return /replace/.test(changes[`${name}-job`] ?? "");
}

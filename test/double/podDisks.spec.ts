import assert from "node:assert/strict";

import { type PodCluster, provideImage, withPods } from "./support/pods/cluster";
import { fill, fillWithFiles } from "./support/pods/disks";
import { isWhole, killBroker } from "./support/pods/tasks";

/* The rows of test/double/README.md, "A full disk": a job fills a disk of the lead's pod. */

const oneCore = { size: 1, resources: { limits: { cpu: "1" } } };
const RUN = "/run/flux";
const STATE = "/var/lib/flux";
/** Sizes with which a cluster starts. */
const SIZES: Readonly<Record<string, string>> = { [RUN]: "4m", [STATE]: "16m", "/tmp": "4m" };
const volumes = [{ name: "temporary", mountPath: "/tmp", emptyDir: {} }];

before(provideImage);

/** Runs a persistent cluster whose disk is full. */
function withFullDisk(folder: string, action: (cluster: PodCluster) => Promise<void>): Promise<void> {
    return withPods(
        { ...oneCore, volumes: folder === "/tmp" ? volumes : [] },
        async (cluster) => {
            await cluster.up(1);
            const { code } = await cluster.rank(0).exec("sh", "-c", fill(folder)).ended;
            assert.equal(code, 0, "the disk is not full");
            await action(cluster);
        },
        { disks: { [folder]: SIZES[folder] ?? "" } },
    );
}

describe("pod with a full disk", function () {
    this.timeout(180_000);

    for (const folder of Object.keys(SIZES)) {
        it(`runs jobs, and ends with 0 after flux shutdown (${folder})`, () =>
            withFullDisk(folder, async (cluster) => {
                assert.equal(await cluster.flux("run", "echo", "lives"), "lives");
                await cluster.flux("shutdown", "--quiet");
                assert.equal((await cluster.rank(0).ended()).code, 0);
            }));

        it(`ends in order when it is told to (${folder})`, () =>
            withFullDisk(folder, async (cluster) => {
                const { code, killed } = await cluster.rank(0).delete();
                assert.deepEqual([code, killed], [143, false]);
            }));

        for (const code of [0, 3]) {
            it(`ends with ${code} as its command does, which has filled ${folder}`, () => {
                const command = ["sh", "-c", `${fill(folder)} && exit ${code}`];
                return withPods(
                    { ...oneCore, command, volumes: folder === "/tmp" ? volumes : [] },
                    async (cluster) => {
                        await cluster.start(0);
                        assert.equal((await cluster.rank(0).ended()).code, code);
                    },
                    { disks: { [folder]: SIZES[folder] ?? "" } },
                );
            });
        }
    }

    for (const folder of [RUN, "/tmp"]) {
        it(`lives on when its broker is killed (${folder})`, () =>
            withFullDisk(folder, async (cluster) => {
                killBroker(cluster, 0);
                await cluster.rank(0).container.says(/broker ended with 137, restarting it/);
                await isWhole(cluster, 1);
            }));
    }

    it(`ends in order when it is told to, also if ${RUN} takes no further file`, () =>
        withPods(
            oneCore,
            async (cluster) => {
                await cluster.up(1);
                const { code: full } = await cluster.rank(0).exec("sh", "-c", fillWithFiles(RUN)).ended;
                assert.equal(full, 0, "the disk takes more files");
                const { code, killed } = await cluster.rank(0).delete();
                assert.deepEqual([code, killed], [143, false]);
            },
            { disks: { [RUN]: "4m,nr_inodes=500" } },
        ));

    it(`fails with the disk's name when its broker is killed and can't start again (${STATE})`, () =>
        withFullDisk(STATE, async (cluster) => {
            killBroker(cluster, 0);
            const { code, message } = await cluster.rank(0).ended();
            assert.equal(code, 1);
            assert.match(
                message,
                /^minicluster\.error=the disk of \/var\/lib\/flux\/state is full, and the lead's broker can't run$/m,
            );
        }));
});

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { PlainArgs } from "../../components/args";
import { type PodCluster, provideImage, withPods } from "./support/pods/cluster";
import { GRACE, LIMIT } from "./support/pods/limits";
import { submitTo } from "./support/pods/tasks";

/** The folder of the cluster's archive in the volume, which is the cluster's name. */
const FOLDER = "mc";

before(provideImage);

describe("archive of a MiniCluster", function () {
    this.timeout(180_000);
    let volumes: string;
    before(() => (volumes = mkdtempSync(join(tmpdir(), "archives-"))));
    after(() => rmSync(volumes, { recursive: true }));

    const volume = (name: string): string => join(volumes, name, FOLDER);
    const listJobs = (cluster: PodCluster) =>
        cluster.flux("jobs", "-a", "--no-header", "--format={name} {state} {result}");

    function withArchive<T>(name: string, action: (cluster: PodCluster) => Promise<T>, more: object = {}): Promise<T> {
        const args = {
            size: 1,
            resources: { limits: { cpu: "1" } },
            archive: { hostPath: join(volumes, name) },
            ...more,
        };
        return withPods(args as Partial<PlainArgs>, action);
    }

    it("is written within seconds during a job, and restores cancelled and pending jobs", async () => {
        await withArchive(
            "whole",
            async (cluster) => {
                await cluster.up(4);
                await cluster.flux("submit", "--urgency=hold", "--job-name=held", "true");
                const { tasks } = await submitTo(cluster, 4, ["sleep", "10000"]);
                const ends = await cluster.destroy();
                assert.deepEqual(
                    ends.map(({ killed }) => killed),
                    ends.map(() => false),
                );
                assert.deepEqual(tasks.alive, []);
                assert.match(cluster.rank(0).container.output, /the queue is saved/);
                const longest = Math.max(...ends.map(({ seconds }) => seconds));
                assert.ok(longest <= LIMIT, `the last pod took ${longest} s`);
            },
            { size: 4, ...GRACE },
        );
        await withArchive("whole", async (cluster) => {
            await cluster.up(1);
            const jobs = await listJobs(cluster);
            assert.match(jobs, /^sleep INACTIVE CANCELED$/m);
            assert.match(jobs, /^held SCHED ?$/m);
        });
    });

    describe("that can't be used", () => {
        let whole: Buffer;
        before(() => {
            whole = readFileSync(join(volume("whole"), "content.tgz"));
        });

        /** Writes files into the folder of a cluster's archive. */
        function put(name: string, files: Readonly<Record<string, string | Buffer>>): void {
            mkdirSync(volume(name), { recursive: true });
            Object.entries(files).forEach(([file, content]) => writeFileSync(join(volume(name), file), content));
        }

        async function isSetAside(name: string, pattern: RegExp): Promise<void> {
            await withArchive(name, async (cluster) => {
                await cluster.up(1);
                const [aside, ...others] = readdirSync(volume(name)).filter((file) => pattern.test(file));
                assert.ok(aside !== undefined && others.length === 0, readdirSync(volume(name)).join(" "));
                assert.ok(cluster.rank(0).container.output.includes(aside), "its new name is not in the log");
                assert.equal(await listJobs(cluster), "");
            });
        }

        it("is renamed if it is cut off", async () => {
            put("cut", { "content.tgz": whole.subarray(0, Math.floor(whole.length / 2)) });
            await isSetAside("cut", /^content\.damaged-/);
        });

        it("is renamed if it is empty", async () => {
            put("empty", { "content.tgz": "" });
            await isSetAside("empty", /^content\.damaged-/);
        });

        it("is renamed if it belongs to another cluster", async () => {
            put("other", { "content.tgz": whole, cluster: "test/other\n" });
            await isSetAside("other", /^content\.other-/);
        });

        it("stops the start and stays unchanged if onDamage is fail", async () => {
            const content = whole.subarray(0, 100);
            put("down", { "content.tgz": content });
            await withArchive(
                "down",
                async (cluster) => {
                    const [lead] = await cluster.start(0);
                    const { code, message } = (await lead?.ended()) ?? {};
                    assert.notEqual(code, 0);
                    assert.match(message ?? "", /^minicluster\.error=.*content\.tgz/m);
                },
                { archive: { hostPath: join(volumes, "down"), onDamage: "fail" } },
            );
            assert.deepEqual(readFileSync(join(volume("down"), "content.tgz")), content);
        });
    });
});

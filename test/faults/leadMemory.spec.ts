import assert from "node:assert/strict";

import { FluxJob, MiniCluster } from "flux-minicluster";

import { outcome } from "../e2e/support/interruptions";
import { useNamespace } from "../e2e/support/namespace";
import { until } from "../e2e/support/until";

const JOBS = Number(process.env["LEAD_JOBS"] ?? 64);
const ELEMENTS = 2;
/** What the FluxJobs of an update may add to the lead while they wait: it has one agent. */
const MOST_MEGABYTES = 60;
const MOST_PROCESSES = 10;
/** What arrays may add to that: they have two programs of about 30 MB, as docs/jobs.md says. */
const ARRAYS_MEGABYTES = 60;

for (const arrays of [0, Math.floor(JOBS / 8)]) {
    describe(`lead of 512 MiB with ${JOBS} FluxJobs of one update, ${arrays} of them arrays, and a job of another user`, () =>
        judge(arrays));
}

function judge(arrays: number): void {
    const namespace = useNamespace();
    const flux = (...words: string[]) => namespace.exec("flux", ["flux", ...words]);
    const shell = (text: string) => namespace.exec("flux", ["sh", "-c", text]);

    /** The processes of the lead, and their memory: what several share counts once. */
    async function load() {
        const text = await shell("ls -d /proc/[0-9]*; cat /proc/[0-9]*/smaps_rollup 2>/dev/null | grep ^Pss:");
        const kilobytes = [...text.matchAll(/^Pss:\s+(\d+)/gm)].reduce((sum, [, size]) => sum + Number(size), 0);
        return { processes: text.match(/^\/proc/gm)?.length ?? 0, megabytes: Math.round(kilobytes / 1024) };
    }

    it("loses none, kills nothing, and keeps the other job", async function () {
        this.timeout(1_200_000);
        const clusters = namespace.stack("cluster", async () => ({
            cluster: new MiniCluster("flux", {
                image: namespace.image,
                restful: { enabled: false },
                cores: 2,
                resources: { limits: { memory: "512Mi" } },
            }),
        }));
        const { cluster } = (await clusters.up()).outputs as any;
        const wait = "until [ -e /tmp/gate ]; do sleep 0.2; done";
        const foreign = (await flux("submit", "-n1", "-c2", "sh", "-c", wait)).trim();
        await flux("job", "wait-event", "-q", foreign, "start");
        const idle = await load();
        const stack = namespace.stack("jobs", async () => {
            const jobs = Array.from(
                { length: JOBS },
                (_, index) =>
                    new FluxJob(`job-${index}`, {
                        cluster,
                        command: ["sh", "-c", wait],
                        tasks: 1,
                        ...(index < arrays ? { array: { count: ELEMENTS } } : {}),
                    }),
            );
            return { phases: jobs.map(({ phase }) => phase) };
        });
        const listed = async () => (await flux("jobs", "-a", "--count=0", "-no", "{name} {status}")).trim().split("\n");
        const ofFluxJobs = async () => (await listed()).filter((line) => line.startsWith("job-")).sort();
        const ending = outcome(stack, () => stack.up(false, JOBS));
        const all = Array.from({ length: JOBS }, (_, index) => `job-${index}`)
            .flatMap((name, index) => Array<string>(index < arrays ? ELEMENTS : 1).fill(name))
            .sort();
        await until(
            "all FluxJobs wait for the other job",
            async () => (await ofFluxJobs()).length >= all.length || undefined,
            600,
        );
        const waiting = await load();
        console.log(`      idle: ${JSON.stringify(idle)}, waiting: ${JSON.stringify(waiting)}`);
        assert.deepEqual(
            await ofFluxJobs(),
            all.map((name) => `${name} SCHED`),
        );
        assert.equal((await flux("jobs", "-no", "{status}", foreign)).trim(), "RUN");
        await shell("touch /tmp/gate");
        const { succeeded, text } = await ending;
        assert(succeeded, text);
        assert.deepEqual(
            await ofFluxJobs(),
            all.map((name) => `${name} COMPLETED`),
        );
        assert.equal((await flux("jobs", "-no", "{status}", foreign)).trim(), "COMPLETED");
        const [pod] = await namespace.pods("flux");
        // A process that lacks memory takes the lead's container with it.
        assert.equal(pod.status?.containerStatuses?.[0].restartCount, 0);
        assert.ok(idle.megabytes > 10 && idle.processes > 1, JSON.stringify(idle));
        assert.ok(
            waiting.megabytes - idle.megabytes <= MOST_MEGABYTES + (arrays && ARRAYS_MEGABYTES),
            `${waiting.megabytes - idle.megabytes} MB`,
        );
        assert.ok(waiting.processes - idle.processes <= MOST_PROCESSES, `${waiting.processes - idle.processes}`);
        const { succeeded: isDestroyed, text: why } = await outcome(stack, "destroy");
        assert(isDestroyed, why);
        assert.deepEqual(await ofFluxJobs(), []);
    });
}

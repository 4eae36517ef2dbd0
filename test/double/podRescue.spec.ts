import assert from "node:assert/strict";

import { type PodCluster, provideImage, withPods } from "./support/pods/cluster";
import { MOMENT, type Taking, takingJob, takings } from "./support/pods/taking";
import { isWhole, Tasks } from "./support/pods/tasks";

/** How often a pod leaves in each row, and whether it prints that. */
const ROUNDS = Number(process.env["RESCUE_ROUNDS"] ?? 1);
const FOLLOWER = 1;
const DRAIN_SECONDS = 6;
/** A preStop hook of the user, which follows the cluster's own. */
const USERS = { exec: { command: ["sh", "-c", ":"] } };
const TOOK = "/dev/shm/took";

const rows = takings(["/run/flux", "/tmp"]);

/** A job's end, in words of bash that start no process. */
const ENDS = {
    "ends by itself after a second": `until [[ -e /run/flux/leaving ]]; do ${MOMENT}; done; read -rt 1 -u $clock; leave 0`,
    "doesn't end": `while :; do ${MOMENT}; done`,
};

const ENDLESS = "doesn't end";
const cases = rows.flatMap((row) => (Object.keys(ENDS) as (keyof typeof ENDS)[]).map((end) => [row, end] as const));

before(provideImage);

describe("pod of a follower whose job takes what the pod has", function () {
    this.timeout(60_000 + ROUNDS * rows.length * 2 * 90_000);

    it(`leaves in order: the job gets drainTimeout, and is cancelled with the reason (${ROUNDS} rounds)`, () =>
        withPods(
            {
                size: 2,
                drainTimeout: DRAIN_SECONDS,
                resources: { limits: { cpu: "1" } },
                podTemplate: { spec: { containers: [{ name: "flux", lifecycle: { preStop: USERS } }] } },
                volumes: [{ name: "temporary", mountPath: "/tmp", emptyDir: {} }],
            },
            async (cluster) => {
                await cluster.up(2);
                const wrong: string[] = [];
                const rounds = Array.from({ length: ROUNDS }, (_, round) => round + 1);
                for (const [round, row, end] of rounds.flatMap((each) => cases.map((one) => [each, ...one] as const))) {
                    const found = await leave(cluster, row, ENDS[end]);
                    const right = end === ENDLESS ? "CANCELED the pod is leaving" : "COMPLETED";
                    wrong.push(...(found === `${right}, 143` ? [] : [`${row.what}, ${end}, round ${round}: ${found}`]));
                }
                assert.deepEqual(wrong, []);
            },
            { disks: { "/run/flux": "4m", "/tmp": "4m" } },
        ));
});

describe("pod of a persistent cluster", function () {
    this.timeout(120_000);
    const oneCore = { resources: { limits: { cpu: "1" } } };

    it("cancels the jobs of a rank at SIGTERM if its grace period is shorter than drainTimeout", () =>
        withPods({ size: 2, drainTimeout: 60, ...oneCore }, async (cluster) => {
            await cluster.up(2);
            const id = await started(cluster, "sleep", "1000");
            await cluster.rank(FOLLOWER).delete(3);
            await cluster.start(FOLLOWER);
            assert.equal(await recordOf(cluster, id), "CANCELED the pod is leaving");
        }));

    it("gives the jobs of a rank their time although one of them ends the shells of the pod", () =>
        withPods({ size: 2, drainTimeout: 60, ...oneCore }, async (cluster) => {
            await cluster.up(2);
            const hook = "until read -r pid </run/flux/leaving; do sleep 0.1; done";
            const signals = "for name in ALRM HUP INT TERM USR1 USR2; do kill -s $name $pid; sleep 0.2; done";
            const id = await started(cluster, "bash", "-c", `${hook}; ${signals}; kill -0 $pid`);
            await cluster.rank(FOLLOWER).delete();
            await cluster.start(FOLLOWER);
            assert.equal(await recordOf(cluster, id), "COMPLETED");
        }));

    it("starts no job while the hook of the user runs in a lead that was idle", () => {
        const submit = `. "$MINICLUSTER_SCRIPTS/run.sh"; use_flux; flux submit touch /run/flux/ran; sleep 3`;
        const preStop = { exec: { command: ["sh", "-c", `${submit}; [ ! -e /run/flux/ran ]`] } };
        const podTemplate = { spec: { containers: [{ name: "flux", lifecycle: { preStop } }] } };
        return withPods({ size: 1, ...oneCore, podTemplate, terminationGracePeriodSeconds: 40 }, async (cluster) => {
            await cluster.up(1);
            await cluster.rank(0).delete();
            assert.match(cluster.rank(0).steps.join(), /preStop: 0/);
        });
    });
});

/** Starts a job on the follower. */
async function started(cluster: PodCluster, ...command: string[]): Promise<string> {
    const job = await cluster.flux("submit", `--requires=rank:${FOLLOWER}`, "-n1", ...command);
    await cluster.flux("job", "wait-event", "--quiet", job, "start");
    return job;
}

/** How a job has ended, and why. */
async function recordOf(cluster: PodCluster, job: string): Promise<string> {
    await cluster.flux("job", "wait-event", "--quiet", job, "clean");
    return (await cluster.flux("jobs", "-a", "--no-header", "--format={status} {exception.note}", job)).trim();
}

/** The record of the follower's job, and the end of its pod. Another pod has replaced it then. */
async function leave(cluster: PodCluster, row: Taking, end: string): Promise<string> {
    const pod = cluster.rank(FOLLOWER);
    const tasks = new Tasks();
    pod.container.limit({});
    const words = ["--requires=rank:1", "-n1", `--env=${tasks.mark}`, "bash", "-c", takingJob(row, TOOK, end)];
    const job = await cluster.flux("submit", ...words);
    await tasks.run(1);
    await pod.exec("sh", "-c", `until [ -e ${TOOK} ]; do sleep 0.1; done`).ended;
    pod.container.limit(row.left);
    const { code, killed } = await pod.delete();
    const [next] = await cluster.start(FOLLOWER);
    await next?.ready();
    await isWhole(cluster, 2);
    return `${await recordOf(cluster, job)}, ${killed ? "killed" : code}`;
}

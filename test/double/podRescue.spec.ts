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
    const record = await cluster.flux("jobs", "-a", "--no-header", "--format={status} {exception.note}", job);
    return `${record.trim()}, ${killed ? "killed" : code}`;
}

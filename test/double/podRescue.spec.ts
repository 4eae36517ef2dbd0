import assert from "node:assert/strict";

import type { Limits } from "./support/pods/cgroup";
import { type PodCluster, provideImage, withPods } from "./support/pods/cluster";
import { fill } from "./support/pods/disks";
import { isWhole, Tasks } from "./support/pods/tasks";

/** How often a pod leaves in each row, and whether it prints that. */
const ROUNDS = Number(process.env["RESCUE_ROUNDS"] ?? 1);
const FOLLOWER = 1;
const DRAIN_SECONDS = 6;

/** What a job takes of its pod in words of bash, and what is left to the pod then. */
interface Row {
    readonly what: string;
    readonly take: string;
    readonly left: Limits;
}

const rows: readonly Row[] = [
    {
        what: "all CPU, with 16 busy processes at 500m",
        take: "for i in {1..16}; do while :; do :; done & children+=($!); done",
        left: { cpu: 500 },
    },
    { what: "all memory but 16 MiB", take: "head -c 64M /dev/zero >/dev/shm/all", left: { memoryLeft: 16 * 2 ** 20 } },
    {
        what: "all processes",
        take: "for i in {1..50}; do sleep 1000 & children+=($!); done",
        left: { processesLeft: 0 },
    },
    { what: "all descriptors", take: "while exec {fd}</dev/null; do :; done 2>/dev/null", left: {} },
    { what: "the disks /run/flux and /tmp", take: `${fill("/run/flux")}; ${fill("/tmp")}`, left: {} },
];

/** A job's end, in words of bash that start no process. */
const ENDS = {
    "ends by itself after a second":
        "until [[ -e /run/flux/leaving ]]; do read -rt 0.1 -u $clock; done; read -rt 1 -u $clock; leave 0",
    "doesn't end": "while :; do read -rt 1 -u $clock; done",
};

const ENDLESS = "doesn't end";
const cases = rows.flatMap((row) => (Object.keys(ENDS) as (keyof typeof ENDS)[]).map((end) => [row, end] as const));

const script = ({ take }: Row, end: string): string => `exec {clock}<> <(:)
children=()
leave() { ((\${#children[@]} == 0)) || kill -s KILL "\${children[@]}"; exit "$1"; }
trap 'leave 143' TERM
${take}
: >/dev/shm/took
${end}`;

before(provideImage);

describe("pod of a follower whose job takes what the pod has", function () {
    this.timeout(60_000 + ROUNDS * rows.length * 2 * 90_000);

    it(`leaves in order: the job gets drainTimeout, and is cancelled with the reason (${ROUNDS} rounds)`, () =>
        withPods(
            {
                size: 2,
                drainTimeout: DRAIN_SECONDS,
                resources: { limits: { cpu: "1" } },
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
async function leave(cluster: PodCluster, row: Row, end: string): Promise<string> {
    const pod = cluster.rank(FOLLOWER);
    const tasks = new Tasks();
    pod.container.limit({});
    const words = ["--requires=rank:1", "-n1", `--env=${tasks.mark}`, "bash", "-c", script(row, end)];
    const job = await cluster.flux("submit", ...words);
    await tasks.run(1);
    await pod.exec("sh", "-c", "until [ -e /dev/shm/took ]; do sleep 0.1; done").ended;
    pod.container.limit(row.left);
    const { code, killed } = await pod.delete();
    const [next] = await cluster.start(FOLLOWER);
    await next?.ready();
    await isWhole(cluster, 2);
    const record = await cluster.flux("jobs", "-a", "--no-header", "--format={status} {exception.note}", job);
    return `${record.trim()}, ${killed ? "killed" : code}`;
}

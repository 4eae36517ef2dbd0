import { ANNOTATIONS } from "../../../../provider/contract/labels";
import type { FakeApi } from "../../support/fakeApi";
import { ended, factsOf, joining, putEvent, putJob, putNames, putPod, say, waiting } from "./support";

/** A cluster that is well, in a state in which it isn't whole, or has a failure behind it. */
export interface Healthy {
    readonly state: string;
    readonly make: (api: FakeApi) => void;
    /** The only lines that aren't `ok`: those of pods that start. */
    readonly warns?: readonly RegExp[];
}

const MINUTES_AGO = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();

const CANNOT_WRITE = "minicluster.error=user 1000 may not write /archive; set podSecurityContext.fsGroup\n";

const ASLEEP = { [ANNOTATIONS.asleep]: MINUTES_AGO(2) };
const ELASTIC = { [ANNOTATIONS.elasticSettings]: '{"cooldown":60,"sleepAfter":60}' };
const QUEUE = { "kueue.x-k8s.io/queue-name": "team" };

const job = (annotations: object, labels: object = {}) => ({
    metadata: { name: "lammps", uid: "job-uid", annotations, labels },
});

function overlay(...words: readonly string[]): readonly [number, string] {
    return [0, words.map((each, rank) => `${rank} lammps-${rank}: ${each}`).join("\n")];
}

function removePods(api: FakeApi, ...ranks: readonly number[]): void {
    ranks.forEach((rank) => api.remove("pods", `lammps-${rank}-x`));
}

/** Pods of a rank that could not start, a while ago. */
function putFailures(api: FakeApi, count: number, rank = 0): void {
    for (let index = 0; index < count; index++) {
        putPod(api, rank, ended(78, CANNOT_WRITE), {}, `lammps-${rank}-old${index}`);
        const pod = api.get("pods", `lammps-${rank}-old${index}`)!;
        api.put("pods", { ...pod, metadata: { ...pod.metadata, creationTimestamp: MINUTES_AGO(20 + index) } });
    }
}

function putAsleep(api: FakeApi): void {
    putJob(api, { suspend: true }, { ...job({ ...ASLEEP, ...ELASTIC }), status: {} });
    removePods(api, 0, 1);
}

/** A cluster with `elastic` that has one of up to three ranks. */
function putElastic(api: FakeApi): void {
    putJob(api, { parallelism: 1, completions: 1 }, { ...job(ELASTIC), status: { active: 1, ready: 1 } });
    removePods(api, 1);
    say(api, { overlay: overlay("partial", "offline", "offline"), facts: [0, factsOf(0)] });
}

function putCompleted(api: FakeApi): void {
    const conditions = [{ type: "Complete", status: "True", reason: "SuccessPolicy", message: "rank 0" }];
    putJob(api, {}, { status: { conditions, succeeded: 1 } });
    const end = { terminated: { exitCode: 0, reason: "Completed", finishedAt: MINUTES_AGO(1) } };
    putPod(api, 0, { phase: "Succeeded", conditions: [], containerStatuses: [{ name: "flux", state: end }] });
    removePods(api, 1);
}

const STARTS = [
    /^pods: 1 of 2 pods have started; lammps-1-x/,
    /^brokers: the brokers of 1 of 2 pods have joined \| none while the pods start$/,
];

export const HEALTHY: readonly Healthy[] = [
    { state: "all ranks have joined", make: () => undefined },
    {
        state: "between size and maxSize",
        make: (api) => say(api, { overlay: overlay("partial", "full", "offline", "offline") }),
    },
    {
        state: "made smaller, with a rank that Flux has lost and drained by it",
        make: (api) =>
            say(api, {
                overlay: overlay("degraded", "full", "lost lost connection"),
                drained: [0, "2\tthe pod is leaving"],
            }),
    },
    {
        state: "made smaller, with a pod that still ends",
        make: (api) => {
            putPod(api, 2, joining());
            const pod = api.get("pods", "lammps-2-x")!;
            api.put("pods", { ...pod, metadata: { ...pod.metadata, deletionTimestamp: MINUTES_AGO(0) } });
            say(api, { overlay: overlay("partial", "full", "offline") });
        },
    },
    {
        state: "made larger a moment ago",
        make: (api) => {
            putPod(api, 1, joining(2));
            say(api, { overlay: overlay("partial", "offline"), facts: [0, factsOf(0)] });
        },
        warns: [STARTS[1]],
    },
    {
        state: "with a rank whose node was lost, and whose next pod is being created",
        make: (api) => {
            putPod(api, 1, waiting("ContainerCreating", ""));
            putNames(api, ["lammps-0"]);
            say(api, { overlay: overlay("partial", "lost lost connection"), facts: [0, factsOf(0)] });
        },
        warns: [STARTS[0]],
    },
    { state: "asleep", make: putAsleep },
    {
        state: "asleep, with pods that could not start before",
        make: (api) => {
            putAsleep(api);
            putFailures(api, 5);
        },
    },
    {
        state: "asleep in a queue of Kueue, without pods",
        make: (api) => {
            putJob(api, { parallelism: 0 }, { ...job(ASLEEP, QUEUE), status: {} });
            removePods(api, 0, 1);
        },
    },
    { state: "admitted by a queue of Kueue", make: (api) => putJob(api, {}, job({}, QUEUE)) },
    { state: "elastic, with one of three ranks", make: putElastic },
    {
        state: "elastic, and about to remove a drained rank",
        make: (api) => {
            putJob(api, {}, job(ELASTIC));
            say(api, { overlay: overlay("partial", "full", "offline"), drained: [0, "1\tthe pod is leaving"] });
        },
    },
    {
        state: "elastic, with a job for more ranks than it has",
        make: (api) => {
            putElastic(api);
            say(api, {
                overlay: overlay("partial", "offline", "offline"),
                facts: [0, factsOf(0)],
                pending: [0, "f2x\tSCHED\t16\t3\t\ttrain"],
            });
        },
    },
    { state: "after a failure that is cured", make: (api) => putFailures(api, 5) },
    {
        state: "awake again, with pods of the time before that could not start",
        make: (api) => {
            putJob(api, {}, { status: { active: 2, ready: 1, startTime: MINUTES_AGO(1) } });
            putFailures(api, 3, 1);
            [0, 1].forEach((rank) => {
                putPod(api, rank, rank === 1 ? joining(3) : {});
                const pod = api.get("pods", `lammps-${rank}-x`)!;
                api.put("pods", { ...pod, metadata: { ...pod.metadata, creationTimestamp: MINUTES_AGO(0) } });
            });
            say(api, { overlay: overlay("partial", "offline"), facts: [0, factsOf(0)] });
        },
        warns: [STARTS[1]],
    },
    {
        state: "busy, with jobs that wait for others",
        make: (api) =>
            say(api, { pending: [0, "f2x\tSCHED\t16\t2\t\ttrain\nf2y\tDEPEND\t16\t1\tdepends:after-ok=f1\ttest"] }),
    },
    {
        state: "ready, with warnings of its start",
        make: (api) =>
            putEvent(api, { kind: "Pod", name: "lammps-1-x", uid: "pod-1" }, "FailedScheduling", "0/2 nodes"),
    },
    { state: "whose command has completed", make: putCompleted },
    {
        state: "whose command has completed, in a namespace that others fill",
        make: (api) => {
            putCompleted(api);
            const hard = { "requests.cpu": "4" };
            api.put("resourcequotas", {
                metadata: { name: "team" },
                spec: { hard },
                status: { hard, used: { "requests.cpu": "4" } },
            });
        },
    },
];

import assert from "node:assert/strict";

import type { CoreV1Event, V1Pod } from "@kubernetes/client-node";

import { collect } from "../../../../cli/report/collect";
import type { Source } from "../../../../cli/report/source";
import { readState } from "../../support/states";
import { CREATED, makeJob, makePod, makeSource } from "../../support/runs";

const at = (seconds: number) => new Date(CREATED + seconds * 1000);

function event(name: string, reason: string, seconds: number, more: Partial<CoreV1Event> = {}): CoreV1Event {
    return {
        metadata: {},
        involvedObject: { kind: "Pod", name },
        reason,
        message: reason,
        lastTimestamp: at(seconds),
        type: "Normal",
        ...more,
    };
}

/** A source whose parts are those of a real API server. */
function recorded(state: string, more: Partial<Source> = {}): Source {
    const { job, pods } = readState(state);
    const { name = "", namespace = "" } = job.metadata ?? {};
    return {
        name,
        namespace,
        now: Date.UTC(2026, 10, 21, 12),
        job,
        pods,
        events: [],
        recorded: {},
        unread: [],
        ...more,
    };
}

/** The pod after its end: its broker recorded the quorum if it was the lead. */
function endedPod(pod: V1Pod, rank: number): V1Pod {
    const [container] = pod.status?.containerStatuses ?? [];
    const message = rank === 0 ? `minicluster.quorum=${CREATED / 1000 + 3}.00\n` : "";
    const terminated = { exitCode: 0, finishedAt: at(20), message, startedAt: at(2) };
    const conditions = pod.status?.conditions?.filter(({ type }) => type !== "Ready");
    const status = { ...pod.status, conditions, containerStatuses: [{ ...container, state: { terminated } }] };
    return { ...pod, status };
}

describe("The data of a report", () => {
    it("has what ran: image, digest, Flux and the settings of the Job", () => {
        const { ran } = collect(makeSource({ ranks: 2, jobs: 1 }));
        assert.deepEqual(ran, {
            image: "registry.example/lammps:2",
            digests: [`registry.example/lammps@sha256:${"5e".repeat(32)}`],
            command: undefined,
            fluxVersion: "0.88.0",
            code: undefined,
            settings: { Mode: "persistent", "Limits of each pod": "cpu 4, memory 8Gi" },
        });
    });

    it("has the command of an ephemeral cluster, and no variable that the user set", () => {
        const source = makeSource({ ranks: 1, jobs: 0 });
        const [container] = source.job?.spec?.template.spec?.containers ?? [];
        container.args = ["lmp", "-in", "a b"];
        container.env?.push(
            { name: "PASSWORD", value: "hunter2" },
            { name: "MINICLUSTER_RUN_OPTIONS", value: "-N2\n-n4" },
        );
        const report = collect(source);
        assert.deepEqual(report.ran.command, ["lmp", "-in", "a b"]);
        assert.equal(report.ran.settings["Options of flux run"], "-N2 -n4");
        assert.doesNotMatch(JSON.stringify(report), /hunter2/);
    });

    it("has each job's times in milliseconds, its state, its reason and its cores", () => {
        const source = makeSource({ ranks: 1, jobs: 0 });
        const jobs = [
            {
                id: "f1",
                name: "ok",
                submit: 10,
                depend: 10.1,
                alloc: 11,
                start: 11.5,
                finish: 12,
                clean: 12.5,
                status: 0,
            },
            { id: "f2", name: "bad", submit: 10, alloc: 11, start: 11.5, finish: 12, clean: 12.5, status: 3 << 8 },
            {
                id: "f3",
                name: "late",
                submit: 10,
                alloc: 11,
                finish: 12,
                status: 14,
                exception: { at: 12, type: "timeout", note: "" },
            },
            { id: "f8", name: "hostnam", submit: 10, alloc: 11, start: 11, finish: 12, clean: 13, status: 127 << 8 },
            { id: "f4", name: "gone", submit: 10, clean: 12, exception: { at: 12, type: "cancel", note: "by hand" } },
            {
                id: "f5",
                name: "runs",
                submit: 10,
                alloc: 11,
                resources: [{ rank: "0,2-3", children: { core: "0-1" } }],
            },
            { id: "f6", name: "waits", submit: 10 },
            {
                id: "f7",
                name: "lost",
                submit: 10,
                alloc: 11,
                clean: 12,
                exception: { at: 12, type: "exec", note: "node failure" },
            },
        ];
        const report = collect({ ...source, history: { ...source.history!, count: jobs.length, jobs } });
        assert.deepEqual(
            report.jobs?.map(({ exitCode, name, reason, state }) => [name, state, exitCode, reason]),
            [
                ["ok", "completed", 0, undefined],
                ["bad", "failed", 3, "exit code 3"],
                ["late", "timed out", 142, "it reached its time limit; raise timeLimit"],
                ["hostnam", "failed", 127, "exit code 127 (the program was not found)"],
                ["gone", "cancelled", undefined, "it was cancelled: by hand"],
                ["runs", "running", undefined, undefined],
                ["waits", "waiting", undefined, undefined],
                ["lost", "failed", undefined, "exec: node failure"],
            ],
        );
        const [ok, , , , , runs] = report.jobs ?? [];
        assert.deepEqual([ok.submittedAt, ok.readyAt, ok.startedAt, ok.finishedAt], [10_000, 10_100, 11_500, 12_000]);
        assert.deepEqual([runs.nodes, runs.cores], [3, 6]);
    });

    it("joins the failures of jobs with one reason, the most frequent first", () => {
        const report = collect(makeSource({ ranks: 4, jobs: 200 }));
        const failed = report.jobs?.filter(({ state }) => state === "failed") ?? [];
        assert.ok(failed.length > 1);
        assert.deepEqual(report.failures, [
            {
                about: `${failed.length} jobs`,
                message: `exit code 1. The first one is ${failed[0].name} (${failed[0].id}).`,
                at: failed[0].finishedAt,
            },
        ]);
    });

    it("takes the time at which a rank joined from Flux, and from Kubernetes if Flux doesn't know it", () => {
        const source = makeSource({ ranks: 2, jobs: 0 });
        const { changes = [] } = source.history ?? {};
        const precise = changes.find(({ ranks }) => ranks === "1")?.at ?? 0;
        assert.equal(collect(source).pods[1].joinedAt, Math.round(precise * 1000));
        const without = collect({ ...source, history: undefined });
        assert.equal(without.pods[1].joinedAt, Math.ceil(precise) * 1000);
    });

    it("counts the times of a later start from the creation of the lead's pod", () => {
        const source = makeSource({ ranks: 2, jobs: 0 });
        const { startedAt: first, timings: before } = collect(source);
        const hour = 3_600_000;
        const created = new Date(CREATED - hour);
        const job = { ...source.job, metadata: { ...source.job?.metadata, creationTimestamp: created } };
        const { startedAt, timings } = collect({ ...source, job });
        assert.deepEqual([first, startedAt], [CREATED, CREATED + 1000]);
        assert.deepEqual(
            Object.values(timings),
            Object.values(before).map((seconds) => Math.max(0, seconds - 1)),
        );
        assert.ok(timings.quorum > 0 && timings.quorum < 120);
    });

    it("doesn't know when a follower joined that has ended, and knows the lead's quorum by its record", () => {
        const source = makeSource({ ranks: 2, jobs: 0 });
        const ended = source.pods.map((pod, rank) => endedPod(pod, rank));
        const { pods } = collect({ ...source, history: undefined, pods: ended });
        assert.deepEqual(
            pods.map(({ joinedAt }) => joinedAt),
            [CREATED + 3000, undefined],
        );
    });

    it("names the slowest rank and its longest step", () => {
        assert.match(collect(makeSource({ ranks: 4, jobs: 0 })).slowest, /^lammps-\d-x7k2p: \d+ s, most of it /);
    });

    it("has replaced pods that only Events tell of", () => {
        const source = makeSource({ ranks: 2, jobs: 0 });
        const lost = "lammps-1-abcde";
        const message = "Successfully assigned hpc/lammps-1-abcde to node-7";
        const events = [
            event(lost, "Scheduled", 1, { message }),
            event(lost, "Started", 4),
            event(lost, "Killing", 60),
            event("other-1-abcde", "Started", 4),
        ];
        source.pods[1].metadata!.creationTimestamp = at(70);
        const [, first, second] = collect({ ...source, events }).pods;
        assert.deepEqual(
            [first.name, first.node, first.state, first.isGone],
            [lost, "node-7", "ended by Kubernetes", true],
        );
        assert.deepEqual(
            [first.createdAt, first.startedAt, first.endedAt],
            [1, 4, 60].map((time) => CREATED + time * 1000),
        );
        assert.equal(second.name, "lammps-1-x7k2p");
    });

    it("counts a repeated warning as one row", () => {
        const warning = { type: "Warning", message: "Back-off pulling image", count: 3, firstTimestamp: at(1) };
        const events = [event("lammps-1-x7k2p", "BackOff", 5, warning), event("lammps-1-x7k2p", "BackOff", 9, warning)];
        const { warnings } = collect({ ...makeSource({ ranks: 2, jobs: 0 }), events });
        assert.deepEqual(warnings, [
            {
                about: "lammps-1-x7k2p",
                reason: "BackOff",
                message: "Back-off pulling image",
                count: 6,
                firstAt: CREATED + 1000,
                lastAt: CREATED + 9000,
            },
        ]);
    });

    it("says which pods, Events, jobs and joins it lacks", () => {
        const source = makeSource({ ranks: 3, jobs: 5 });
        const history = { ...source.history!, count: 9, started: CREATED / 1000 + 600 };
        const now = CREATED + 2 * 3_600_000;
        const unread = ["Kubernetes' Events: forbidden. The right to list events is needed."];
        assert.deepEqual(collect({ ...source, pods: source.pods.slice(0, 1), history, now, unread }).missing, [
            "Kubernetes' Events: forbidden. The right to list events is needed.",
            "The pods of ranks 1-2: Kubernetes has removed them, or not created them yet.",
            "Earlier Events: the cluster was created 2 h 0 min ago, and Kubernetes keeps Events for an hour by default. Replaced " +
                "pods and warnings may be missing.",
            "Earlier jobs: Flux knows 9 jobs. The report has the last 5 of them.",
            "Earlier joins of ranks: the lead's broker was restarted 10 min after its container's start, and Flux forgets them then.",
        ]);
        assert.deepEqual(collect(makeSource({ ranks: 3, jobs: 5 })).missing, []);
    });

    it("has the end and the cause of a cluster that has failed", () => {
        const conditions = [
            { type: "Failed", status: "True", reason: "BackoffLimitExceeded", lastTransitionTime: at(90) },
        ];
        const pod = makePod("lammps", 0, 3);
        const message = "minicluster.quorum=1795680003.00\nminicluster.attempts=2\n";
        pod.status!.phase = "Failed";
        pod.status!.containerStatuses![0].state = {
            terminated: { exitCode: 3, reason: "Error", message, startedAt: at(2), finishedAt: at(80) },
        };
        const source = { ...makeSource({ ranks: 1, jobs: 0 }), job: makeJob("lammps", 1, { conditions }), pods: [pod] };
        const report = collect({ ...source, history: undefined, unread: ["Flux' jobs: the cluster has ended."] });
        assert.deepEqual(
            [report.cluster.phase, report.cluster.exitCode, report.attempts, report.jobs, report.usage],
            ["failed", 3, 2, null, null],
        );
        assert.equal(report.cluster.endedAt, CREATED + 90_000);
        assert.equal(report.pods[0].endedAt, CREATED + 80_000);
        assert.deepEqual(report.failures, [{ about: "Cluster", message: "The command ended with exit code 3." }]);
    });

    it("takes what the stack's outputs recorded if the Job doesn't exist any more", () => {
        const outputs = {
            uid: "old",
            phase: "expired",
            exitCode: 0,
            timings: { quorum: 4.5, ended: 60 },
            slowestRank: "lammps-1-x7k2p: 5 s, most of it joining",
            nodes: { "0": "node-1", "1": "node-2" },
        };
        const unread = ["The Job, its pods and Flux' jobs: Job hpc/lammps does not exist any more."];
        const report = collect({
            name: "lammps",
            namespace: "hpc",
            now: CREATED,
            pods: [],
            events: [],
            recorded: outputs,
            unread,
        });
        const { cluster, missing, slowest, timings } = report;
        assert.deepEqual(cluster, {
            name: "lammps",
            namespace: "hpc",
            uid: "old",
            phase: "expired",
            size: 2,
            exitCode: 0,
        });
        assert.deepEqual([missing, slowest, timings], [unread, outputs.slowestRank, outputs.timings]);
    });

    for (const state of [
        "commandEnded",
        "complete",
        "imagePull",
        "joining",
        "pending",
        "rankLost",
        "rankReplaced",
        "ready",
    ]) {
        it(`reads the objects of a real API server: ${state}`, () => {
            const report = collect(recorded(state));
            assert.ok(report.pods.length > 0);
            assert.ok(report.pods.every(({ createdAt, rank }) => rank >= 0 && createdAt > 0));
            assert.match(report.cluster.uid, /^[0-9a-f-]{36}$/);
        });
    }

    it("tells why the pods of a real API server don't start", () => {
        const { failures } = collect(recorded("imagePull"));
        assert.match(failures.map(({ message }) => message).join("\n"), /image/i);
    });
});

import assert from "node:assert/strict";

import type { V1Job, V1Pod } from "@kubernetes/client-node";
import fc from "fast-check";

import { collect } from "../../../../cli/report/collect";
import type { Report } from "../../../../cli/report/model";
import type { RecordedOutputs } from "../../../../cli/target/stack";
import { parseIdset } from "../../../../provider/flux/idset";
import { failuresOf } from "../../../../provider/jobStatus/failure";
import { slowestRank, timings } from "../../../../provider/jobStatus/timings";
import { summarize } from "../../../../provider/observe/pods/pod";
import { recordOf } from "../../../../provider/record/record";
import { CREATED, makeJob, makePod } from "../../support/runs";

const at = (seconds: number) => new Date(CREATED + seconds * 1000);
const iso = (seconds: number) => at(seconds).toISOString() as unknown as Date;

/** A pod of a rank as it is at the end of the run, and what happened to it. */
interface Fate {
    readonly join: number;
    /** It ran on when the update saw the end. */
    readonly runsOn: boolean;
    readonly exitCode: number;
    readonly reason: string;
    readonly image: string;
}

const fates = fc.record({
    join: fc.integer({ min: 1, max: 30 }),
    runsOn: fc.boolean(),
    exitCode: fc.constantFrom(0, 1, 137),
    reason: fc.constantFrom("Error", "OOMKilled"),
    image: fc.constantFrom("registry.example/lammps@sha256:aa", "registry.example/lammps@sha256:bb"),
});

const runs = fc.record({
    ranks: fc.array(fates, { minLength: 1, maxLength: 6 }),
    command: fc.array(fc.string(), { minLength: 1, maxLength: 5 }),
    isSecret: fc.boolean(),
    attempts: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
});
type Run = typeof runs extends fc.Arbitrary<infer T> ? T : never;

function jobOf({ command, ranks }: Run): V1Job {
    const hasFailed = ranks[0].exitCode !== 0;
    const condition = {
        type: hasFailed ? "Failed" : "Complete",
        status: "True",
        reason: "PodFailurePolicy",
        message: "it failed",
    };
    const job = makeJob("lammps", ranks.length, { conditions: [{ ...condition, lastTransitionTime: iso(99) }] });
    const [container] = job.spec!.template.spec!.containers;
    container.args = command.map((word) => word.replaceAll("$", "$$$$"));
    container.env = [
        { name: "MINICLUSTER_MODE", value: "ephemeral" },
        { name: "MINICLUSTER_RUN_OPTIONS", value: "-N2\n-n4" },
    ];
    job.spec!.ttlSecondsAfterFinished = 600;
    return job;
}

function podOf({ attempts }: Run, { exitCode, image, join, reason, runsOn }: Fate, rank: number): V1Pod {
    const pod = makePod("lammps", rank, join);
    const [container] = pod.status!.containerStatuses!;
    container.imageID = image;
    if (rank > 0 && runsOn) {
        return pod;
    }
    const tried = attempts === undefined ? "" : `minicluster.attempts=${attempts}\n`;
    const message = rank === 0 ? `minicluster.quorum=${CREATED / 1000 + join}.25\nminicluster.ended=2\n${tried}` : "";
    container.state = {
        terminated: {
            exitCode,
            reason: exitCode === 0 ? "Completed" : reason,
            message,
            startedAt: iso(join),
            finishedAt: iso(90),
        },
    };
    pod.status!.conditions = pod.status!.conditions!.filter(({ type }) => type !== "Ready");
    pod.status!.phase = exitCode === 0 ? "Succeeded" : "Failed";
    return pod;
}

/** What an update records of the run. */
function outputsOf(job: V1Job, pods: readonly V1Pod[], isSecret: boolean): RecordedOutputs {
    const ranks = pods.map(summarize);
    const exitCode = ranks[0].terminated?.exitCode ?? null;
    const phase = exitCode === 0 ? "succeeded" : "failed";
    const record = recordOf({
        job,
        ranks,
        phase,
        exitCode,
        failures: failuresOf(phase === "failed" ? "PodFailurePolicy: it failed" : undefined, ranks),
        output: "hello\n",
        results: undefined,
        isSecret,
        kubernetes: "1.34",
        nodeTypeOf: () => "c7",
    });
    const outputs = {
        uid: "job-uid",
        phase,
        exitCode,
        timings: timings(job, ranks),
        slowestRank: slowestRank(job, ranks),
        record,
    };
    return JSON.parse(JSON.stringify(outputs)) as RecordedOutputs;
}

/** The ranks whose ends are named as missing. */
function unended({ missing }: Report): Set<number> {
    return parseIdset(/^The ends of the pods of ranks (\S+):/m.exec(missing.join("\n"))?.[1] ?? "");
}

/** What a report has beside what another one names as missing. */
function withoutMissing(report: Report, other: Report): object {
    const ends = unended(other);
    const isHidden = other.missing.some((line) => line.includes("output.secret"));
    const { missing: _, ...rest } = report;
    return JSON.parse(
        JSON.stringify({
            ...rest,
            ran: isHidden
                ? {
                      ...rest.ran,
                      command: undefined,
                      settings: { ...rest.ran.settings, "Options of flux run": undefined },
                  }
                : rest.ran,
            pods: rest.pods.map((pod) => (ends.has(pod.rank) ? { ...pod, endedAt: undefined, state: "" } : pod)),
        }),
    ) as object;
}

describe("the report of a run that has ended", () => {
    it("is the same before and after its Job is gone, except for what it names as missing", () => {
        fc.assert(
            fc.property(runs, (run) => {
                const job = jobOf(run);
                const pods = run.ranks.map((fate, rank) => podOf(run, fate, rank));
                const recorded = outputsOf(job, pods, run.isSecret);
                const common = {
                    name: "lammps",
                    namespace: "hpc",
                    now: CREATED + 100_000,
                    events: [],
                    unread: [],
                    recorded,
                };
                // The followers that ran on have ended meanwhile.
                const later = run.ranks.map((fate, rank) => podOf(run, { ...fate, runsOn: false }, rank));
                const before = collect({ ...common, job, pods: later });
                const after = collect({ ...common, pods: [] });
                assert.deepEqual(withoutMissing(after, after), withoutMissing(before, after));
                const running = run.ranks.flatMap(({ runsOn }, rank) => (runsOn && rank > 0 ? [rank] : []));
                assert.deepEqual([...unended(after)], running);
                assert.deepEqual(unended(before).size, 0);
            }),
        );
    });

    it("is the one that an update without a record would have had, from the Job and its pods", () => {
        fc.assert(
            fc.property(runs, (all) => {
                const run = { ...all, isSecret: false };
                const job = jobOf(run);
                const pods = run.ranks.map((fate, rank) => podOf(run, fate, rank));
                const recorded = outputsOf(job, pods, false);
                const common = { name: "lammps", namespace: "hpc", now: CREATED + 100_000, events: [], unread: [] };
                const after = collect({ ...common, pods: [], recorded });
                const live = collect({ ...common, job, pods, recorded: { ...recorded, record: undefined } });
                const ofPods = ({ pods: runsOf }: Report) =>
                    runsOf.map((pod) => ({ ...pod, state: pod.endedAt && pod.state }));
                const of = (report: Report) => {
                    const { attempts, cluster, failures, ran, slowest, startedAt, timings: times } = report;
                    const parts = { attempts, cluster, failures, ran, slowest, startedAt, times, pods: ofPods(report) };
                    return JSON.parse(JSON.stringify(parts)) as object;
                };
                assert.deepEqual(of(after), of(live));
            }),
        );
    });

    it("has the ends of followers that Kubernetes still knows, and the pods that the record doesn't have", () => {
        const run: Run = {
            ranks: [0, 1].map(() => ({
                join: 3,
                runsOn: true,
                exitCode: 0 as const,
                reason: "Error" as const,
                image: "registry.example/lammps@sha256:aa" as const,
            })),
            command: ["a"],
            isSecret: false,
            attempts: undefined,
        };
        const job = jobOf(run);
        const pods = run.ranks.map((fate, rank) => podOf(run, fate, rank));
        const recorded = outputsOf(job, pods, false);
        const replaced = podOf(run, { ...run.ranks[1], runsOn: false }, 1);
        replaced.metadata!.name = "lammps-1-older";
        const source = { name: "lammps", namespace: "hpc", now: CREATED, events: [], unread: [], recorded };
        const report = collect({ ...source, job, pods: [...pods, replaced] });
        assert.deepEqual(
            report.pods.map(({ endedAt, name, node, state }) => [name, node, endedAt, state]),
            [
                ["lammps-0-x7k2p", "node-0", CREATED + 90_000, "exit code 0"],
                ["lammps-1-x7k2p", "node-1", undefined, "not seen to end"],
                ["lammps-1-older", "node-1", CREATED + 90_000, "exit code 0"],
            ],
        );
        assert.deepEqual(report.missing, [
            "The ends of the pods of ranks 1: they still ran when the update saw the command's end.",
        ]);
    });

    it("doesn't take a secret record, which is a text", () => {
        const recorded = { phase: "succeeded", record: "[secret]" } as unknown as RecordedOutputs;
        const report = collect({
            name: "lammps",
            namespace: "hpc",
            now: CREATED,
            pods: [],
            events: [],
            unread: [],
            recorded,
        });
        assert.deepEqual([report.cluster.phase, report.ran.image], ["succeeded", ""]);
    });
});

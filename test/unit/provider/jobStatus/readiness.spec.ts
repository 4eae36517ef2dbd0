import assert from "node:assert/strict";

import type { V1Pod } from "@kubernetes/client-node";

import { type Progress, progress } from "../../../../provider/jobStatus/readiness";
import type { JobStatusInputs } from "../../../../provider/jobStatus/properties";
import { Observation } from "../../../../provider/observe/pods/observation";
import { summarize } from "../../../../provider/observe/pods/pod";
import { createdAt, makePod, makeStatusInputs, observe, readState, type State, TIMEOUTS } from "../../support/states";

const second = 1000;

/** Progress in a recorded state, some seconds after the Job's creation. */
function at(name: string, seconds: number, inputs: Partial<JobStatusInputs> = {}, change?: (state: State) => void) {
    const state = readState(name);
    change?.(state);
    const now = createdAt(state) + seconds * second;
    const { timers: _, wakeAt, ...rest } = progress(observe(state), makeStatusInputs(inputs), now);
    return { ...rest, ...(wakeAt === undefined ? {} : { wakeAt: (wakeAt - createdAt(state)) / second }) };
}

const ephemeral = { ephemeral: true, waitFor: "completed" };

function hold({ job }: State): void {
    job.spec!.suspend = true;
}

/** Kueue knows a Job by its label alone, which a webhook may have given it. */
function holdInQueue(state: State): void {
    hold(state);
    state.job.metadata!.labels = { ...state.job.metadata!.labels, "kueue.x-k8s.io/queue-name": "default" };
}

describe("progress", () => {
    it("is unknown before the first list", () => {
        const empty = new Observation("uid", 0);
        assert.deepEqual(progress(empty, makeStatusInputs(), 0), { phase: "unknown", line: "looking for the Job" });
    });

    it("fails if the Job is gone", () => {
        const seen = new Observation("uid", 0);
        Object.assign(seen, { jobListed: true, podsListed: true });
        const { failure, outcome, phase } = progress(seen, makeStatusInputs(), 0);
        assert.deepEqual([outcome, phase], ["failed", "gone"]);
        assert.match(failure ?? "", /^The Job was deleted by another client\./);
    });

    describe("for a Job that its TTL may have removed", () => {
        const removed = (inputs: Partial<JobStatusInputs>, wasThere = false) => {
            const seen = new Observation("uid", 0);
            Object.assign(seen, { jobListed: true, podsListed: true, hadJob: wasThere });
            return progress(seen, makeStatusInputs({ ...ephemeral, expires: true, ...inputs }), 0);
        };

        for (const waitFor of ["none", "ready"]) {
            it(`is expired and reaches the goal if waitFor is ${waitFor}`, () => {
                assert.deepEqual(removed({ waitFor }), {
                    phase: "expired",
                    line: "the Job's TTL has removed it",
                    outcome: "reached",
                });
            });
        }

        it("is expired and fails if waitFor is completed", () => {
            const { failure, outcome, phase } = removed({});
            assert.deepEqual([outcome, phase], ["failed", "expired"]);
            assert.match(failure ?? "", /^The Job's TTL has removed it before its result was seen\. Change triggers/);
        });

        const gone: [string, Partial<JobStatusInputs>, boolean][] = [
            ["that was there when the wait began", { waitFor: "ready" }, true],
            ["of a persistent cluster", { ephemeral: false, waitFor: "ready" }, false],
            ["without a TTL", { expires: undefined, waitFor: "ready" }, false],
        ];
        for (const [what, inputs, wasThere] of gone) {
            it(`is gone for a Job ${what}`, () => assert.deepEqual(removed(inputs, wasThere).phase, "gone"));
        }
    });

    describe("for a persistent cluster", () => {
        const steps: [string, object][] = [
            // After 10 s, the line says that no kubelet has looked at the pod.
            ["pending", { phase: "pending", line: "0/3 pods running; flux-0-q889g ContainerCreating", wakeAt: 10 }],
            ["pulling", { phase: "starting", line: "1/3 pods running; flux-1-4f7b6 ContainerCreating", wakeAt: 1800 }],
            ["joining", { phase: "starting", line: "1/3 ranks joined", wakeAt: 1800 }],
            ["ready", { phase: "ready", line: "ready 3/3", outcome: "reached" }],
        ];
        for (const [name, expected] of steps) {
            it(`reports phase and line of the recorded state "${name}"`, () => assert.deepEqual(at(name, 5), expected));
        }

        it("waits for the ranks that a new size adds", () => {
            assert.deepEqual(at("ready", 5, { size: 4 }), {
                phase: "starting",
                line: "3/4 pods running",
                wakeAt: 1800,
            });
        });

        it("waits until the ranks that a new size removes are gone", () => {
            assert.deepEqual(at("ready", 5, { size: 2 }), { phase: "starting", line: "1 ranks leave", wakeAt: 1800 });
        });

        const deleted =
            (...ranks: number[]) =>
            (state: State) => {
                const going = state.pods.filter((pod) => ranks.includes(summarize(pod).rank));
                going.forEach(({ metadata }) => Object.assign(metadata!, { deletionTimestamp: new Date() }));
            };

        it("waits for ranks whose pods are being deleted but still Ready", () => {
            const { outcome, phase } = at("ready", 5, {}, deleted(0, 1, 2));
            assert.deepEqual([outcome, phase], [undefined, "starting"]);
            assert.equal(at("ready", 5, {}, deleted(1)).line, "2/3 ranks joined");
        });

        it("waits until pods above the new size have ended, not only been deleted", () => {
            const { line, outcome } = at("ready", 5, { size: 2 }, deleted(2));
            assert.deepEqual([outcome, line], [undefined, "1 ranks leave"]);
        });

        it("accepts the size that an autoscaler gives the cluster", () => {
            assert.equal(at("ready", 5, { size: 9, sizedBy: "autoscaler" }).outcome, "reached");
        });

        it("is ready with its lead if the cluster sizes itself, because it may grow at once", () => {
            const elastic = { sizedBy: "cluster", wake: "" } as const;
            assert.equal(at("ready", 5, elastic, deleted(1, 2)).outcome, "reached");
            assert.equal(at("ready", 5, elastic, deleted(0)).outcome, undefined);
            assert.equal(at("ready", 5, { sizedBy: "autoscaler" }, deleted(1, 2)).outcome, undefined);
        });

        it("gives new ranks of an old cluster the whole timeout", () => {
            const state = readState("ready");
            const now = createdAt(state) + 86_400 * second;
            const seen = new Observation(state.job.metadata!.uid!, now);
            Object.assign(seen, { job: state.job, jobListed: true, podsListed: true });
            state.pods.forEach((pod) => seen.setPod(summarize(pod), now));
            const { failure, wakeAt } = progress(seen, makeStatusInputs({ size: 4 }), now);
            assert.deepEqual([failure, wakeAt], [undefined, now + 1800 * second]);
        });

        it("counts a lost rank as not joined", () => {
            assert.equal(at("rankLost", 60).phase, "starting");
        });

        it("counts the newest pod of a recreated rank", () => {
            assert.deepEqual(at("rankReplaced", 60), { phase: "starting", line: "2/3 ranks joined", wakeAt: 1800 });
        });

        it("fails if the cluster has shut itself down", () => {
            assert.deepEqual(at("complete", 20), {
                phase: "succeeded",
                line: "shut down",
                outcome: "failed",
                failure: "The cluster was shut down from within (flux shutdown).",
            });
        });
    });

    describe("for an ephemeral cluster", () => {
        const steps: [string, object][] = [
            ["commandRuns", { phase: "running", line: "command runs" }],
            ["commandEnded", { phase: "succeeded", line: "completed", outcome: "reached" }],
            ["leadSucceeded", { phase: "succeeded", line: "completed", outcome: "reached" }],
            ["criteriaMet", { phase: "succeeded", line: "completed", outcome: "reached" }],
            ["complete", { phase: "succeeded", line: "completed", outcome: "reached" }],
        ];
        for (const [name, expected] of steps) {
            it(`reports phase and line of the recorded state "${name}"`, () =>
                assert.deepEqual(at(name, 5, ephemeral), expected));
        }

        /** Kubernetes' counts of earlier pods, in a Job whose command may start again. */
        const replaced = (rank: number, removals: number, startedAt?: Date) => (state: State) => {
            const [pod] = state.pods.filter(({ metadata }) => metadata?.name?.startsWith(`eph-${rank}`));
            assert.ok(pod?.metadata !== undefined && pod.status !== undefined);
            pod.metadata.annotations = {
                "batch.kubernetes.io/job-index-failure-count": "0",
                "batch.kubernetes.io/job-index-ignored-failure-count": String(removals),
            };
            if (startedAt === undefined) {
                pod.status = { phase: "Pending" };
            }
        };

        it("tells how many lost pods were replaced", () => {
            const { line, phase } = at("commandRuns", 5, ephemeral, replaced(0, 2, new Date()));
            assert.deepEqual([phase, line], ["running", "command runs; lost pods replaced: 2"]);
        });

        it("tells which new pod of a lost rank hasn't started", () => {
            const { line, phase } = at("commandRuns", 5, ephemeral, replaced(1, 1));
            assert.deepEqual(
                [phase, line],
                ["running", "command runs; lost pods replaced: 1; eph-1-g5jv2 ContainerCreating"],
            );
        });

        describe("whose command needs all ranks", () => {
            const line = (change: (state: State) => void) =>
                at("commandRuns", 5, { ...ephemeral, needsAllRanks: true }, change).line;
            const changed = (change: (pod: V1Pod) => void) =>
                line((state) => {
                    replaced(1, 1, new Date())(state);
                    const [pod] = state.pods.filter(({ metadata }) => metadata?.name === "eph-1-g5jv2");
                    change(pod);
                });
            const notReady = (pod: V1Pod) => {
                pod.status!.conditions = [];
            };

            it("tells for which pod the command waits", () => {
                assert.equal(
                    line(replaced(1, 1)),
                    "command waits for eph-1-g5jv2 (ContainerCreating); lost pods replaced: 1",
                );
            });

            it("tells which pod has to join", () => {
                assert.equal(changed(notReady), "command waits for eph-1-g5jv2 to join; lost pods replaced: 1");
            });

            it("runs when all new pods have joined, and while one of them leaves", () => {
                const runs = "command runs; lost pods replaced: 1";
                assert.equal(line(replaced(1, 1, new Date())), runs);
                const leaves = (pod: V1Pod) => {
                    notReady(pod);
                    pod.metadata!.deletionTimestamp = new Date();
                };
                assert.equal(changed(leaves), runs);
            });
        });

        it("reaches the goal at the quorum if waitFor is ready", () => {
            assert.deepEqual(at("commandRuns", 5, { ...ephemeral, waitFor: "ready" }), {
                phase: "running",
                line: "command runs",
                outcome: "reached",
            });
        });

        it("reaches the goal if waitFor is ready and the lead has succeeded", () => {
            assert.equal(at("commandEnded", 5, { ...ephemeral, waitFor: "ready" }).outcome, "reached");
            assert.equal(at("leadSucceeded", 5, { ...ephemeral, waitFor: "ready" }).outcome, "reached");
        });

        it("limits the run only if timeouts.completed is given", () => {
            const limited = { ...ephemeral, timeouts: { ...TIMEOUTS, completed: 7200 } };
            assert.equal(at("commandRuns", 100_000, ephemeral).failure, undefined);
            assert.equal(at("commandRuns", 7199, limited).wakeAt, 7200);
            assert.deepEqual(at("commandRuns", 7200, limited), {
                phase: "running",
                line: "command runs",
                outcome: "failed",
                failure: "The command has not finished within timeouts.completed, 2 h 0 min.",
            });
        });
    });

    const failed = (type: string) => (state: State) => {
        state.job.status = {
            conditions: [
                {
                    type,
                    status: "True",
                    reason: "BackoffLimitExceeded",
                    message: "Job has reached the specified backoff limit",
                },
            ],
        };
    };

    for (const type of ["Failed", "FailureTarget"]) {
        it(`fails with Kubernetes' reason at the condition ${type}`, () => {
            assert.deepEqual(at("commandEnded", 5, ephemeral, failed(type)), {
                phase: "failed",
                line: "failed: BackoffLimitExceeded",
                outcome: "failed",
                failure: "BackoffLimitExceeded: Job has reached the specified backoff limit",
            });
        });
    }

    describe("if waitFor is none", () => {
        const none = (name: string, inputs: Partial<JobStatusInputs> = {}, change?: (state: State) => void) =>
            at(name, 0, { waitFor: "none", ...inputs }, change);

        for (const [name, phase] of [
            ["pending", "pending"],
            ["joining", "starting"],
            ["ready", "ready"],
        ]) {
            it(`is ${phase} and reaches the goal at once`, () =>
                assert.deepEqual(none(name), { phase, line: "created", outcome: "reached" }));
        }

        it("is queued while the queue holds the Job, as in a refresh", () => {
            assert.equal(none("pending", {}, holdInQueue).phase, "queued");
            assert.equal(none("pending", {}, hold).phase, "suspended");
        });
    });

    describe("for a suspended Job", () => {
        const held = (inputs: Partial<JobStatusInputs>) => at("pending", 5, inputs, hold);

        it("reaches the goal if suspend is true", () => {
            assert.deepEqual(held({ suspend: true }), { phase: "suspended", line: "suspended", outcome: "reached" });
        });

        it("lets the Job wait in its queue without a timeout", () => {
            assert.deepEqual(at("pending", 5, {}, holdInQueue), { phase: "queued", line: "waits in its queue" });
        });

        it("says in Kueue's words why the Job waits in its queue", () => {
            const state = readState("pending");
            holdInQueue(state);
            const seen = observe(state);
            seen.queueReason = "LocalQueue physics doesn't exist";
            const { line, outcome } = progress(seen, makeStatusInputs(), createdAt(state));
            assert.deepEqual([line, outcome], ["waits in its queue: LocalQueue physics doesn't exist", undefined]);
        });

        it("waits if another client has suspended the Job", () => {
            assert.deepEqual(held({}), { phase: "suspended", line: "suspended by another client" });
        });

        it("reaches the goal at once if waitFor is none", () => {
            assert.equal(held({ waitFor: "none" }).outcome, "reached");
        });
    });

    describe("after the timeout", () => {
        it("fails and names the missing ranks", () => {
            const inputs = { timeouts: { ...TIMEOUTS, ready: 60 } };
            assert.equal(at("joining", 59.9, inputs).failure, undefined);
            const { failure, outcome } = at("joining", 60, inputs);
            assert.equal(outcome, "failed");
            assert.match(failure ?? "", /^No quorum within timeouts.ready, 60 s: per-1-\w+ did not join\.$/);
        });

        it("names at most five ranks", () => {
            const state = readState("pending");
            const many = Array.from({ length: 9 }, (_, rank) => makePod(rank, { phase: "Pending" }));
            const seen = observe({ ...state, pods: many });
            const { failure } = progress(seen, makeStatusInputs({ size: 9 }), createdAt(state) + 1800 * second);
            assert.equal(failure?.split(" did not join.")[0].match(/lammps-/g)?.length, 5);
        });

        it("says nothing of pods while the API server doesn't answer, because they may have joined", () => {
            const state = readState("joining");
            const seen = observe(state);
            const inputs = makeStatusInputs({ timeouts: { ...TIMEOUTS, ready: 60 } });
            const look = (seconds: number) => progress(seen, inputs, createdAt(state) + seconds * second);
            seen.setAnswer("pods", "connect ECONNREFUSED", createdAt(state) + 50 * second);
            assert.equal(look(60).outcome, undefined);
            assert.equal(look(60).wakeAt, createdAt(state) + 110 * second);
            assert.match(look(110).failure ?? "", /^The API server does not answer: connect ECONNREFUSED/);
            seen.setAnswer("pods", undefined, createdAt(state) + 100 * second);
            assert.match(look(100).failure ?? "", /^No quorum within timeouts.ready, 60 s: per-1-\w+ did not join\.$/);
        });

        it("says how many pods are missing", () => {
            const { failure } = at("pending", 1800, {}, (state) => state.pods.splice(0));
            assert.equal(failure, "No quorum within timeouts.ready, 30 min: 3 pods did not join.");
        });
    });

    describe("over several looks", () => {
        /** Looks several times: so many seconds after the Job's creation, at this Job and these pods. */
        function looks(inputs: Partial<JobStatusInputs>, ...times: [number, State][]) {
            const [[, first]] = times;
            const begun = createdAt(first);
            const seen = new Observation(first.job.metadata!.uid!, begun);
            seen.podsListed = true;
            seen.jobListed = true;
            let last: Progress | undefined;
            for (const [seconds, { job, pods }] of times) {
                const now = begun + seconds * second;
                seen.job = job;
                seen.removePods();
                pods.forEach((pod) => seen.setPod(summarize(pod), now));
                last = progress(seen, makeStatusInputs(inputs), now, last?.timers);
            }
            return {
                failure: last!.failure,
                wakeAt: last!.wakeAt === undefined ? undefined : (last!.wakeAt - begun) / second,
            };
        }

        /** A recorded state whose Job is suspended, or was resumed and has no start time yet, or an old one. */
        function changed(name: string, spec: object, startedAfter?: number): State {
            const state = readState(name);
            const startTime =
                startedAfter === undefined ? undefined : new Date(createdAt(state) + startedAfter * second);
            const job = {
                ...state.job,
                spec: { ...state.job.spec!, ...spec },
                status: { ...state.job.status, startTime },
            };
            return { job, pods: spec === held || startedAfter === undefined ? [] : state.pods };
        }
        const held = { suspend: true };
        const runs = readState("commandRuns");
        const lost: State = { ...runs, pods: [] };

        it("gives a lost lead the whole timeout, however long the command has run", () => {
            assert.deepEqual(looks(ephemeral, [5, runs], [7200, lost]), { failure: undefined, wakeAt: 9000 });
            assert.match(
                looks(ephemeral, [5, runs], [7200, lost], [9000, lost]).failure ?? "",
                /^No quorum within timeouts\.ready, 30 min/,
            );
        });

        it("gives a lead that is lost again the whole timeout again", () => {
            assert.equal(looks(ephemeral, [5, runs], [7200, lost], [8000, runs], [9500, lost]).wakeAt, 11_300);
        });

        it("counts from the first look if a lead repeatedly ends before its quorum", () => {
            const crashed = readState("commandRuns");
            const [lead] = crashed.pods;
            lead.status = {
                phase: "Failed",
                containerStatuses: [
                    {
                        name: "flux",
                        image: "",
                        imageID: "",
                        ready: false,
                        restartCount: 0,
                        state: { terminated: { exitCode: 1 } },
                    },
                ],
            };
            assert.equal(looks(ephemeral, [5, lost], [600, crashed], [700, lost]).wakeAt, 1800);
        });

        it("counts from the release of a queued Job, even before its start time is set", () => {
            const released = changed("pending", { suspend: false });
            assert.deepEqual(looks({}, [5, changed("pending", held)], [7200, released]), {
                failure: undefined,
                wakeAt: 9000,
            });
        });

        it("doesn't count the time before a preemption", () => {
            const inputs = { ...ephemeral, timeouts: { ...TIMEOUTS, completed: 3600 } };
            const preempted: [number, State][] = [
                [5, changed("commandRuns", {}, 0)],
                [3000, changed("commandRuns", held, 0)],
            ];
            assert.equal(looks(inputs, ...preempted, [7200, changed("commandRuns", {}, 0)]).wakeAt, 10_800);
            assert.equal(
                looks(inputs, ...preempted, [7200, { ...lost, job: changed("commandRuns", {}, 0).job }]).wakeAt,
                9000,
            );
        });

        it("recognises a suspension between two looks by a newer start time", () => {
            const inputs = { ...ephemeral, timeouts: { ...TIMEOUTS, completed: 3600 } };
            assert.equal(
                looks(inputs, [5, changed("commandRuns", {}, 0)], [7200, changed("commandRuns", {}, 7000)]).wakeAt,
                10_600,
            );
        });
    });

    describe("for an image that can't be pulled", () => {
        it("waits for timeouts.imagePull, and looks again at its end", () => {
            const { failure, line, wakeAt } = at("imagePull", 119, { size: 2 });
            assert.equal(failure, undefined);
            assert.match(
                line,
                /^0\/2 pods running; tr-0-\w+ ImagePullBackOff: Back-off pulling image .*network is unreachable$/,
            );
            assert.equal(wakeAt, 120);
        });

        it("fails after timeouts.imagePull with reason, pod and argument", () => {
            const { failure, outcome } = at("imagePull", 120, { size: 2 });
            assert.equal(outcome, "failed");
            assert.match(
                failure ?? "",
                /^tr-0-\w+ does not start: ImagePullBackOff: Back-off pulling image .* \(for 2 min; raise timeouts\.imagePull to wait longer\)$/,
            );
        });
    });
});

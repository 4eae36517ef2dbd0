import type { V1Pod } from "@kubernetes/client-node";
import assert from "node:assert/strict";

import * as fc from "fast-check";

import type { Observation } from "../../../../../provider/observe/pods/observation";
import { summarize } from "../../../../../provider/observe/pods/pod";
import { nextDeadline, overdue } from "../../../../../provider/observe/pods/trouble";
import { troubles } from "../../../../../provider/observe/pods/troubles";
import { makePod, onNoNode, TIMEOUTS } from "../../../support/states";
import { container, event, seenWith, waiting } from "../../../support/sights";

/** The status of a pod for which no node is found. */
const unschedulable = {
    phase: "Pending",
    conditions: [
        { type: "PodScheduled", status: "False", reason: "Unschedulable", message: "0/3 nodes are available." },
    ],
};

/** A problem of a volume that only a user can solve. */
const BLOCK = "volume data has volumeMode Block, but is specified in volumeMounts";

describe("troubles", () => {
    const found: [string, object, string, number][] = [
        [
            "ErrImagePull",
            waiting("ErrImagePull", "not found"),
            "lammps-0-abcde does not start: ErrImagePull: not found",
            120,
        ],
        ["ImagePullBackOff", waiting("ImagePullBackOff"), "lammps-0-abcde does not start: ImagePullBackOff", 120],
        [
            "CreateContainerConfigError",
            waiting("CreateContainerConfigError", "runAsNonRoot and image will run as root"),
            "lammps-0-abcde does not start: CreateContainerConfigError: runAsNonRoot and image will run as root",
            30,
        ],
        ["InvalidImageName", waiting("InvalidImageName", "x"), "lammps-0-abcde does not start: InvalidImageName: x", 0],
        ["ErrImageNeverPull", waiting("ErrImageNeverPull"), "lammps-0-abcde does not start: ErrImageNeverPull", 0],
        ["Unschedulable", unschedulable, "lammps-0-abcde can't be scheduled: 0/3 nodes are available.", 900],
    ];
    for (const [reason, status, message, grace] of found) {
        it(`allows ${grace} s for ${reason}`, () => {
            const pod = status === unschedulable ? onNoNode(makePod(0, status)) : makePod(0, status);
            const [trouble, ...others] = troubles(seenWith([pod, 5]), TIMEOUTS);
            assert.deepEqual([trouble.message, trouble.grace, trouble.since, others], [message, grace, 5, []]);
        });
    }

    for (const reason of ["ContainerCreating", "PodInitializing", ""]) {
        it(`ignores the reason "${reason}"`, () =>
            assert.deepEqual(troubles(seenWith([makePod(0, waiting(reason)), 5]), TIMEOUTS), []));
    }

    it("counts from the first look at a reason, not from the last", () => {
        const pod = makePod(0, waiting("ErrImagePull"));
        assert.equal(troubles(seenWith([pod, 5], [pod, 50]), TIMEOUTS)[0].since, 5);
    });

    it("treats ErrImagePull and ImagePullBackOff as one trouble", () => {
        const seen = seenWith([makePod(0, waiting("ErrImagePull")), 5], [makePod(0, waiting("ImagePullBackOff")), 50]);
        assert.equal(troubles(seen, TIMEOUTS)[0].since, 5);
    });

    it("counts again from the start if the pod was fine in between", () => {
        const seen = seenWith(
            [makePod(0, waiting("ErrImagePull")), 5],
            [makePod(0), 20],
            [makePod(0, waiting("ErrImagePull")), 50],
        );
        assert.equal(troubles(seen, TIMEOUTS)[0].since, 50);
    });

    it("counts a lasting problem from its own start, not from that of the problem before it", () => {
        const limits = (...pods: [V1Pod, number][]) => {
            const [{ argument, since }] = troubles(seenWith(...pods), TIMEOUTS);
            return [argument, since];
        };
        const config = (message: string) => makePod(0, waiting("CreateContainerConfigError", message));
        const pull = makePod(0, waiting("ErrImagePull"));
        const root = config("runAsNonRoot and image will run as root");
        assert.deepEqual(limits([pull, 5], [root, 90]), ["timeouts.podCreation", 90]);
        assert.deepEqual(limits([root, 5], [pull, 90]), ["timeouts.imagePull", 90]);
        assert.deepEqual(limits([config("busy"), 5], [root, 90]), ["timeouts.podCreation", 90]);
        const noNode = (message: string) =>
            onNoNode(
                makePod(0, {
                    phase: "Pending",
                    conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable", message }],
                }),
            );
        const lost = noNode('persistentvolumeclaim "x" bound to non-existent persistentvolume "y"');
        assert.deepEqual(limits([noNode("Insufficient cpu"), 5], [lost, 90]), ["timeouts.podCreation", 90]);
    });

    it("lists the oldest trouble first", () => {
        const seen = seenWith([onNoNode(makePod(0, unschedulable)), 9], [makePod(1, waiting("ErrImagePull")), 5]);
        assert.deepEqual(
            troubles(seen, TIMEOUTS).map(({ since }) => since),
            [5, 9],
        );
    });

    it("reports pods that the API server doesn't let the Job controller create", () => {
        const seen = seenWith();
        seen.addWarning(event("job-uid", "FailedCreate", 'pods "lammps-0" is forbidden: no cpu'), 7);
        seen.addWarning(event("job-uid", "FailedCreate", 'pods "lammps-0" is forbidden: no memory'), 20);
        const message = 'Kubernetes can\'t create a pod: pods "lammps-0" is forbidden: no memory';
        assert.deepEqual(troubles(seen, TIMEOUTS), [
            {
                message,
                row: message,
                since: 7,
                grace: 30,
                argument: "timeouts.podCreation",
            },
        ]);
    });

    it("forgets refused pods when all pods are there", () => {
        const seen = seenWith([makePod(0), 1], [makePod(1), 1]);
        seen.addWarning(event("job-uid", "FailedCreate", "x"), 7);
        assert.deepEqual(troubles(seen, TIMEOUTS), []);
    });

    describe("when their cause has ended", () => {
        const refused = (resourceVersion: string) => ({
            ...event("job-uid", "FailedCreate", "exceeded quota: cpu"),
            metadata: { uid: "event", resourceVersion },
        });
        const since = (seen: Observation) => troubles(seen, TIMEOUTS).map((trouble) => trouble.since);

        it("forgets refused pods when all are there, even if one is lost later", () => {
            const seen = seenWith();
            seen.addWarning(refused("1"), 7);
            seen.setPod(summarize(makePod(0)), 8);
            assert.deepEqual(since(seen), [7]);
            seen.setPod(summarize(makePod(1)), 9);
            seen.removePod("pod-1");
            assert.deepEqual(since(seen), []);
            seen.addWarning(refused("1"), 20);
            assert.deepEqual(since(seen), [], "a list that is read anew is no news");
            seen.addWarning(refused("2"), 30);
            assert.deepEqual(since(seen), [30]);
        });

        it("forgets refused pods when the Job is suspended", () => {
            const seen = seenWith();
            seen.addWarning(refused("1"), 7);
            seen.job = { spec: { parallelism: 2, suspend: true } as any };
            seen.job = { spec: { parallelism: 2, suspend: false } as any };
            assert.deepEqual(since(seen), []);
        });

        it("forgets a failed mount when the container has started", () => {
            const seen = seenWith([makePod(0, waiting("ContainerCreating")), 1]);
            seen.addWarning(event("pod-0", "FailedMount", BLOCK), 3);
            seen.setPod(
                summarize(makePod(0, { containerStatuses: [container({ running: { startedAt: new Date() } })] })),
                5,
            );
            seen.setPod(summarize(makePod(0, waiting("ContainerCreating"))), 90);
            assert.deepEqual(since(seen), []);
        });
    });

    it("ignores warnings about other objects", () => {
        const seen = seenWith();
        seen.addWarning(event("other-job", "FailedCreate", "x"), 7);
        assert.deepEqual(troubles(seen, TIMEOUTS), []);
    });

    describe("of a pod without volumes or network", () => {
        const since = (...events: [string, string, number][]) => {
            const seen = seenWith([makePod(0, waiting("ContainerCreating")), 1]);
            events.forEach(([reason, message, at]) => seen.addWarning(event("pod-0", reason, message), at));
            return troubles(seen, TIMEOUTS).map(({ argument, message, since: at }) => [message, argument, at]);
        };
        const slow = "AttachVolume.Attach failed: the disk is busy";
        const summary = "Unable to attach or mount volumes: unmounted volumes=[data]: context deadline exceeded";

        it("has the limit of a lasting problem only if one of the warnings lasts", () => {
            assert.deepEqual(since(["FailedMount", BLOCK, 3]), [
                [`lammps-0-abcde does not start: ${BLOCK}`, "timeouts.podCreation", 3],
            ]);
            assert.deepEqual(since(["FailedMount", BLOCK, 3], ["FailedAttachVolume", slow, 9]), [
                [`lammps-0-abcde does not start: ${BLOCK}`, "timeouts.podCreation", 3],
            ]);
            assert.deepEqual(since(["FailedAttachVolume", slow, 3]), [
                [`lammps-0-abcde does not start: ${slow}`, "timeouts.podStart", 3],
            ]);
        });

        it("names the step that failed, not a summary of it, and counts from the first warning", () => {
            assert.deepEqual(since(["FailedAttachVolume", slow, 3], ["FailedMount", summary, 9]), [
                [`lammps-0-abcde does not start: ${slow}`, "timeouts.podStart", 3],
            ]);
            assert.deepEqual(since(["FailedMount", summary, 9]), [
                [`lammps-0-abcde does not start: ${summary}`, "timeouts.podStart", 9],
            ]);
        });

        it("has no limit of its own for a warning that a starting pod may have too", () => {
            const [[message, argument]] = since(["DNSConfigForming", "Nameserver limits were exceeded", 3]);
            assert.deepEqual(
                [message, argument],
                ["lammps-0-abcde does not start: Nameserver limits were exceeded", undefined],
            );
        });
    });

    it("has no limit of its own for a pod whose volumes and network are there", () => {
        const conditions = [{ type: "PodReadyToStartContainers", status: "True", lastTransitionTime: new Date(5000) }];
        const seen = seenWith([makePod(0, { ...waiting("ContainerCreating"), conditions }), 1]);
        const late = (message: string, lastTimestamp: Date) =>
            seen.addWarning({ ...event("pod-0", "FailedMount", message), lastTimestamp }, 9);
        late("before", new Date(4000));
        late("after", new Date(6000));
        assert.deepEqual(
            troubles(seen, TIMEOUTS).map(({ grace, row }) => [row, grace]),
            [["ContainerCreating: after", Infinity]],
        );
    });

    describe("of a pod whose image is pulled, before Kubernetes 1.36", () => {
        const at = (seconds: number) => new Date(seconds * 1000);
        const limits = (noSandboxAt: Date, ...reasons: [string, Date][]) => {
            const conditions = [
                { type: "PodReadyToStartContainers", status: "False", lastTransitionTime: noSandboxAt },
            ];
            const seen = seenWith([makePod(0, { ...waiting("ContainerCreating"), conditions }), 1]);
            reasons.forEach(([reason, lastTimestamp]) => {
                const news = { ...event("pod-0", reason, BLOCK), lastTimestamp };
                if (reason === "Pulling") {
                    seen.addPull(news, 9);
                } else {
                    seen.addWarning(news, 9);
                }
            });
            return troubles(seen, TIMEOUTS).map(({ argument }) => argument);
        };

        it("has none for a warning that was over before the pull", () => {
            assert.deepEqual(limits(at(1), ["FailedMount", at(4)]), ["timeouts.podCreation"]);
            assert.deepEqual(limits(at(1), ["FailedMount", at(4)], ["Pulling", at(4)]), []);
            assert.deepEqual(limits(at(1), ["Pulling", at(4)], ["Pulling", at(2)], ["FailedMount", at(3)]), []);
        });

        it("has no limit of its own for a warning during the pull", () =>
            assert.deepEqual(limits(at(1), ["Pulling", at(4)], ["FailedMount", at(5)]), [undefined]));

        it("has a limit for a pod that has lost its sandbox since the pull", () =>
            assert.deepEqual(limits(at(6), ["Pulling", at(4)], ["FailedMount", at(7)]), ["timeouts.podCreation"]));

        it("reads the pull of another pod as no news of this one", () => {
            const seen = seenWith([makePod(0, waiting("ContainerCreating")), 1]);
            seen.addWarning(event("pod-0", "FailedMount", BLOCK), 3);
            seen.addPull(event("pod-1", "Pulling", "Pulling image"), 4);
            assert.equal(troubles(seen, TIMEOUTS).length, 1);
        });
    });

    it("leaves out a scheduler's warnings about a pod that has a node", () => {
        const seen = seenWith([makePod(0, waiting("ContainerCreating")), 1]);
        seen.addWarning(event("pod-0", "FailedScheduling", "0/3 nodes are available"), 3);
        seen.addWarning({ ...event("pod-0", "Unschedulable", "no group"), source: { component: "my-scheduler" } }, 3);
        assert.deepEqual(troubles(seen, TIMEOUTS), []);
    });

    it("leaves out a warning about an earlier claim of the same name", () => {
        const claim = (lastTimestamp: Date) => ({
            ...event("claim", "ProvisioningFailed", "rpc error: code = InvalidArgument desc = no such tier"),
            involvedObject: { kind: "PersistentVolumeClaim", name: "data", uid: "claim" },
            lastTimestamp,
        });
        const limitAfter = (at: Date, message: string) => {
            const condition = { ...unschedulable.conditions[0], message };
            const pod = onNoNode(makePod(0, { ...unschedulable, conditions: [condition] }));
            pod.spec!.volumes = [{ name: "data", persistentVolumeClaim: { claimName: "data" } }];
            const seen = seenWith([pod, 1]);
            seen.addWarning(claim(at), 3);
            return troubles(seen, TIMEOUTS)[0].argument;
        };
        const unbound = "0/3 nodes are available: pod has unbound immediate PersistentVolumeClaims.";
        assert.equal(limitAfter(new Date("2025-12-31T23:59:00Z"), unbound), "timeouts.unschedulable");
        assert.equal(limitAfter(new Date("2026-01-01T00:01:00Z"), unbound), "timeouts.podCreation");
        // The claim has its volume by now.
        const full = "0/3 nodes are available: 3 Insufficient cpu.";
        assert.equal(limitAfter(new Date("2026-01-01T00:01:00Z"), full), "timeouts.unschedulable");
    });

    it("doesn't take an Event from before the wait for a lasting problem, until it is repeated", () => {
        const now = Date.parse("2026-01-01T00:05:00Z");
        const pod = makePod(0, waiting("ContainerCreating"));
        const at = (seconds: number, resourceVersion: string) => ({
            ...event(pod.metadata!.uid!, "FailedMount", BLOCK),
            metadata: { uid: "event", resourceVersion },
            lastTimestamp: new Date(now + seconds * 1000),
        });
        const seen = seenWith([pod, 1]);
        seen.addWarning(at(-60, "1"), now, true);
        assert.equal(troubles(seen, TIMEOUTS)[0].argument, "timeouts.podStart");
        seen.addWarning(at(20, "2"), now + 20_000);
        assert.equal(troubles(seen, TIMEOUTS)[0].argument, "timeouts.podCreation");
    });

    describe("of a rank whose pods are refused", () => {
        const of = (status: object, uid: string) =>
            makePod(0, status, {
                ...makePod(0).metadata,
                uid,
                creationTimestamp: new Date(`2026-01-0${uid}T00:00:00Z`),
            });
        const refusal = { phase: "Failed", reason: "OutOfcpu", message: "Pod was rejected: too full" };

        it("counts from the first refusal, whatever the next pods do", () => {
            const seen = seenWith(
                [of(refusal, "1"), 5],
                [of(waiting("ContainerCreating"), "2"), 9],
                [of(refusal, "2"), 12],
            );
            assert.deepEqual(
                troubles(seen, TIMEOUTS).map(({ message, since }) => [message, since]),
                [["lammps-0-abcde was refused by node node-0: OutOfcpu: too full", 5]],
            );
        });

        it("is over when a pod of the rank has started", () => {
            const running = { containerStatuses: [container({ running: { startedAt: new Date() } })] };
            assert.deepEqual(troubles(seenWith([of(refusal, "1"), 5], [of(running, "2"), 9]), TIMEOUTS), []);
        });
    });

    it("shows no secret in any text, and each text in one line of a limited length", () => {
        const phase = fc.constantFrom("Pending", "Running", "Failed");
        const reason = fc.constantFrom("", "ContainerCreating", "ErrImagePull", "CreateContainerError", "OutOfcpu");
        const words = fc
            .array(
                fc.constantFrom(
                    "mount",
                    "-o",
                    "password=hunter2",
                    "https://a:hunter2@b/",
                    "\n",
                    "not found",
                    "x".repeat(99),
                ),
            )
            .map((all) => all.join(" "));
        const node = fc.constantFrom("node-1", undefined);
        const run = (of: string, why: string, text: string, nodeName: string | undefined) => {
            const pod = makePod(0, {
                ...waiting(why, text),
                phase: of,
                reason: why,
                message: text,
                conditions: [
                    { type: "PodScheduled", status: nodeName === undefined ? "False" : "True", message: text },
                ],
            });
            const seen = seenWith([{ ...pod, spec: { ...pod.spec!, nodeName } }, 1]);
            for (const kind of ["FailedMount", "FailedScheduling", "Other"]) {
                seen.addWarning(event("pod-0", kind, text), 2);
            }
            seen.addWarning(event("job-uid", "FailedCreate", text), 2);
            for (const { message, row } of troubles(seen, TIMEOUTS)) {
                assert.doesNotMatch(message + row, /hunter2|\n/);
                assert.ok(row.length <= 300 && message.length <= 2100, row);
            }
        };
        fc.assert(fc.property(phase, reason, words, node, run));
    });
});

describe("overdue", () => {
    const trouble = {
        message: "lammps-0 waits",
        row: "waits",
        since: 1000,
        grace: 30,
        argument: "timeouts.podCreation",
    };

    it("is undefined before the grace period ends", () => assert.equal(overdue([trouble], 30_999), undefined));

    it("says how long the trouble has lasted, and which argument extends the grace period", () => {
        assert.equal(
            overdue([trouble], 31_000),
            "lammps-0 waits (for 30 s; raise timeouts.podCreation to wait longer)",
        );
    });

    it("names the cure of a trouble that lasts until a user changes something", () => {
        const message = "a pod is forbidden: violates PodSecurity";
        assert.equal(
            overdue([{ ...trouble, message }], 31_000),
            `${message}; cure: the fields that the message names; docs/security.md for restricted ` +
                "(for 30 s; raise timeouts.podCreation to wait longer)",
        );
        const passing = overdue([{ ...trouble, message, argument: "timeouts.podStart" }], 31_000);
        assert.equal(passing, `${message} (for 30 s; raise timeouts.podStart to wait longer)`);
    });

    it("comes at once for a trouble that can't heal", () => {
        assert.equal(overdue([{ message: "bad name", row: "", since: 1000, grace: 0 }], 1000), "bad name");
    });
});

describe("nextDeadline", () => {
    it("is the earliest deadline", () => {
        assert.equal(
            nextDeadline(
                [
                    { message: "", row: "", since: 0, grace: 30 },
                    { message: "", row: "", since: 0, grace: 20 },
                ],
                1,
            ),
            20_000,
        );
        assert.equal(nextDeadline([], 1), undefined);
    });

    it("is the end of the quiet time if that comes first, and nothing for a problem without a limit", () => {
        const trouble = { message: "", row: "", since: 0, grace: Infinity, quiet: 10 };
        assert.deepEqual([nextDeadline([trouble], 1), nextDeadline([trouble], 10_000)], [10_000, undefined]);
    });
});

import type { V1ContainerStatus, V1Pod } from "@kubernetes/client-node";
import assert from "node:assert/strict";

import { summarize } from "../../../../../provider/observe/pods/pod";
import { makePod, onNoNode, readState } from "../../../support/states";

const container = (state: V1ContainerStatus["state"], name = "flux"): V1ContainerStatus => ({
    name,
    image: "x",
    imageID: "",
    ready: false,
    restartCount: 0,
    state,
});

describe("summarize", () => {
    it("reads a recorded pod that is ready", () => {
        const [pod] = readState("ready").pods.map(summarize);
        assert.equal(pod.rank, 0);
        assert.match(pod.name, /^flux-0-/);
        assert.equal(pod.node, "flux-minicluster");
        assert.ok(
            pod.createdAt <= pod.scheduledAt! && pod.scheduledAt! <= pod.startedAt! && pod.startedAt! <= pod.readyAt!,
        );
        assert.deepEqual(
            [pod.phase, pod.deleting, pod.waiting, pod.terminated],
            ["Running", false, undefined, undefined],
        );
    });

    it("reads a recorded pod that waits", () => {
        const [pod] = readState("imagePull").pods.map(summarize);
        assert.equal(pod.waiting?.reason, "ImagePullBackOff");
        assert.match(pod.waiting?.message ?? "", /^Back-off pulling image/);
        assert.deepEqual([pod.startedAt, pod.readyAt], [undefined, undefined]);
    });

    it("reads a recorded pod that has ended, with the times that its scripts have recorded", () => {
        const [pod] = readState("commandEnded").pods.map(summarize);
        assert.deepEqual([pod.terminated?.exitCode, pod.terminated?.reason], [0, "Completed"]);
        assert.deepEqual(Object.keys(pod.terminated?.marks ?? {}), ["quorum", "started", "ended"]);
        assert.equal(pod.readyAt, undefined);
    });

    it("reads the same times from dates and from texts", () => {
        const text = summarize(makePod(0, {}, { creationTimestamp: "2026-01-01T00:00:00Z" as unknown as Date }));
        assert.equal(
            text.createdAt,
            summarize(makePod(0, {}, { creationTimestamp: new Date("2026-01-01T00:00:00Z") })).createdAt,
        );
    });

    it("reads a pod of which almost nothing is known yet", () => {
        assert.deepEqual(JSON.parse(JSON.stringify(summarize({}))), {
            rank: -1,
            name: "",
            uid: "",
            createdAt: 0,
            phase: "Pending",
            deleting: false,
            succeeded: false,
        });
    });

    it("reads why the pod can't be scheduled", () => {
        const message = "0/3 nodes are available: 3 Insufficient cpu.";
        const conditions = [{ type: "PodScheduled", status: "False", reason: "Unschedulable", message }];
        const pod = summarize(onNoNode(makePod(1, { phase: "Pending", conditions })));
        assert.deepEqual([pod.unschedulable, pod.scheduledAt], [{ message, reason: "Unschedulable" }, undefined]);
    });

    it("reads the gates of a pod, and that its scheduler or its kubelet hasn't looked at it", () => {
        const of = (pod: V1Pod, spec: object) => {
            const { claims, gates, scheduler, unseen } = summarize({ ...pod, spec: { ...pod.spec!, ...spec } });
            return [gates, scheduler, unseen, claims];
        };
        const fresh = makePod(1, { phase: "Pending", startTime: undefined });
        const gated = { schedulingGates: [{ name: "a" }, { name: "b" }] };
        assert.deepEqual(of(onNoNode(fresh), gated), [["a", "b"], undefined, undefined, undefined]);
        assert.deepEqual(of(onNoNode(fresh), {}), [undefined, "default-scheduler", true, undefined]);
        assert.deepEqual(of(fresh, { schedulerName: "x" }), [undefined, "x", true, undefined]);
        assert.deepEqual(of(makePod(1, { phase: "Pending" }), {}), [
            undefined,
            "default-scheduler",
            undefined,
            undefined,
        ]);
        const volumes = [
            { name: "a", persistentVolumeClaim: { claimName: "data" } },
            { name: "b", ephemeral: {} },
            { name: "c", emptyDir: {} },
        ];
        assert.deepEqual(of(onNoNode(fresh), { volumes })[3], ["data", "lammps-1-abcde-b"]);
    });

    it("reads why a node has refused the pod, but not of a pod that has run", () => {
        const failed = { phase: "Failed", reason: "OutOfcpu", message: "Pod was rejected: too full" };
        assert.deepEqual(summarize(makePod(1, failed)).refused, { reason: "OutOfcpu", message: "too full" });
        const statuses = [container({ terminated: { exitCode: 1 } })];
        assert.equal(summarize(makePod(1, { ...failed, containerStatuses: statuses })).refused, undefined);
        assert.equal(summarize(makePod(1, { ...failed, reason: "DeadlineExceeded" })).refused, undefined);
    });

    it("looks at init containers first, because the others wait for them", () => {
        const pod = summarize(
            makePod(0, {
                initContainerStatuses: [container({ waiting: { reason: "CrashLoopBackOff", message: "x" } }, "init")],
                containerStatuses: [container({ waiting: { reason: "PodInitializing" } })],
            }),
        );
        assert.deepEqual(pod.waiting, { reason: "CrashLoopBackOff", message: "x" });
    });

    it("tells which init container has failed", () => {
        const ends = [container({ terminated: { exitCode: 0 } }, "a"), container({ terminated: { exitCode: 3 } }, "b")];
        const pod = makePod(0, { initContainerStatuses: ends });
        const { exitCode, init } = summarize(pod).terminated!;
        assert.deepEqual([exitCode, init], [3, "b"]);
    });

    it("judges the end by the broker's container, not by a sidecar's", () => {
        const statuses = [container({ terminated: { exitCode: 1 } }, "sidecar"), container({ running: {} })];
        assert.equal(summarize(makePod(0, { containerStatuses: statuses })).terminated, undefined);
    });

    describe("with a native sidecar", () => {
        const made = (sidecar: object, flux: object, restartCount = 0) => {
            const pod = makePod(0, {
                containerStatuses: [container(flux)],
                initContainerStatuses: [{ ...container(sidecar, "log"), restartCount }],
            });
            const spec = { ...pod.spec!, initContainers: [{ name: "log", restartPolicy: "Always" }] };
            return summarize({ ...pod, spec });
        };

        it("judges the end by the broker's container, not by the sidecar's", () => {
            const { succeeded, terminated } = made({ terminated: { exitCode: 137 } }, { terminated: { exitCode: 3 } });
            assert.deepEqual([terminated?.exitCode, succeeded], [3, false]);
            assert.equal(made({ running: {} }, { terminated: { exitCode: 0 } }).succeeded, true);
            assert.equal(
                made({ terminated: { exitCode: 1 } }, { waiting: { reason: "PodInitializing" } }).terminated,
                undefined,
            );
        });

        it("ignores its restarts, but reports an image that can't be pulled", () => {
            assert.equal(made({ waiting: { reason: "CrashLoopBackOff" } }, { running: {} }, 3).waiting, undefined);
            assert.equal(
                made({ waiting: { reason: "ErrImagePull" } }, { waiting: { reason: "PodInitializing" } }).waiting
                    ?.reason,
                "ErrImagePull",
            );
        });
    });

    it("doesn't treat a pod as succeeded while another container runs", () => {
        const statuses = [container({ terminated: { exitCode: 0 } }), container({ running: {} }, "other")];
        assert.equal(summarize(makePod(0, { containerStatuses: statuses })).succeeded, false);
    });

    const messages: [string, string | undefined, Record<string, string>][] = [
        [
            "the times of the scripts",
            "minicluster.quorum=1.5\nminicluster.started=2\n",
            { quorum: "1.5", started: "2" },
        ],
        [
            "the error of wait.sh",
            "minicluster.error=the image has no bash; a=b\n",
            { error: "the image has no bash; a=b" },
        ],
        ["no marks", undefined, {}],
    ];
    for (const [what, message, marks] of messages) {
        it(`reads ${what} from the termination message`, () => {
            const status = container({ terminated: { exitCode: 78, reason: "Error", message } });
            assert.deepEqual(summarize(makePod(0, { containerStatuses: [status] })).terminated, {
                exitCode: 78,
                reason: "Error",
                marks,
                words: undefined,
            });
        });
    }

    const disruptions: [string, object, string | undefined][] = [
        [
            "an eviction",
            {
                conditions: [
                    {
                        type: "DisruptionTarget",
                        status: "True",
                        reason: "EvictionByEvictionAPI",
                        message: "Eviction API: evicting",
                    },
                ],
            },
            "Eviction API: evicting",
        ],
        [
            "a preemption without a message",
            { conditions: [{ type: "DisruptionTarget", status: "True", reason: "PreemptionByScheduler" }] },
            "PreemptionByScheduler",
        ],
        [
            "a full node",
            { reason: "Evicted", message: "The node was low on resource: memory." },
            "The node was low on resource: memory.",
        ],
        ["no disruption", { conditions: [{ type: "DisruptionTarget", status: "False" }] }, undefined],
    ];
    for (const [what, status, expected] of disruptions) {
        it(`reads ${what} from the pod's status`, () =>
            assert.equal(summarize(makePod(0, status)).disrupted, expected));
    }
});

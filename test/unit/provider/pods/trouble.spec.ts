import type { V1ContainerStatus, V1Pod } from "@kubernetes/client-node";
import assert from "node:assert/strict";

import { Observation } from "../../../../provider/pods/observation";
import { summarize } from "../../../../provider/pods/pod";
import {
    crashed,
    describeCrash,
    describeWait,
    nextDeadline,
    overdue,
    troubles,
} from "../../../../provider/pods/trouble";
import { makePod, TIMEOUTS } from "../../support/states";

const container = (state: V1ContainerStatus["state"]): V1ContainerStatus => ({
    name: "flux",
    image: "",
    imageID: "",
    ready: false,
    restartCount: 0,
    state,
});
const waiting = (reason: string, message = "") => ({
    phase: "Pending",
    containerStatuses: [container({ waiting: { reason, message } })],
});
const unschedulable = {
    phase: "Pending",
    conditions: [
        { type: "PodScheduled", status: "False", reason: "Unschedulable", message: "0/3 nodes are available." },
    ],
};

function seenWith(...pods: [V1Pod, number][]): Observation {
    const seen = new Observation("job-uid", 0);
    seen.job = { spec: { parallelism: 2 } as any };
    pods.forEach(([pod, now]) => seen.setPod(summarize(pod), now));
    return seen;
}

const event = (uid: string, reason: string, message: string) => ({
    involvedObject: { uid },
    reason,
    message,
    type: "Warning",
    metadata: {},
});

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
            waiting("CreateContainerConfigError", 'secret "x" not found'),
            'lammps-0-abcde does not start: CreateContainerConfigError: secret "x" not found',
            30,
        ],
        ["InvalidImageName", waiting("InvalidImageName", "x"), "lammps-0-abcde does not start: InvalidImageName: x", 0],
        ["ErrImageNeverPull", waiting("ErrImageNeverPull"), "lammps-0-abcde does not start: ErrImageNeverPull", 0],
        ["Unschedulable", unschedulable, "lammps-0-abcde can't be scheduled: 0/3 nodes are available.", 900],
    ];
    for (const [reason, status, message, grace] of found) {
        it(`allows ${grace} s for ${reason}`, () => {
            const [trouble, ...others] = troubles(seenWith([makePod(0, status), 5]), TIMEOUTS);
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

    it("lists the oldest trouble first", () => {
        const seen = seenWith([makePod(0, unschedulable), 9], [makePod(1, waiting("ErrImagePull")), 5]);
        assert.deepEqual(
            troubles(seen, TIMEOUTS).map(({ since }) => since),
            [5, 9],
        );
    });

    it("reports pods that the API server doesn't let the Job controller create", () => {
        const seen = seenWith();
        seen.addWarning(event("job-uid", "FailedCreate", "exceeded quota: cpu"), 7);
        seen.addWarning(event("job-uid", "FailedCreate", "exceeded quota: memory"), 20);
        assert.deepEqual(troubles(seen, TIMEOUTS), [
            {
                message: "Kubernetes can't create a pod: exceeded quota: memory",
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
            seen.addWarning(event("pod-0", "FailedMount", 'configmap "x" not found'), 3);
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

    it("reports a volume whose source doesn't exist, but not a slow one", () => {
        const about = (message: string) => {
            const seen = seenWith([makePod(0, waiting("ContainerCreating")), 1]);
            seen.addWarning(event("pod-0", "FailedMount", message), 3);
            return troubles(seen, TIMEOUTS).map(({ message: text }) => text);
        };
        assert.deepEqual(about('configmap "x" not found'), ['lammps-0-abcde does not start: configmap "x" not found']);
        assert.deepEqual(about("timed out waiting for the condition"), []);
    });
});

describe("crashed", () => {
    const running = { containerStatuses: [container({ running: { startedAt: new Date() } })] };
    const ended = (exitCode: number, message?: string) => ({
        containerStatuses: [container({ terminated: { exitCode, reason: "Error", message } })],
    });
    const ready = { ...running, conditions: [{ type: "Ready", status: "True", lastTransitionTime: new Date() }] };
    const nth = (number: number, status: V1Pod["status"]) => {
        const creationTimestamp = new Date(Date.UTC(2026, 0, number));
        return makePod(1, status, {
            ...makePod(1).metadata,
            uid: `pod-${number}`,
            name: `lammps-1-${number}`,
            creationTimestamp,
        });
    };
    const culprit = (...pods: V1Pod[]) => crashed(seenWith(...pods.map((pod): [V1Pod, number] => [pod, 0])));

    it("finds a rank whose pods end one after the other before they are ready", () => {
        const pod = culprit(nth(1, running), nth(1, ended(3)), nth(2, running), nth(2, ended(3)));
        assert.equal(pod?.name, "lammps-1-2");
        assert.equal(
            describeCrash(pod),
            "lammps-1-2 ended with exit code 3 before it was ready, and so did the pod before it.",
        );
    });

    it("names the signal that has ended a pod's scripts", () => {
        const pod = culprit(nth(1, running), nth(1, ended(137)), nth(2, running), nth(2, ended(137)));
        assert.match(describeCrash(pod!), /^lammps-1-2 ended with exit code 137: .* was ended by SIGKILL\. /);
    });

    it("finds a rank at once if wait.sh has reported an error", () => {
        const pod = culprit(
            nth(1, running),
            nth(1, ended(78, "minicluster.error=the image has no bash; install bash in it\n")),
        );
        assert.equal(describeCrash(pod!), "lammps-1-1 can't start: the image has no bash; install bash in it.");
    });

    const others: [string, V1Pod[]][] = [
        ["whose pod ended once", [nth(1, running), nth(1, ended(3))]],
        ["that was ready in between", [nth(1, running), nth(1, ended(3)), nth(2, ready), nth(2, ended(3))]],
        [
            "whose next pod still runs",
            [nth(1, running), nth(1, ended(3)), nth(2, running), nth(2, ended(3)), nth(3, running)],
        ],
        ["whose pods had ended before the first look", [nth(1, ended(3)), nth(2, ended(3))]],
        ["whose pods succeeded", [nth(1, running), nth(1, ended(0)), nth(2, running), nth(2, ended(0))]],
    ];
    for (const [what, pods] of others) {
        it(`ignores a rank ${what}`, () => assert.equal(culprit(...pods), undefined));
    }
});

describe("overdue", () => {
    const trouble = { message: "lammps-0 waits", since: 1000, grace: 30, argument: "timeouts.podCreation" };

    it("is undefined before the grace period ends", () => assert.equal(overdue([trouble], 30_999), undefined));

    it("says how long the trouble has lasted, and which argument extends the grace period", () => {
        assert.equal(
            overdue([trouble], 31_000),
            "lammps-0 waits (for 30 s; raise timeouts.podCreation to wait longer)",
        );
    });

    it("comes at once for a trouble that can't heal", () => {
        assert.equal(overdue([{ message: "bad name", since: 1000, grace: 0 }], 1000), "bad name");
    });
});

describe("nextDeadline", () => {
    it("is the earliest deadline", () => {
        assert.equal(
            nextDeadline([
                { message: "", since: 0, grace: 30 },
                { message: "", since: 0, grace: 20 },
            ]),
            20_000,
        );
        assert.equal(nextDeadline([]), undefined);
    });
});

describe("describeWait", () => {
    const cases: [object, object, string][] = [
        [unschedulable, {}, "Unschedulable: 0/3 nodes are available."],
        [{ conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable" }] }, {}, "Unschedulable"],
        [waiting("ErrImagePull"), {}, "ErrImagePull"],
        [waiting("PodInitializing"), {}, "PodInitializing"],
        [{ phase: "Pending" }, {}, "ContainerCreating"],
    ];
    for (const [status, metadata, expected] of cases) {
        it(`reports ${expected}`, () =>
            assert.equal(
                describeWait(summarize(makePod(0, status, { ...makePod(0).metadata, ...metadata }))),
                expected,
            ));
    }

    it("reports Pending if the pod has no node yet", () => {
        assert.equal(
            describeWait(summarize({ ...makePod(0, { phase: "Pending" }), spec: { containers: [] } })),
            "Pending",
        );
    });
});

describe("Observation", () => {
    it("takes the newest pod of a rank, and prefers one that isn't being deleted", () => {
        const old = makePod(0, {}, { ...makePod(0).metadata, uid: "old", name: "old" });
        const young = makePod(
            0,
            {},
            {
                ...makePod(0).metadata,
                uid: "young",
                name: "young",
                creationTimestamp: new Date("2026-01-02T00:00:00Z"),
            },
        );
        const names = (...pods: V1Pod[]) =>
            seenWith(...pods.map((pod): [V1Pod, number] => [pod, 0]))
                .ranks()
                .map(({ name }) => name);
        assert.deepEqual(names(old, young), ["young"]);
        assert.deepEqual(names(young, old), ["young"]);
        const going = { ...young, metadata: { ...young.metadata, deletionTimestamp: new Date() } };
        assert.deepEqual(names(going, old), ["old"]);
        assert.deepEqual(names(old, going), ["old"]);
    });

    it("lists ranks in their order", () => {
        const seen = seenWith([makePod(10), 0], [makePod(2), 0], [makePod(0), 0]);
        assert.deepEqual(
            seen.ranks().map(({ rank }) => rank),
            [0, 2, 10],
        );
        seen.removePod("pod-2");
        assert.deepEqual(
            seen.ranks().map(({ rank }) => rank),
            [0, 10],
        );
    });
});

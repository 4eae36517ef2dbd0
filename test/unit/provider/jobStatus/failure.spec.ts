import assert from "node:assert/strict";

import { causeOf, describeFailure, type Log } from "../../../../provider/jobStatus/failure";
import { type Pod, summarize } from "../../../../provider/observe/pods/pod";
import { makePod } from "../../support/states";

const KUBERNETES = "BackoffLimitExceeded: Job has reached the specified backoff limit";

/** A rank that has ended. */
function ended(
    rank: number,
    exitCode: number,
    marks: Record<string, string> = {},
    more: Partial<Pod> = {},
    reason = "Error",
): Pod {
    const terminated = { exitCode, reason, marks };
    return {
        rank,
        name: `lammps-${rank}`,
        uid: "",
        createdAt: 0,
        phase: "Failed",
        deleting: false,
        terminated,
        succeeded: exitCode === 0,
        ...more,
    };
}

const quorum = { quorum: "1", started: "2" };

/** The same rank, of which an init container has ended. */
function withInit(pod: Pod): Pod {
    return { ...pod, terminated: pod.terminated && { ...pod.terminated, init: "fetch" } };
}

describe("causeOf", () => {
    it("names the node that refused a pod", () => {
        const pod = summarize(
            makePod(1, { phase: "Failed", reason: "OutOfcpu", message: "Pod was rejected: too full" }),
        );
        assert.equal(
            causeOf("BackoffLimitExceeded: x", [pod], []),
            "lammps-1-abcde was refused by node node-1: OutOfcpu: too full",
        );
    });

    const cases: [string, Pod[], string][] = [
        ["the command's exit code", [ended(0, 3, quorum)], "The command ended with exit code 3."],
        [
            "a signal, with Kubernetes' reason",
            [ended(0, 137, quorum, {}, "ContainerCannotRun")],
            "The command ended with exit code 137 (ContainerCannotRun).",
        ],
        [
            "a broker that never had its quorum",
            [ended(0, 1)],
            "lammps-0 ended with exit code 1 before its broker had its quorum.",
        ],
        [
            "the error that wait.sh has found",
            [ended(0, 78, { error: "the image has no bash; install bash in it" })],
            "lammps-0 can't start: the image has no bash; install bash in it.",
        ],
        [
            "the words of a container runtime that tell of an image without a shell",
            [ended(0, 128, { error: 'OCI runtime create failed: exec: "/bin/sh": stat /bin/sh: no such file' })],
            'lammps-0 can\'t start: OCI runtime create failed: exec: "/bin/sh": stat /bin/sh: no such file. The scripts of ' +
                "MiniCluster need /bin/sh. Use an image that has it, and mount no volume over /bin, /lib or /usr.",
        ],
        [
            "a lack of memory",
            [ended(0, 137, quorum, {}, "OOMKilled")],
            "lammps-0 ran out of memory, of which files in /dev/shm are a part. Raise resources.limits.memory.",
        ],
        [
            "an init container of the user, rather than the broker",
            [withInit(ended(0, 3))],
            "The init container fetch of lammps-0 ended with exit code 3.",
        ],
        [
            "an init container that a signal has ended",
            [withInit(ended(0, 137))],
            "The init container fetch of lammps-0 ended with exit code 137.",
        ],
        [
            "an init container without memory",
            [withInit(ended(0, 137, {}, {}, "OOMKilled"))],
            "The init container fetch of lammps-0 ran out of memory. Raise its limit of memory.",
        ],
        [
            "the error of an init container of this package",
            [withInit(ended(0, 78, { error: "the image has no flux" }))],
            "lammps-0 can't start: the image has no flux.",
        ],
        [
            "the lead's failure rather than the end of an init container that Kubernetes has ended with it",
            [ended(0, 3, quorum), { ...withInit(ended(1, 143)), deleting: true }],
            "The command ended with exit code 3.",
        ],
        [
            "a follower's init container rather than the lead that was ended with it",
            [ended(0, 143, {}, { deleting: true }), withInit(ended(1, 3))],
            "The init container fetch of lammps-1 ended with exit code 3.",
        ],
        [
            "an eviction",
            [ended(0, 143, quorum, { disrupted: "Eviction API: evicting" })],
            "lammps-0 was removed by Kubernetes: Eviction API: evicting",
        ],
        [
            "an eviction by a limit of the pod's own, with its cure",
            [ended(0, 143, quorum, { disrupted: 'Usage of EmptyDir volume "scratch" exceeds the limit "1Gi". ' })],
            'lammps-0 was removed by Kubernetes: Usage of EmptyDir volume "scratch" exceeds the limit "1Gi". Raise its sizeLimit, or write less.',
        ],
        [
            "an eviction by the limit of ephemeral storage, with its cure",
            [
                ended(0, 143, quorum, {
                    disrupted: "Pod ephemeral local storage usage exceeds the total limit of containers 64Mi. ",
                }),
            ],
            'lammps-0 was removed by Kubernetes: Pod ephemeral local storage usage exceeds the total limit of containers 64Mi. Raise resources.limits["ephemeral-storage"], or write to a volume.',
        ],
        [
            "a failed follower if the lead has succeeded",
            [ended(0, 0, quorum), ended(1, 78, { error: "no flux" })],
            "lammps-1 can't start: no flux.",
        ],
        ["a follower's exit code", [ended(2, 9)], "lammps-2 ended with exit code 9."],
        [
            "the lead's failure rather than a follower's",
            [ended(0, 3, quorum), ended(1, 9)],
            "The command ended with exit code 3.",
        ],
        [
            "a broker that a signal has ended before the command",
            [ended(0, 139, quorum)],
            "lammps-0 ended with exit code 139: its broker or a script that runs the broker was ended by SIGSEGV. A job of the cluster may have sent the signal.",
        ],
        [
            "the scripts of a follower that were killed, rather than the end of the lead",
            [ended(0, 143, quorum, { deleting: true }), ended(1, 137)],
            "lammps-1 ended with exit code 137: its broker or a script that runs the broker was ended by SIGKILL. A job of the cluster may have sent the signal, or the kernel if the node is out of memory.",
        ],
        [
            "a command that a signal has ended, whose followers are killed after it",
            [ended(0, 137, { ...quorum, ended: "3" }), ended(1, 137, {}, { deleting: true })],
            "The command ended with exit code 137.",
        ],
        ["Kubernetes' reason if nothing else is known", [], KUBERNETES],
    ];
    for (const [what, ranks, expected] of cases) {
        it(`reports ${what}`, () => assert.equal(causeOf(KUBERNETES, ranks, []), expected));
    }
});

describe("causeOf with a removed pod that is gone", () => {
    const SECOND = 1000;
    const end = "The command ended with exit code 143.";
    const removed = `lammps-1 was removed by Kubernetes: Eviction API: evicting. ${end}`;
    const ran = { quorum: "10", started: "20", ended: "60" };
    const lossAt = (seconds: number, rank = 1) => [
        { at: seconds * SECOND, pod: ended(rank, 143, {}, { disrupted: "Eviction API: evicting" }) },
    ];
    const cases: [string, Record<string, string>, ReturnType<typeof lossAt>, string][] = [
        ["names it if the command ran", ran, lossAt(30), removed],
        ["names it if the command has ended at once", ran, lossAt(60.5), removed],
        [
            "names it if the lead could not tell when the command ended",
            { quorum: "10", started: "20" },
            lossAt(99),
            removed,
        ],
        ["leaves out a pod that was removed before the command started", ran, lossAt(15), end],
        ["leaves out a pod that was removed after the command had ended", ran, lossAt(70), end],
        [
            "leaves out a pod before whose successor the command started again",
            { ...ran, restarted: "40" },
            lossAt(30),
            end,
        ],
        [
            "names a pod that was removed from the command's last attempt",
            { ...ran, restarted: "40" },
            lossAt(50),
            removed,
        ],
        ["leaves out an earlier lead", ran, lossAt(30, 0), end],
    ];
    for (const [what, marks, losses, expected] of cases) {
        it(what, () => assert.equal(causeOf(KUBERNETES, [ended(0, 143, marks)], losses), expected));
    }

    it("leaves it out if the command has succeeded", () => {
        assert.equal(causeOf(KUBERNETES, [ended(0, 0, ran)], lossAt(30)), KUBERNETES);
    });
});

describe("describeFailure", () => {
    const shown = { maxBytes: 16_384 };
    const hidden = { maxBytes: 16_384, secretOutput: true };
    const ofCommand = (text: string): Log => ({ pod: ended(0, 3, quorum), text, isStart: false });
    const ofStart = (rank: number, text: string): Log => ({ pod: ended(rank, 1), text, isStart: true });
    const TAKEN = "<3>overlay.err[0]: error binding to tcp://*:8050: Address already in use";
    const MEANING =
        "Another program uses the port of the broker: with hostNetwork, mostly another cluster on the same node. Set another broker.port.";

    it("quotes what the command wrote into the termination message, unless the log has it or is secret", () => {
        const pod = ended(0, 3);
        const words = "ValueError: learning rate is NaN";
        const log = (text: string): Log => ({
            pod: { ...pod, terminated: { ...pod.terminated!, words } },
            text,
            isStart: false,
        });
        const quoted = `It failed.\nIts termination message: ${words}\nThe end of the lead's log:\n  step 1`;
        assert.equal(describeFailure("It failed.", log("step 1\n"), shown), quoted);
        assert.equal(describeFailure("It failed.", log("\n"), shown), quoted.split("\n").slice(0, 2).join("\n"));
        assert.equal(describeFailure("It failed.", log("\n"), hidden), "It failed.");
        assert.ok(!describeFailure("It failed.", log(`${words}\n`), shown).includes("termination message"));
        assert.ok(!describeFailure("It failed.", log("step 1\n"), hidden).includes(words));
        assert.ok(!describeFailure("It failed.", log("step 1\n"), { maxBytes: 0 }).includes(words));
    });

    it("ends with the end of the log", () => {
        const log = Array.from({ length: 30 }, (_, line) => `line ${line}`).join("\n");
        const lines = describeFailure("It failed.", ofCommand(`${log}\n\n`), shown).split("\n");
        assert.deepEqual(lines.slice(0, 3), ["It failed.", "The end of the lead's log:", "  line 10"]);
        assert.equal(lines.at(-1), "  line 29");
    });

    it("has no log if there is none", () => {
        assert.equal(describeFailure("It failed.", ofCommand("\n \n"), shown), "It failed.");
        assert.equal(describeFailure("It failed.", undefined, shown), "It failed.");
    });

    it("explains a broker's last lines, names the pod, and leaves out lines without information", () => {
        const log = ofStart(
            1,
            `<6>broker.info[1]: start: none->join\n${TAKEN}\nminicluster: broker ended with 1, restarting it in 200 ms\n`,
        );
        assert.equal(
            describeFailure("It failed.", log, shown),
            `It failed.\nlammps-1: ${MEANING}\nThe end of lammps-1's log:\n  ${TAKEN}`,
        );
    });

    it("shows at most 8 lines of a start", () => {
        const log = Array.from({ length: 30 }, (_, line) => `line ${line}`).join("\n");
        const lines = describeFailure("It failed.", ofStart(0, log), shown).split("\n");
        assert.deepEqual([lines.length, lines[1], lines[2]], [10, "The end of the lead's log:", "  line 22"]);
    });

    it("doesn't explain lines of a command", () => {
        assert.equal(
            describeFailure("It failed.", ofCommand(TAKEN), shown),
            `It failed.\nThe end of the lead's log:\n  ${TAKEN}`,
        );
    });

    it("adds no explanation if the pod's own scripts have reported the cause", () => {
        const log = { ...ofStart(1, TAKEN), pod: ended(1, 78, { error: "no flux" }) };
        assert.equal(describeFailure("lammps-1 can't start: no flux.", log, hidden).split("\n").length, 2);
        assert.equal(describeFailure("It failed.", log, shown), `It failed.\nThe end of lammps-1's log:\n  ${TAKEN}`);
    });

    it("shows the log of an init container that has failed, and doesn't take its lines for those of a broker", () => {
        const log = (rank: number) => ({ ...ofStart(rank, TAKEN), pod: withInit(ended(rank, 3)) });
        assert.equal(describeFailure("It failed.", log(1), shown), `It failed.\nThe end of fetch's log:\n  ${TAKEN}`);
        const where =
            "output.secret keeps fetch's log out of this message; npx flux-minicluster logs 0 fetch prints it.";
        assert.equal(describeFailure("It failed.", log(0), hidden), `It failed.\n${where}`);
    });

    it("explains a secret log without showing it", () => {
        const text = describeFailure("It failed.", ofStart(2, `hush\n${TAKEN}`), hidden);
        const where = "output.secret keeps lammps-2's log out of this message; npx flux-minicluster logs 2 prints it.";
        assert.equal(text, `It failed.\nlammps-2: ${MEANING}\n${where}`);
    });

    it("shows no lines if maxBytes is 0", () => {
        assert.equal(
            describeFailure("It failed.", ofStart(0, TAKEN), { maxBytes: 0 }),
            `It failed.\nlammps-0: ${MEANING}`,
        );
    });
});

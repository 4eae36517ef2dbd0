import type { V1Pod } from "@kubernetes/client-node";
import assert from "node:assert/strict";

import { crashed, describeCrash } from "../../../../../provider/observe/pods/crash";
import { container, seenWith } from "../../../support/sights";
import { makePod } from "../../../support/states";

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

import type { V1Pod } from "@kubernetes/client-node";
import assert from "node:assert/strict";

import { troubles } from "../../../../../provider/observe/pods/troubles";
import { describeWait } from "../../../../../provider/observe/pods/waitWords";
import { event, seenWith, waiting } from "../../../support/sights";
import { makePod, onNoNode, TIMEOUTS } from "../../../support/states";

const unschedulable = (message?: string) =>
    onNoNode(
        makePod(0, {
            phase: "Pending",
            conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable", message }],
        }),
    );

function words(pod: V1Pod, seconds = 0, warning?: string): string {
    const seen = seenWith([pod, 0]);
    if (warning !== undefined) {
        seen.addWarning(event("pod-0", "FailedMount", warning), 0);
    }
    return describeWait(seen.ranks()[0], troubles(seen, TIMEOUTS), seconds * 1000);
}

describe("describeWait", () => {
    const cases: [V1Pod, string][] = [
        [unschedulable("0/3 nodes are available."), "Unschedulable: 0/3 nodes are available."],
        [unschedulable(), "Unschedulable"],
        [makePod(0, waiting("ErrImagePull")), "ErrImagePull"],
        [makePod(0, waiting("ErrImagePull", "not found")), "ErrImagePull: not found"],
        [makePod(0, waiting("PodInitializing")), "PodInitializing"],
        [makePod(0, { phase: "Pending" }), "ContainerCreating"],
    ];
    for (const [pod, expected] of cases) {
        it(`reports ${expected}`, () => assert.equal(words(pod), expected));
    }

    it("reports a warning at once, in up to 250 characters with the end of its text", () => {
        const text = words(makePod(0, waiting("ContainerCreating")), 0, `MountVolume ${"x".repeat(900)} no such disk`);
        assert.match(text, /^ContainerCreating: MountVolume x+ \.\.\. x+ no such disk$/);
        assert.ok(text.length <= 250 + "ContainerCreating: ".length);
    });

    it("keeps the text if a later try differs only in numbers", () => {
        const seen = seenWith([makePod(0, waiting("ContainerCreating")), 0]);
        const texts = ["pid 17 failed in 3.2s, id 0a1b-4c", "pid 18 failed in 9.7s, id ffb1-9d"].map((text) => {
            seen.addWarning(event("pod-0", "FailedCreatePodSandBox", text), 0);
            return describeWait(seen.ranks()[0], troubles(seen, TIMEOUTS), 0);
        });
        assert.equal(texts[0], texts[1]);
    });

    it("reports Pending if the pod has no node yet, and after 10 s that no scheduler has looked at it", () => {
        const pod = onNoNode(makePod(0, { phase: "Pending" }));
        assert.equal(words(pod, 9.9), "Pending");
        assert.equal(words(pod, 10), "Pending: no scheduler named default-scheduler has looked at it");
    });

    it("reports after 10 s that no kubelet has looked at a pod", () => {
        const pod = makePod(0, { phase: "Pending", startTime: undefined });
        assert.equal(words(pod, 9.9), "ContainerCreating");
        assert.equal(words(pod, 10), "Pending: the kubelet of node node-0 has not looked at it");
    });
});

import assert from "node:assert/strict";

import { badNodes } from "../../../../cli/doctor/brokers";
import { summarize } from "../../../../provider/observe/pods/pod";
import { makePod } from "../../support/states";

/** A running pod on a node, of which the broker has joined or not. */
function podOn(node: string, rank: number, hasJoined: boolean) {
    const status = hasJoined ? "True" : "False";
    const conditions = [{ type: "Ready", status, lastTransitionTime: new Date("2026-01-01T00:00:09Z") }];
    const pod = makePod(rank, { conditions });
    return summarize({ ...pod, spec: { ...pod.spec!, nodeName: node } });
}

const texts = (...pods: ReturnType<typeof podOn>[]) => badNodes(pods).map(({ text }) => text);

describe("badNodes", () => {
    it("names a node of which no rank has joined, if all others have", () => {
        const good = [podOn("node-1", 0, true), podOn("node-2", 1, true)];
        assert.deepEqual(texts(...good, podOn("node-3", 2, false), podOn("node-3", 3, false)), [
            "node node-3: none of its 2 ranks has joined, and all 2 ranks of other nodes have",
        ]);
        assert.deepEqual(texts(good[0], podOn("node-3", 2, false)), [
            "node node-3: its rank has not joined, and the only rank of another node has",
        ]);
        assert.match(badNodes([...good, podOn("node-3", 2, false)])[0]?.cure ?? "", /kubectl describe node node-3/);
    });

    it("says what the node has and the others haven't", () => {
        const traits = new Map([
            ["node-1", { kernel: "6.1", kubelet: "v1.36.4" }],
            ["node-3", { kernel: "5.4", kubelet: "v1.36.4" }],
        ]);
        const [bad] = badNodes([podOn("node-1", 0, true), podOn("node-3", 1, false)], traits);
        assert.match(bad?.text ?? "", / has; it has kernel 5\.4 \(the others have 6\.1\)$/);
    });

    it("accuses no node if a rank of it has joined, if ranks of other nodes lack too, or if none has joined", () => {
        assert.deepEqual(texts(podOn("node-1", 0, true), podOn("node-1", 1, false)), []);
        assert.deepEqual(texts(podOn("node-1", 0, true), podOn("node-1", 1, false), podOn("node-2", 2, false)), []);
        assert.deepEqual(texts(podOn("node-1", 0, false), podOn("node-2", 1, false)), []);
    });
});

import assert from "node:assert/strict";

import type { V1Pod, V1PodCondition } from "@kubernetes/client-node";

import { stateOf } from "../../../../../cli/target/ranks";
import { progress } from "../../../../../provider/jobStatus/readiness";
import { summarize } from "../../../../../provider/observe/pods/pod";
import { troubles } from "../../../../../provider/observe/pods/troubles";
import { makeStatusInputs, observe, readState, type State, TIMEOUTS } from "../../../support/states";

const LOST = "2026-11-21T11:40:00Z";
const DUE = "2026-11-21T11:46:00Z";
const at = (time: string, seconds = 0): number => Date.parse(time) + seconds * 1000;

/** The state of a cluster whose three ranks are ready, with a change of its last pod. */
function readyBut(change: (pod: V1Pod) => V1Pod): State {
    const state = readState("ready");
    return { ...state, pods: [...state.pods.slice(0, -1), change(state.pods.at(-1)!)] };
}

function withCondition(pod: V1Pod, changed: V1PodCondition): V1Pod {
    const others = pod.status?.conditions?.filter(({ type }) => type !== changed.type) ?? [];
    return { ...pod, status: { ...pod.status, conditions: [...others, changed] } };
}

/** What the node controller writes when a kubelet doesn't answer. */
const lost = (pod: V1Pod): V1Pod =>
    withCondition(pod, { type: "Ready", status: "False", lastTransitionTime: new Date(LOST) });

/** What the API server writes into a pod that is deleted. */
const deleted = (pod: V1Pod): V1Pod => ({ ...pod, metadata: { ...pod.metadata, deletionTimestamp: new Date(DUE) } });

/** The pod of a rank that has left the cluster, as its kubelet writes it. */
const unready = (pod: V1Pod): V1Pod =>
    withCondition(lost(pod), { type: "ContainersReady", status: "False", lastTransitionTime: new Date(LOST) });

describe("a pod on a lost node", () => {
    const found = (state: State) => troubles(observe(state), TIMEOUTS).map(({ message }) => message);
    const last = (state: State) => state.pods.at(-1)!;
    const nameOf = (state: State) => last(state).metadata?.name;
    const cure = (state: State) => {
        const node = last(state).spec?.nodeName;
        return `if that machine is off, kubectl taint node ${node} node.kubernetes.io/out-of-service=nodeshutdown:NoExecute`;
    };
    const inputs = makeStatusInputs();
    const lineOf = (state: State, now: number) => progress(observe(state), inputs, now).line;

    it("is named with its node, the time and the cure", () => {
        const state = readyBut(lost);
        const node = last(state).spec?.nodeName;
        const words = `${nameOf(state)} is lost: node ${node} has not been ready since ${LOST}; ${cure(state)}`;
        assert.deepEqual(found(state), [words]);
        assert.equal(lineOf(state, at(LOST, 1)), `2/3 ranks joined; ${words}`);
    });

    it("is named while it is deleted, which its node doesn't learn", () => {
        assert.deepEqual(found(readyBut((pod) => deleted(lost(pod)))), found(readyBut(lost)));
    });

    it("counts as lost in the table of ranks", () => {
        assert.equal(stateOf(summarize(lost(last(readState("ready"))))), "node lost");
        assert.equal(stateOf(summarize(deleted(last(readState("ready"))))), "ending");
    });

    it("ends the wait after the time that a pod may have no node", () => {
        const state = readyBut(lost);
        const failureAt = (seconds: number) => progress(observe(state), inputs, at(LOST, seconds)).failure;
        assert.equal(failureAt(TIMEOUTS.unschedulable - 1), undefined);
        assert.match(
            failureAt(TIMEOUTS.unschedulable) ?? "",
            /is lost: .* \(for 15 min; raise timeouts\.unschedulable/,
        );
    });

    it("is not one whose broker has left the cluster, or that has a readiness gate", () => {
        assert.deepEqual(found(readyBut(unready)), []);
        const gates = [{ conditionType: "example.com/gate" }];
        const gated = readyBut((pod) => ({ ...lost(pod), spec: { ...pod.spec!, readinessGates: gates } }));
        assert.deepEqual(found(gated), []);
    });

    it("is also one that was deleted and doesn't end, half a minute after its end was due", () => {
        const state = readyBut((pod) => deleted(unready(pod)));
        const node = last(state).spec?.nodeName;
        const words = `${nameOf(state)} was deleted, and node ${node} has not reported its end, which was due at ${DUE}; ${cure(state)}`;
        assert.equal(lineOf(state, at(DUE, 29)), "2/3 ranks joined");
        assert.equal(lineOf(state, at(DUE, 30)), `2/3 ranks joined; ${words}`);
    });
});

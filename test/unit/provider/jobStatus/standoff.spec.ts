import assert from "node:assert/strict";

import type { V1Job, V1Pod } from "@kubernetes/client-node";

import { connect } from "../../../../provider/kubernetes/client";
import { holdingsOf, ownHolding, Standoff } from "../../../../provider/jobStatus/standoff";
import { Observation } from "../../../../provider/observe/pods/observation";
import { summarize } from "../../../../provider/observe/pods/pod";
import { useApi } from "../../support/fakeApi";

const labels = { "app.kubernetes.io/name": "flux-minicluster" };
const jobOf = (name: string, parallelism: number, more: object = {}): V1Job => ({
    metadata: { name, namespace: "hpc", uid: `${name}-uid`, labels },
    spec: { completions: parallelism, parallelism, template: {}, ...more },
});

function podsOf(name: string, placed: number, waiting: number): V1Pod[] {
    return Array.from({ length: placed + waiting }, (_, rank) => ({
        metadata: {
            name: `${name}-${rank}`,
            uid: `${name}-${rank}`,
            labels: {
                ...labels,
                "batch.kubernetes.io/job-name": name,
                "batch.kubernetes.io/job-completion-index": String(rank),
            },
        },
        spec: { containers: [], nodeName: rank < placed ? "node" : undefined },
        status: {
            phase: "Pending",
            conditions:
                rank < placed
                    ? []
                    : [
                          {
                              type: "PodScheduled",
                              status: "False",
                              reason: "Unschedulable",
                              message: "0/1 nodes",
                              lastTransitionTime: new Date(0),
                          },
                      ],
        },
    }));
}

function seenOf(job: V1Job, pods: readonly V1Pod[]): Observation {
    const seen = new Observation("a-uid", 0);
    seen.job = job;
    pods.forEach((pod) => seen.setPod(summarize(pod), 0));
    return seen;
}

describe("holdingsOf", () => {
    it("has the clusters with nodes for a part of their pods", () => {
        const jobs = [jobOf("a", 4), jobOf("whole", 2), jobOf("none", 2), jobOf("held", 2, { suspend: true })];
        const pods = [...podsOf("a", 2, 2), ...podsOf("whole", 2, 0), ...podsOf("none", 0, 2), ...podsOf("held", 1, 0)];
        assert.deepEqual(holdingsOf(jobs, pods, 10_000), [{ name: "a", holds: 2, lacks: 2 }]);
    });

    it("has none whose pods have lacked nodes only for a moment, or are just being made", () => {
        assert.deepEqual(holdingsOf([jobOf("a", 4)], podsOf("a", 2, 2), 9_000), []);
        assert.deepEqual(holdingsOf([jobOf("a", 4)], podsOf("a", 2, 0), 60_000), []);
    });
});

describe("a pod that has ended", () => {
    it("holds no node, in the own cluster and in others", () => {
        const pods = podsOf("a", 2, 2);
        pods[0].status!.phase = "Failed";
        const [other] = holdingsOf([jobOf("a", 4)], pods, 10_000);
        assert.deepEqual(other, { name: "a", holds: 1, lacks: 3 });
        assert.deepEqual(ownHolding("a", seenOf(jobOf("a", 4), pods)), other);
    });
});

describe("a standoff", () => {
    const api = useApi();
    let told: string[];
    let heard: () => void;
    const stop = new AbortController();

    beforeEach(() => (told = []));

    /** Resolves when a sentence is told. */
    const hear = () => new Promise<void>((resolve) => (heard = resolve));

    function standoff(): Standoff {
        const id = { namespace: "hpc", name: "a", uid: "a-uid" };
        const tell = (text: string) => {
            told.push(text);
            heard();
        };
        return new Standoff(connect({ kubeconfig: api.kubeconfig }), id, tell, stop.signal);
    }

    function put(name: string, size: number, placed: number): void {
        api.put("jobs", jobOf(name, size) as never);
        podsOf(name, placed, size - placed).forEach((pod) => api.put("pods", pod as never));
    }

    const own = () => seenOf(jobOf("a", 4), podsOf("a", 2, 2));

    it("is told once, with the other's name, after ten seconds", async () => {
        put("a", 4, 2);
        put("b", 3, 1);
        const found = standoff();
        assert.equal(found.look(own(), 1000), 11_000);
        const first = hear();
        assert.equal(found.look(own(), 11_000), 21_000);
        await first;
        put("c", 2, 1);
        const second = hear();
        assert.equal(found.look(own(), 20_000), 21_000);
        assert.equal(found.look(own(), 21_000), 41_000, "the pause grows");
        await second;
        assert.deepEqual(
            told.map((text) => text.slice(0, text.indexOf("."))),
            ["b holds nodes for 1 pod and lacks 2", "c holds nodes for 1 pod and lacks 1"].map(
                (other) => `two clusters may wait for each other: a holds nodes for 2 pods and lacks 2, ${other}`,
            ),
        );
    });

    for (const [what, seen] of [
        ["without a node", seenOf(jobOf("a", 4), podsOf("a", 0, 4))],
        ["with all its nodes", seenOf(jobOf("a", 2), podsOf("a", 2, 0))],
    ] as const) {
        it(`is none of a cluster ${what}`, () => {
            assert.equal(standoff().look(seen, 1000), undefined);
            assert.deepEqual(api.requests, []);
        });
    }
});

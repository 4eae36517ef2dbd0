import type { V1Pod } from "@kubernetes/client-node";
import assert from "node:assert/strict";

import { seenWith } from "../../../support/sights";
import { makePod } from "../../../support/states";

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

import assert from "node:assert/strict";

import type { PlainArgs } from "../../../../../components/args";
import { queue } from "../../../../../components/features/queue";
import { job } from "../../../../../components/pod/job";
import { makeFiles, makeSpec, problemsOf } from "../../../support/spec";

const ELASTIC = "kueue.x-k8s.io/elastic-job";
const LEAST = "kueue.x-k8s.io/job-min-parallelism";

function annotationsOf(args: Partial<PlainArgs>): Record<string, string> {
    const [spec, files] = makeFiles({ queueName: "team", ...args });
    return job(spec, "hpc", files).metadata.annotations ?? {};
}

describe("queueName", () => {
    const cases: [string, Partial<PlainArgs>, Record<string, string>][] = [
        ["of a fixed size none", { size: 4 }, {}],
        ["that can be resized the annotation that keeps its pods", { size: 4, maxSize: 8 }, { [ELASTIC]: "true" }],
        ["that can shrink the same", { size: 4, minSize: 2 }, { [ELASTIC]: "true" }],
        ["the user's annotation", { size: 4, maxSize: 8, annotations: { [ELASTIC]: "false" } }, { [ELASTIC]: "false" }],
        [
            "with partial admission completions that follow",
            { size: 4, minSize: 2, annotations: { [LEAST]: "2" } },
            { [LEAST]: "2", "kueue.x-k8s.io/job-completions-equal-parallelism": "true" },
        ],
        ["without a queue none", { queueName: undefined, size: 4, maxSize: 8 }, {}],
    ];
    for (const [what, args, expected] of cases) {
        it(`gives a Job ${what}`, () => assert.deepEqual(annotationsOf(args), expected));
    }

    it("doesn't change the Job's annotations with its size, because Kueue refuses that", () => {
        assert.deepEqual(annotationsOf({ size: 8, maxSize: 8 }), annotationsOf({ size: 2, maxSize: 8 }));
    });

    const partial = (args: Partial<PlainArgs>, least = "2") =>
        problemsOf(
            queue,
            makeSpec({ queueName: "team", size: 4, minSize: 2, annotations: { [LEAST]: least }, ...args }),
        );

    it("accepts partial admission of a fixed size", () => {
        assert.deepEqual(
            ["2", "3"].flatMap((least) => partial({}, least)),
            [],
        );
    });

    for (const least of ["1", "4", "half", "2.5"]) {
        it(`refuses partial admission from ${least} pods on, which is no number from minSize to below size`, () => {
            assert.deepEqual(partial({}, least), [
                `annotations.${LEAST}: is "${least}"; it must be a number from minSize 2 to 3, below size.`,
            ]);
        });
    }

    it("refuses partial admission of a cluster that is resized", () => {
        const reason =
            "is given, but Kueue resizes no Job that it has started with fewer pods. Remove it, or maxSize and elastic.";
        assert.deepEqual(partial({ maxSize: 8 }), [`annotations.${LEAST}: ${reason}`]);
    });
});

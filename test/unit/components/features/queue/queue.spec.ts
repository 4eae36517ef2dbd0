import assert from "node:assert/strict";

import type { PlainArgs } from "../../../../../components/args";
import { queue } from "../../../../../components/features/queue";
import { job } from "../../../../../components/pod/job";
import { makeFiles, makeSpec, problemsOf } from "../../../support/spec";

const ELASTIC = "kueue.x-k8s.io/elastic-job";
const TOPOLOGY = "kueue.x-k8s.io/podset-required-topology";
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
        [
            "whose pods need a topology none, because Kueue refuses both",
            { size: 4, maxSize: 8, podAnnotations: { [TOPOLOGY]: "rack" } },
            {},
        ],
        ["without a queue none", { queueName: undefined, size: 4, maxSize: 8 }, {}],
    ];
    for (const [what, args, expected] of cases) {
        it(`gives a Job ${what}`, () => assert.deepEqual(annotationsOf(args), expected));
    }

    describe("as a label of Kueue", () => {
        const labels = { "kueue.x-k8s.io/queue-name": "team" };

        it("is the same as the argument", () => {
            const args = { size: 4, maxSize: 8 };
            const [byLabel, files] = makeFiles({ ...args, labels });
            const [byName] = makeFiles({ ...args, queueName: "team" });
            assert.deepEqual(job(byLabel, "hpc", files).spec, job(byName, "hpc", files).spec);
            assert.equal(job(byLabel, "hpc", files).spec?.suspend, true);
        });

        it("is refused beside another queueName", () => {
            assert.deepEqual(problemsOf(queue, makeSpec({ labels, queueName: "physics" })), [
                'labels.kueue.x-k8s.io/queue-name: is "team", but queueName is "physics". Remove one of the two.',
            ]);
        });

        const ofPods = (args: Partial<PlainArgs>) => problemsOf(queue, makeSpec(args));

        it("is refused on the pods alone, also in podTemplate, because Kueue would admit each pod by itself", () => {
            const problem =
                'podLabels.kueue.x-k8s.io/queue-name: is "team", but with the label on its pods Kueue doesn\'t admit a ' +
                'cluster as a whole. Give queueName: "team" in its place.';
            assert.deepEqual(ofPods({ podLabels: labels }), [problem]);
            assert.deepEqual(ofPods({ podTemplate: { metadata: { labels } } }), [problem]);
            assert.deepEqual(ofPods({ podLabels: labels, queueName: "team" }), []);
        });

        it("is refused on the pods if the Job is in another queue", () => {
            assert.match(
                ofPods({ podLabels: labels, queueName: "physics" }).join(),
                /Remove it; queueName is "physics"\.$/,
            );
        });
    });

    it("doesn't change the Job's annotations with its size, because Kueue refuses that", () => {
        assert.deepEqual(
            annotationsOf({ command: [], size: 8, maxSize: 8 }),
            annotationsOf({ command: [], size: 2, maxSize: 8 }),
        );
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

    it("refuses partial admission without a smaller minSize, and names that", () => {
        assert.deepEqual(partial({ minSize: undefined }), [
            `annotations.${LEAST}: is given, but minSize is 4, and size 4. Set minSize below size.`,
        ]);
    });

    const elastic: [string, Partial<PlainArgs>, string][] = [
        [
            "without resizes in place",
            { annotations: { [ELASTIC]: "false" } },
            `annotations.${ELASTIC}: is "false", but then Kueue ends all pods when elastic changes their number. Remove it, or elastic.`,
        ],
        [
            "with a topology",
            { podAnnotations: { [TOPOLOGY]: "rack" } },
            `podAnnotations.${TOPOLOGY}: is given, but with it Kueue resizes no Job in place. Remove it, or elastic.`,
        ],
        [
            "with a deadline that its sleep counts for",
            { activeDeadlineSeconds: 86400, elastic: { sleepAfter: 60 } },
            "activeDeadlineSeconds: is given, but in a queue the time of sleep counts too, so Kubernetes would end the cluster in its " +
                "sleep. Remove it, or elastic.sleepAfter, or queueName.",
        ],
    ];
    for (const [how, args, problem] of elastic) {
        it(`refuses elastic ${how}`, () => {
            const spec = makeSpec({ queueName: "team", command: [], maxSize: 8, elastic: {}, ...args });
            assert.deepEqual(problemsOf(queue, spec), [problem]);
        });
    }

    it("refuses partial admission of a cluster that is resized", () => {
        const reason =
            "is given, but Kueue resizes no Job that it has started with fewer pods. Remove it, or maxSize and elastic.";
        assert.deepEqual(partial({ maxSize: 8 }), [`annotations.${LEAST}: ${reason}`]);
    });
});

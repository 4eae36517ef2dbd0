import fc from "fast-check";
import assert from "node:assert/strict";

import type { PlainArgs } from "../../../../components/args";
import { decideCluster } from "../../../../components/arguments/decide";
import { FIELDS } from "../../../../components/arguments/merged";
import { ARGUMENTS } from "../../../../components/generated/shapes";
import type { Problem } from "../../../../components/rules/problem";
import { RIGHT_VALUES, rightArgs } from "../../support/rightArgs";

/** Values that a rule refuses alone or beside other arguments. */
const WRONG: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
    image: fc.constant("Not An Image"),
    nodeSelector: fc.constant({ "not a label!": "x" }),
    podAnnotations: fc.constantFrom({ "a b": "x" }, { "kueue.x-k8s.io/podset-required-topology": "rack" }),
    podLabels: fc.constant({ x: "no label!" }),
    podSecurityContext: fc.constantFrom({ runAsUser: 7 }, { runAsUser: 0 }),
    priorityClassName: fc.constant("No Name"),
    resources: fc.constantFrom(
        { limits: { cpu: "many" } },
        { limits: { cpu: "1" }, requests: { cpu: "2" } },
        { limits: { "nvidia.com/gpu": "1.5" } },
    ),
    runtimeClassName: fc.constant("No Name"),
    securityContext: fc.constant({ runAsUser: 7 }),
    serviceAccountName: fc.constant("No Name"),
    terminationGracePeriodSeconds: fc.constantFrom(-1, 0, 5),
    tolerations: fc.constantFrom([{ operator: "Sometimes" }], [{ key: "a", tolerationSeconds: -1 }]),
};

/** The other arguments, by the reason why the pod template has no field of theirs. */
const WITHOUT_FIELD: Readonly<Record<string, string>> = {
    "is about Pulumi, the access to Kubernetes, or the wait":
        "context fit interrupt kubeconfig name namespace output rerunFailed timeouts triggers waitFor",
    "is about other objects than pods": "annotations labels networkPolicy queueName restful rotate services",
    "is about the Job, whose pod template doesn't have it":
        "activeDeadlineSeconds backoffLimit maxSize minSize size suspend ttlSecondsAfterFinished",
    "is about Flux, by files and parameters of the cluster's own scripts":
        "broker cores coresPerTask errorFile exclusive fluxQueue gpuResources gpus gpusPerTask hooks inputFile launcher " +
        "nodes outputFile preflight rendezvous requires results shellOptions signal tasks tasksPerNode timeLimit urgency",
    "makes a decision, by which the cluster has several fields":
        "checkpoint clusterDomain disruptionBudget drainTimeout elastic keepNodes keygen metrics munge network onRankLoss " +
        "placement serviceMesh user view zone",
    "makes volumes and mounts, and pod/mountRules judges those of both":
        "archive certificate certificateSecret code mungeSecret sharedMemory volumes",
    "makes containers or variables, to which a patch adds others; rules about names judge those of both":
        "environment sidecars",
    "is refused in the pod template": "command",
    "is replaced or extended by the pod template, and no rule but isExclusive reads it": "affinity",
    "is added to by the pod template, and no rule reads it": "imagePullSecrets",
    "is replaced by the pod template, and no rule reads it": "workingDir",
    "is the pod template": "podTemplate",
};

/** A value of each argument that the pod template may give too. */
const value = (name: string): fc.Arbitrary<unknown> =>
    Object.hasOwn(WRONG, name) ? fc.oneof(RIGHT_VALUES[name], WRONG[name]) : RIGHT_VALUES[name];

const moved = fc.constantFrom(...Object.keys(FIELDS)).chain((name) => fc.tuple(fc.constant(name), value(name)));

/** Arguments that rules compare with those of the pod template. */
const compared = fc.record(
    {
        archive: fc.constant({ hostPath: "/srv/archive" }),
        checkpoint: fc.constant({ signal: "SIGUSR1", seconds: 30 }),
        drainTimeout: fc.constantFrom(0, 60),
        elastic: fc.constantFrom({}, { sleepAfter: 60 }),
        maxSize: fc.constant(4),
        queueName: fc.constant("queue"),
        sharedMemory: fc.constant("1Gi"),
        user: fc.constant({ uid: 1000 }),
    },
    { requiredKeys: [] },
);

/** The patch that gives an argument's value in the pod template. */
function patchOf(name: string, given: unknown): object {
    const [, place, field, inner] = FIELDS[name].path.split(".");
    return place === "spec" && inner !== undefined
        ? { spec: { containers: [{ name: "flux", [inner]: given }] } }
        : { [place]: { [field]: given } };
}

const verdict = (problems: readonly Problem[], name: string) =>
    problems.map(({ property, reason }) => `${property.replace(FIELDS[name].path, name)}: ${reason}`);

const judge = (args: PlainArgs, name: string) => verdict(decideCluster("flow", args).problems, name);

describe("a value in podTemplate", () => {
    it("gets the verdict of each rule that the argument gets", () => {
        const counts = { refused: 0, accepted: 0 };
        fc.assert(
            fc.property(rightArgs, fc.oneof(fc.constant({}), compared), moved, (right, more, [name, given]) => {
                const { podTemplate: _, [name as "image"]: own, ...rest } = { ...right, ...more };
                const args = (name === "image" ? { ...rest, image: own } : rest) as PlainArgs;
                const expected = judge({ ...args, [name]: given }, name);
                const found = judge({ ...args, podTemplate: patchOf(name, given) }, name);
                assert.deepEqual(found, expected);
                counts[found.length > 0 ? "refused" : "accepted"] += 1;
            }),
            { numRuns: 1000 },
        );
        assert.ok(counts.refused > 100 && counts.accepted > 100, JSON.stringify(counts));
    });

    const refused: [string, Partial<PlainArgs>, string][] = [
        [
            "a grace period below drainTimeout",
            { drainTimeout: 60, podTemplate: { spec: { terminationGracePeriodSeconds: 5 } } },
            "podTemplate.spec.terminationGracePeriodSeconds: is 5; it must be above drainTimeout 60, because the end " +
                "itself takes time too. Raise it, or leave it out.",
        ],
        [
            "the default grace period of Kubernetes below drainTimeout",
            { drainTimeout: 60, podTemplate: { spec: { terminationGracePeriodSeconds: null } } },
            "terminationGracePeriodSeconds: is 30; it must be above drainTimeout 60, because the end " +
                "itself takes time too. Raise it, or leave it out.",
        ],
        [
            "an amount of a resource, by its path",
            { podTemplate: { spec: { containers: [{ name: "flux", resources: { limits: { memory: "much" } } }] } } },
            'podTemplate.spec.containers[flux].resources.limits.memory: is "much", which is not a Kubernetes quantity. ' +
                'Write it like "4", "500m" or "8Gi".',
        ],
        [
            "the name of a service account, by its path",
            { podTemplate: { spec: { serviceAccountName: "No Name" } } },
            'podTemplate.spec.serviceAccountName: is "No Name"; the name of a Kubernetes object has up to 253 ' +
                "lower-case letters, digits, '-' and '.', and starts and ends with a letter or a digit.",
        ],
        [
            "another program of the Flux container",
            { podTemplate: { spec: { containers: [{ name: "flux", command: ["sleep"] }] } } },
            "podTemplate.spec.containers[flux].command: is given, but the cluster's own script starts the brokers. " +
                "Give a script of yours in hooks, or remove command.",
        ],
        [
            "other words of the Flux container, also if they only remove the cluster's own",
            { podTemplate: { spec: { containers: [{ name: "flux", args: null }] } } },
            "podTemplate.spec.containers[flux].args: is given, but the words of the argument command are there. " +
                "Give command, or remove args.",
        ],
    ];
    for (const [what, args, text] of refused) {
        it(`is refused: ${what}`, () => {
            const { problems } = decideCluster("flow", { image: "flux", ...args });
            assert.deepEqual(
                problems.map(({ property, reason }) => `${property}: ${reason}`),
                [text],
            );
        });
    }

    it("decides what its argument decides: the cores of a rank by its limits, also written as a number", () => {
        const podTemplate = { spec: { containers: [{ name: "flux", resources: { limits: { cpu: 3 } } }] } };
        assert.equal(decideCluster("flow", { image: "flux", podTemplate }).spec?.rank.cores, 3);
    });

    it("changes no argument if Kubernetes refuses its type", () => {
        const podTemplate = { spec: { terminationGracePeriodSeconds: "5", tolerations: "all" } };
        const { spec } = decideCluster("flow", { image: "flux", podTemplate });
        assert.deepEqual([spec?.terminationGracePeriodSeconds, spec?.tolerations], [20, []]);
    });

    it("is taken also if the program has frozen its arguments", () => {
        const podTemplate = { spec: { terminationGracePeriodSeconds: 7 } };
        const args = Object.freeze({ image: "flux", terminationGracePeriodSeconds: 9, podTemplate });
        assert.equal(decideCluster("flow", args).spec?.terminationGracePeriodSeconds, 7);
    });

    it("is compared for each argument, or there is a reason why not", () => {
        const reasons = Object.entries(WITHOUT_FIELD).flatMap(([, names]) => names.split(" "));
        assert.deepEqual([...Object.keys(FIELDS), ...reasons].sort(), Object.keys(ARGUMENTS).sort());
    });

    it("removes by null what the argument gives, also deep in it", () => {
        const wide = { limits: { cpu: "1" }, requests: { cpu: "2" } };
        assert.notDeepEqual(judge({ image: "flux", resources: wide }, "resources"), []);
        for (const patch of [
            { limits: null },
            { requests: null },
            { limits: { cpu: null } },
            { requests: { cpu: null } },
        ]) {
            const args = { image: "flux", resources: wide, podTemplate: patchOf("resources", patch) };
            assert.deepEqual(judge(args, "resources"), [], JSON.stringify(patch));
        }
        const labels = { image: "flux", nodeSelector: { "not a label!": "x" } };
        assert.notDeepEqual(judge(labels, "nodeSelector"), []);
        const without = patchOf("nodeSelector", { "not a label!": null });
        assert.deepEqual(judge({ ...labels, podTemplate: without }, "nodeSelector"), []);
    });
});

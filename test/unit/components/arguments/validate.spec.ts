import assert from "node:assert/strict";

import fc from "fast-check";

import type { PlainArgs } from "../../../../components/args";
import { resolveSpec, validate } from "../../../../components/arguments/decide";
import { Placement } from "../../../../components/features/placement";
import { WaitFor } from "../../../../components/features/update";
import { anyArgs } from "../../support/arbitrary";
import { makeSpec } from "../../support/spec";

const problems = (args: Partial<PlainArgs>, secretNames: string[] = []) =>
    validate(makeSpec(args, secretNames)).map(({ property, reason }) => `${property}: ${reason}`);

const limits = (values: Record<string, string>) => ({ resources: { limits: values } });

describe("validate", () => {
    it("has nothing against the defaults of both modes", () => {
        assert.deepEqual(problems({}), []);
        assert.deepEqual(problems({ command: undefined }), []);
    });

    it("has nothing against a cluster that uses its limits up to the last core and GPU", () => {
        const args = {
            size: 2,
            tasks: 4,
            coresPerTask: 2,
            gpusPerTask: 1,
            ...limits({ cpu: "4", "nvidia.com/gpu": "2" }),
        };
        assert.deepEqual(problems(args), []);
    });

    const rules: [string, Partial<PlainArgs>, string][] = [
        [
            "a name that is no DNS label",
            { name: "Lammps" },
            `name: is "Lammps"; Kubernetes takes lower-case letters, digits and '-', the first a letter, the last no '-'. Give a name of that form.`,
        ],
        [
            "a name that begins with a digit, which a Service may not",
            { name: "3d" },
            `name: is "3d"; Kubernetes takes lower-case letters, digits and '-', the first a letter, the last no '-'. Give a name of that form.`,
        ],
        ["no rank", { size: 0 }, "size: is 0; a cluster has at least 1 rank. Use suspend to hold it."],
        [
            "a suspension beside a queue, which decides on it",
            { queueName: "physics", suspend: true },
            'suspend: is true, and Kueue decides on the suspension of a Job in queue "physics". Remove suspend, and deactivate ' +
                "the Workload of the Job instead (spec.active: false), or remove queueName.",
        ],
        ["a size above maxSize", { size: 5, maxSize: 4 }, "size: is 5, above maxSize 4. Lower it or raise maxSize."],
        ["more pods than a Job takes", { size: 100_001 }, "size: is 100001; a Kubernetes Job takes up to 100000 pods."],
        [
            "a quorum that is never reached",
            { minSize: 5 },
            "minSize: is 5; quorum has to be between 1 and size 4, or it is never reached.",
        ],
        ["no quorum", { minSize: 0 }, "minSize: is 0; quorum has to be between 1 and size 4, or it is never reached."],
        ["a NUL in the command", { command: ["a", "b\0"] }, "command[1]: has a NUL character; no program can get one."],
        ["a command without a program", { command: ["", "b"] }, "command[0]: is empty; it must name a program."],
        ["tasks without a command", { command: [], tasks: 2 }, "tasks: is 2, but there is no command. Remove it."],
        [
            "cores per task with a launcher",
            { launcher: true, coresPerTask: 2 },
            "coresPerTask: is 2, but the launcher decides it. Remove it.",
        ],
        [
            "a launcher without a command",
            { command: [], launcher: true },
            "launcher: is true, but there is no command to launch. Give a command.",
        ],
        [
            "waiting for an end that never comes",
            { command: [], waitFor: WaitFor.Completed },
            'waitFor: is "completed", but a cluster without a command never completes. Use "ready".',
        ],
        [
            "a variable that has no name",
            { environment: { "A-B": "1" } },
            "environment.A-B: is no name of a variable: letters, digits and '_', the first no digit.",
        ],
        [
            "a variable of the scripts",
            { environment: { MINICLUSTER_MODE: "x" } },
            "environment.MINICLUSTER_MODE: is set by MiniCluster itself. Use another name.",
        ],
        [
            "a variable of Flux",
            { environment: { FLUX_URI: "x" } },
            "environment.FLUX_URI: is set by MiniCluster itself. Use another name.",
        ],
        [
            "a limit that is no quantity",
            limits({ memory: "8GB" }),
            'resources.limits.memory: is "8GB", which is no Kubernetes quantity. Write it like "4", "500m" or "8Gi".',
        ],
        [
            "less than nothing",
            limits({ memory: "-1Gi" }),
            'resources.limits.memory: is "-1Gi", which is no Kubernetes quantity. Write it like "4", "500m" or "8Gi".',
        ],
        [
            "half a GPU",
            limits({ "nvidia.com/gpu": "500m" }),
            'resources.limits.nvidia.com/gpu: is "500m"; Kubernetes gives only whole ones. Write it like "1".',
        ],
        [
            "a request that is no quantity",
            { resources: { requests: { cpu: "two" } } },
            'resources.requests.cpu: is "two", which is no Kubernetes quantity. Write it like "4", "500m" or "8Gi".',
        ],
        [
            "shared memory that is no quantity",
            { sharedMemory: "much" },
            'sharedMemory: is "much", which is no Kubernetes quantity. Write it like "4", "500m" or "8Gi".',
        ],
        [
            "more cores than a rank has",
            { tasks: 9, coresPerTask: 2, ...limits({ cpu: "4" }) },
            "tasks: 9 on 4 ranks need 6 cores of each rank, and its limit gives it 4. Lower tasks or coresPerTask, or raise size or limits.cpu.",
        ],
        [
            "more GPUs than a rank has",
            { gpusPerTask: 1, ...limits({ cpu: "4" }) },
            "gpusPerTask: 4 tasks on 4 ranks need 1 GPUs of each rank, and its limits give 0. Lower it, or raise the GPUs in resources.limits.",
        ],
        [
            "a log level that Flux doesn't have",
            { broker: { logLevel: 8 } },
            "broker.logLevel: is 8; levels go from 0 (emerg) to 7 (debug).",
        ],
        [
            "a port that TCP doesn't have",
            { broker: { port: 65536 } },
            "broker.port: is 65536; ports go from 1 to 65535.",
        ],
        [
            "a timeout that is no Flux duration",
            { broker: { connectTimeout: 0 } },
            "broker.connectTimeout: is 0; it must be at least 1.",
        ],
        [
            "a topology that Flux doesn't have",
            { broker: { topology: "star" } },
            'broker.topology: is "star"; Flux knows custom, kary:N, mincrit, mincrit:N and binomial.',
        ],
        [
            "an attribute that has no name",
            { broker: { attributes: { "-S": "1" } } },
            "broker.attributes.-S: is no Flux attribute: letters, digits, '.', '-' and '_', on one line.",
        ],
        [
            "an attribute on two lines, which would be two",
            { broker: { attributes: { "log-level": "7\nrundir=/tmp" } } },
            "broker.attributes.log-level: is no Flux attribute: letters, digits, '.', '-' and '_', on one line.",
        ],
        [
            "an attribute that an argument sets",
            { broker: { attributes: { "tbon.topo": "kary:2" } } },
            "broker.attributes.tbon.topo: is set by MiniCluster itself, from an argument of its own.",
        ],
        ["no tasks", { tasks: 0 }, "tasks: is 0; it must be at least 1."],
        ["no cores", { coresPerTask: 0 }, "coresPerTask: is 0; it must be at least 1."],
        ["less than no GPUs", { gpusPerTask: -1 }, "gpusPerTask: is -1; it must be at least 0."],
        ["less than no failures", { backoffLimit: -1 }, "backoffLimit: is -1; it must be at least 0."],
        ["a deadline at once", { activeDeadlineSeconds: 0 }, "activeDeadlineSeconds: is 0; it must be at least 1."],
        [
            "removal in the past",
            { ttlSecondsAfterFinished: -1 },
            "ttlSecondsAfterFinished: is -1; it must be at least 0.",
        ],
        [
            "an end before the signal",
            { terminationGracePeriodSeconds: -1 },
            "terminationGracePeriodSeconds: is -1; it must be at least 0.",
        ],
        ["less than no log", { output: { maxBytes: -1 } }, "output.maxBytes: is -1; it must be at least 0."],
        ["no time", { timeouts: { imagePull: 0 } }, "timeouts.imagePull: is 0; it must be at least 1."],
    ];
    for (const [what, args, expected] of rules) {
        it(`refuses ${what}`, () => {
            assert.deepEqual(problems(args), [expected]);
        });
    }

    it("refuses a secret variable by the same rules", () => {
        const expected = "environment.JOB_COMPLETION_INDEX: is set by MiniCluster itself. Use another name.";
        assert.deepEqual(problems({}, ["JOB_COMPLETION_INDEX"]), [expected]);
    });

    it("checks tasks of a cluster that grows against its present size", () => {
        const args = { size: 2, minSize: 1, maxSize: 8, tasks: 8, ...limits({ cpu: "2" }) };
        assert.deepEqual(problems(args), [
            "tasks: 8 on 2 ranks need 4 cores of each rank, and its limit gives it 2. Lower tasks or coresPerTask, or raise size or limits.cpu.",
        ]);
    });

    it("leaves tasks to Flux where it detects the cores", () => {
        assert.deepEqual(problems({ tasks: 1000, coresPerTask: 64 }), []);
    });

    it("says of an empty cluster that it is empty, and no more", () => {
        assert.deepEqual(
            validate(makeSpec({ size: 0, minSize: 1, tasks: 4, ...limits({ cpu: "1" }) })).map(
                ({ property }) => property,
            ),
            ["size"],
        );
    });

    describe("and the longest host name", () => {
        const name = "a".repeat(60);

        it("takes 63 characters", () => {
            assert.deepEqual(problems({ name: "a".repeat(58) }), []);
            assert.deepEqual(problems({ name: "a".repeat(58), size: 1000 }), []);
        });

        it("counts the digits of the largest index, not of the first", () => {
            assert.deepEqual(problems({ name: "a".repeat(58), size: 10_001 }), [
                `name: makes "${"a".repeat(58)}-10000", which has 64 characters; Kubernetes takes 63. Shorten it by 1.`,
            ]);
        });

        it("counts the ranks that may come, not those that are there", () => {
            const [first, ...more] = problems({ name: "a".repeat(58), size: 1, maxSize: 100_000 });
            assert.match(first, /-99999", which has 64 characters/);
            assert.deepEqual(more, []);
        });

        it("counts the lead Service's name where that is longer", () => {
            assert.deepEqual(problems({ name }), [
                `name: makes "${name}-lead", which has 65 characters; Kubernetes takes 63. Shorten it by 2.`,
            ]);
        });
    });

    for (const topology of ["custom", "kary:0", "kary:16", "mincrit", "mincrit:3", "binomial"]) {
        it(`knows ${topology} as a topology`, () => {
            assert.deepEqual(problems({ broker: { topology } }), []);
        });
    }

    it("finds everything at once, feature by feature", () => {
        const args: Partial<PlainArgs> = {
            name: "X",
            size: 0,
            command: [""],
            environment: { "1": "" },
            sharedMemory: "?",
            broker: { port: 0 },
            activeDeadlineSeconds: 0,
            volumes: [{ name: "flux-x", mountPath: "x" }],
            placement: Placement.Pack,
        };
        assert.deepEqual(
            validate(makeSpec(args)).map(({ property }) => property),
            [
                "size",
                "command[0]",
                "broker.port",
                "sharedMemory",
                "volumes[0]",
                "volumes[0].name",
                "volumes[0].mountPath",
                "environment.1",
                "activeDeadlineSeconds",
                "name",
            ],
        );
    });

    it("never throws for arguments of the right shape", () => {
        fc.assert(
            fc.property(anyArgs, (args) => Array.isArray(validate(resolveSpec("lammps", args)))),
            { numRuns: 150 },
        );
    });

    it("says all it has to say in whole sentences", () => {
        fc.assert(
            fc.property(anyArgs, (args) => {
                for (const { property, reason } of validate(resolveSpec("lammps", args))) {
                    assert.match(reason, /[.?]$/);
                    // What is quoted is the value.
                    assert.doesNotMatch(
                        reason.replaceAll(/"[^"]*"/g, ""),
                        /undefined|NaN|Infinity|\[object/,
                        `${property}: ${reason}`,
                    );
                }
            }),
            { numRuns: 150 },
        );
    });
});

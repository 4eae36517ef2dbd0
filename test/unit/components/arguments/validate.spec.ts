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
    it("accepts the defaults of ephemeral and persistent clusters", () => {
        assert.deepEqual(problems({}), []);
        assert.deepEqual(problems({ command: undefined }), []);
    });

    it("accepts tasks that need every core and GPU of the limits", () => {
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
            "a name that isn't a DNS label",
            { name: "Lammps" },
            `name: is "Lammps"; the name of a Kubernetes Service has lower-case letters, digits and '-', starts with a letter and doesn't end with '-'. Give such a name.`,
        ],
        [
            "a name that begins with a digit, which Services don't allow",
            { name: "3d" },
            `name: is "3d"; the name of a Kubernetes Service has lower-case letters, digits and '-', starts with a letter and doesn't end with '-'. Give such a name.`,
        ],
        ["a size of 0", { size: 0 }, "size: is 0; a cluster has at least 1 rank. To stop its pods, use suspend."],
        [
            "suspend together with queueName, because Kueue decides on the suspension",
            { queueName: "physics", suspend: true },
            'suspend: is true, but Kueue decides on the suspension of a Job with a queueName, here "physics". Remove suspend and deactivate ' +
                "the Workload of the Job instead (spec.active: false), or remove queueName.",
        ],
        ["a size above maxSize", { size: 5, maxSize: 4 }, "size: is 5, above maxSize 4. Lower it or raise maxSize."],
        [
            "a size above the maximum of a Job",
            { size: 100_001 },
            "size: is 100001; a cluster has up to 100000 ranks. Lower it.",
        ],
        ["a quorum above the size", { minSize: 5 }, "minSize: is 5; the quorum must be from 1 to size 4."],
        ["a quorum of 0", { minSize: 0 }, "minSize: is 0; the quorum must be from 1 to size 4."],
        [
            "a NUL character in the command",
            { command: ["a", "b\0"] },
            "command[1]: has a NUL character, which Linux can't pass to a program. Remove it.",
        ],
        ["a command whose program is empty", { command: ["", "b"] }, "command[0]: is empty; it must name a program."],
        ["tasks without a command", { command: [], tasks: 2 }, "tasks: is 2, but there is no command. Remove it."],
        [
            "coresPerTask together with a launcher",
            { launcher: true, coresPerTask: 2 },
            "coresPerTask: is 2, but with launcher the command decides on it. Remove it.",
        ],
        [
            "a queue of Flux together with a launcher",
            { launcher: true, fluxQueue: "debug" },
            'fluxQueue: is "debug", but with launcher the command decides on it. Remove it.',
        ],
        [
            "shell options together with a launcher",
            { launcher: true, exclusive: false, shellOptions: { pmi: "pmix" } },
            "shellOptions: is given, but with launcher the command decides on it. Remove it.",
        ],
        [
            "more nodes than the cluster has",
            { nodes: 5 },
            "nodes: is 5, above size 4; the nodes are ranks of the cluster. Lower it or raise size.",
        ],
        [
            "more nodes than a cluster has that can grow",
            { nodes: 5, maxSize: 8 },
            "nodes: is 5, above size 4; the nodes are ranks of the cluster. Lower it or raise size.",
        ],
        [
            "more nodes than tasks",
            { nodes: 3, tasks: 2 },
            "nodes: is 3, above tasks 2; each node needs at least one task. Lower it or raise tasks.",
        ],
        [
            "a launcher without a command",
            { command: [], launcher: true },
            "launcher: is true, but there is no command. Give a command.",
        ],
        [
            "waitFor completed for a persistent cluster",
            { command: [], waitFor: WaitFor.Completed },
            'waitFor: is "completed", but a persistent cluster never completes. Use "ready", or give a command.',
        ],
        [
            "a variable with an invalid name",
            { environment: { "A-B": "1" } },
            "environment.A-B: is not a variable name. Use letters, digits and '_', and start with a letter or '_'.",
        ],
        [
            "a variable that the scripts set",
            { environment: { MINICLUSTER_MODE: "x" } },
            "environment.MINICLUSTER_MODE: is set by MiniCluster itself. Use another name.",
        ],
        [
            "a variable that Flux sets",
            { environment: { FLUX_URI: "x" } },
            "environment.FLUX_URI: is set by MiniCluster itself. Use another name.",
        ],
        [
            "a limit that isn't a quantity",
            limits({ memory: "8GB" }),
            'resources.limits.memory: is "8GB", which is not a Kubernetes quantity. Write it like "4", "500m" or "8Gi".',
        ],
        [
            "a negative limit",
            limits({ memory: "-1Gi" }),
            'resources.limits.memory: is "-1Gi", which is not a Kubernetes quantity. Write it like "4", "500m" or "8Gi".',
        ],
        [
            "memory without a unit",
            limits({ memory: "4" }),
            'resources.limits.memory: is "4", which is 4 bytes, below 1Mi. Write it with a unit, like "512Mi" or "8Gi".',
        ],
        [
            "thousandths of bytes",
            { resources: { requests: { "ephemeral-storage": "400m" } } },
            'resources.requests.ephemeral-storage: is "400m", which is 0.4 bytes, below 1Mi. Write it with a unit, like "512Mi" or "8Gi".',
        ],
        [
            "sharedMemory without a unit",
            { sharedMemory: "64" },
            'sharedMemory: is "64", which is 64 bytes, below 1Mi. Write it with a unit, like "512Mi" or "8Gi".',
        ],
        [
            "half a GPU",
            limits({ "nvidia.com/gpu": "500m" }),
            'resources.limits.nvidia.com/gpu: is "500m"; Kubernetes assigns only whole devices. Write it like "1".',
        ],
        [
            "a request that isn't a quantity",
            { resources: { requests: { cpu: "two" } } },
            'resources.requests.cpu: is "two", which is not a Kubernetes quantity. Write it like "4", "500m" or "8Gi".',
        ],
        [
            "sharedMemory that isn't a quantity",
            { sharedMemory: "much" },
            'sharedMemory: is "much", which is not a Kubernetes quantity. Write it like "4", "500m" or "8Gi".',
        ],
        [
            "sharedMemory with the node's /dev/shm",
            { hostIPC: true, sharedMemory: "1Gi" },
            'sharedMemory: is "1Gi", but hostIPC is true: /dev/shm is then the node\'s, which has its own limit. Remove sharedMemory or hostIPC.',
        ],
        [
            "tasks that need more cores than a rank has",
            { tasks: 9, coresPerTask: 2, ...limits({ cpu: "4" }) },
            "tasks: is 9; 4 ranks need 6 cores each for it, but resources.limits.cpu gives 4. Lower tasks or coresPerTask, or raise size or the cores.",
        ],
        [
            "tasks that need more GPUs than a rank has",
            { gpusPerTask: 1, ...limits({ cpu: "4" }) },
            "gpusPerTask: is 1; 4 ranks need 1 GPUs each for 4 tasks, but resources.limits gives 0. Lower it, or raise the limit.",
        ],
        [
            "tasks that need more cores than the nodes of the command have",
            { nodes: 2, tasks: 9, ...limits({ cpu: "4" }) },
            "tasks: is 9; 2 ranks need 5 cores each for it, but resources.limits.cpu gives 4. Lower tasks or coresPerTask, or raise size or the cores.",
        ],
        [
            "an unknown log level",
            { broker: { logLevel: 8 } },
            "broker.logLevel: is 8; levels go from 0 (emerg) to 7 (debug).",
        ],
        ["a port above 65535", { broker: { port: 65536 } }, "broker.port: is 65536; ports go from 1 to 65535."],
        [
            "a connectTimeout of 0",
            { broker: { connectTimeout: 0 } },
            "broker.connectTimeout: is 0; it must be at least 0.1.",
        ],
        [
            "an unknown topology",
            { broker: { topology: "star" } },
            'broker.topology: is "star"; Flux accepts custom, kary:N, mincrit, mincrit:N and binomial.',
        ],
        [
            "an attribute with an invalid name",
            { broker: { attributes: { "-S": "1" } } },
            "broker.attributes.-S: is not a broker attribute. Use letters, digits, '.', '-' and '_', and a value of one line.",
        ],
        [
            "an attribute on two lines, which would set two attributes",
            { broker: { attributes: { "log-level": "7\nrundir=/tmp" } } },
            "broker.attributes.log-level: is not a broker attribute. Use letters, digits, '.', '-' and '_', and a value of one line.",
        ],
        [
            "an attribute that another argument sets",
            { broker: { attributes: { "tbon.topo": "kary:2" } } },
            "broker.attributes.tbon.topo: is set by MiniCluster itself. Use broker.topology.",
        ],
        [
            "an attribute by which the start script recognises flux shutdown",
            { broker: { attributes: { "broker.exit-norestart": "3" } } },
            "broker.attributes.broker.exit-norestart: is set by MiniCluster itself. Remove it.",
        ],
        [
            "a log that hides the failure of a module",
            { broker: { attributes: { "log-ring-size": "0" } }, command: undefined },
            "broker.attributes.log-ring-size: is 0; it must be at least 128 in a persistent cluster, because the lead's log has to tell a failure from flux shutdown. Remove it for Flux' default of 1024 lines.",
        ],
        [
            "a level of the log that hides the failure of a module",
            { broker: { attributes: { "log-level": "1" } }, command: undefined },
            "broker.attributes.log-level: is 1; it must be at least 2 in a persistent cluster, because the lead's log has to tell a failure from flux shutdown. Remove it; broker.logLevel sets the level of the pod's log.",
        ],
        ["0 tasks", { tasks: 0 }, "tasks: is 0; it must be at least 1."],
        ["0 cores per task", { coresPerTask: 0 }, "coresPerTask: is 0; it must be at least 1."],
        ["a negative gpusPerTask", { gpusPerTask: -1 }, "gpusPerTask: is -1; it must be at least 0."],
        ["a negative backoffLimit", { backoffLimit: -1 }, "backoffLimit: is -1; it must be at least 0."],
        ["a deadline of 0 s", { activeDeadlineSeconds: 0 }, "activeDeadlineSeconds: is 0; it must be at least 1."],
        [
            "a negative ttlSecondsAfterFinished",
            { ttlSecondsAfterFinished: -1 },
            "ttlSecondsAfterFinished: is -1; it must be at least 0.",
        ],
        [
            "a negative grace period",
            { terminationGracePeriodSeconds: -1 },
            "terminationGracePeriodSeconds: is -1; it must be at least 0.",
        ],
        [
            "the stream of an output that is a secret",
            { output: { secret: true, stream: true } },
            "output.stream: is true, but output.secret keeps the output out of messages. Remove one of them.",
        ],
        ["a negative output.maxBytes", { output: { maxBytes: -1 } }, "output.maxBytes: is -1; it must be at least 0."],
        ["a timeout of 0 s", { timeouts: { imagePull: 0 } }, "timeouts.imagePull: is 0; it must be at least 1."],
    ];
    for (const [what, args, expected] of rules) {
        it(`refuses ${what}`, () => {
            assert.deepEqual(problems(args), [expected]);
        });
    }

    it("applies the rules for variables to secret variables", () => {
        const expected = "environment.JOB_COMPLETION_INDEX: is set by MiniCluster itself. Use another name.";
        assert.deepEqual(problems({}, ["JOB_COMPLETION_INDEX"]), [expected]);
    });

    it("accepts any log of an ephemeral cluster, and an ample one of a persistent cluster", () => {
        assert.deepEqual(problems({ broker: { attributes: { "log-ring-size": "0", "log-level": "-1" } } }), []);
        const attributes = { "log-ring-size": "128", "log-level": "2" };
        assert.deepEqual(problems({ broker: { attributes }, command: undefined }), []);
    });

    it("checks the tasks of a cluster that can grow against its quorum", () => {
        const args = { size: 2, maxSize: 8, tasks: 8, ...limits({ cpu: "2" }) };
        assert.deepEqual(problems(args), [
            "tasks: is 8; 2 ranks need 4 cores each for it, but resources.limits.cpu gives 2. Lower tasks or coresPerTask, or raise size or the cores.",
        ]);
        assert.deepEqual(problems({ ...args, minSize: 1, tasks: 3 }), [
            "tasks: is 3; 1 rank (minSize) needs 3 cores for it, but resources.limits.cpu gives 2. Lower tasks or coresPerTask, or raise minSize or the cores.",
        ]);
    });

    it("accepts whole nodes and tasks for each node without nodes, which are all ranks", () => {
        assert.deepEqual(problems({ exclusive: true, tasks: 8 }), []);
        assert.deepEqual(problems({ tasksPerNode: 99, ...limits({ cpu: "1" }) }), []);
    });

    it("doesn't check tasks if Flux detects the cores", () => {
        assert.deepEqual(problems({ tasks: 1000, coresPerTask: 64 }), []);
    });

    it("reports only the size of an empty cluster", () => {
        assert.deepEqual(
            validate(makeSpec({ size: 0, minSize: 1, tasks: 4, ...limits({ cpu: "1" }) })).map(
                ({ property }) => property,
            ),
            ["size"],
        );
    });

    describe("for the longest host name", () => {
        const name = "a".repeat(60);

        it("accepts 63 characters", () => {
            assert.deepEqual(problems({ name: "a".repeat(58) }), []);
            assert.deepEqual(problems({ name: "a".repeat(58), size: 1000 }), []);
        });

        it("counts the digits of the largest index, not of the first", () => {
            assert.deepEqual(problems({ name: "a".repeat(58), size: 10_001 }), [
                `name: makes the name "${"a".repeat(58)}-10000", which has 64 characters; Kubernetes allows 63. Shorten it by 1.`,
            ]);
        });

        it("counts the ranks up to maxSize, not the present ones", () => {
            const [first, ...more] = problems({ name: "a".repeat(58), size: 1, maxSize: 100_000 });
            assert.match(first, /-99999", which has 64 characters/);
            assert.deepEqual(more, []);
        });

        it("counts the lead Service's name if that is longer", () => {
            assert.deepEqual(problems({ name }), [
                `name: makes the name "${name}-lead", which has 65 characters; Kubernetes allows 63. Shorten it by 2.`,
            ]);
        });
    });

    for (const topology of ["custom", "kary:0", "kary:16", "mincrit", "mincrit:3", "binomial"]) {
        it(`accepts the topology ${topology}`, () => {
            assert.deepEqual(problems({ broker: { topology } }), []);
        });
    }

    it("reports all problems at once, feature by feature", () => {
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

    it("reports each problem in a whole sentence, without undefined or NaN", () => {
        fc.assert(
            fc.property(anyArgs, (args) => {
                for (const { property, reason } of validate(resolveSpec("lammps", args))) {
                    assert.match(reason, /[.?]$/);
                    // Quoted text is the value.
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

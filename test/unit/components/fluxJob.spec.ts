import * as pulumi from "@pulumi/pulumi";
import { unknown } from "@pulumi/pulumi/output";
import assert from "node:assert/strict";

import { FluxJob, problemsOfJob } from "../../../components/fluxJob/fluxJob";
import { AfterEnd, type FluxJobArgs } from "../../../components/fluxJob/args";
import { decideJob, noticesOfJob, type PlainJob } from "../../../components/fluxJob/spec";
import { problemsOnCluster, warningsOnCluster } from "../../../components/fluxJob/onCluster";
import { Interrupt } from "../../../components/features/update";
import { jobAccess } from "../../../components/children/clusterAccess";
import { MiniCluster } from "../../../components/miniCluster";
import { UNKNOWN } from "../../../provider/host/unknown";
import { makeSpec } from "../support/spec";
import { type Answers, mockPulumi, type Registered, settled, valueOf } from "../support/pulumi";

const dynamic = (type: string) => `pulumi-nodejs:dynamic/flux-minicluster:${type}`;

const answers: Answers = {
    "kubernetes:core/v1:Service": ({ metadata, spec }) => ({
        metadata: { namespace: "default", uid: `uid-of-${metadata.name}`, ...metadata },
        spec: { clusterIP: "10.96.0.7", ...spec },
    }),
    [dynamic("CurveKey")]: () => ({ publicKey: "p".repeat(40), secretKey: "s".repeat(40), nonce: "0123456789abcdef" }),
    [dynamic("FluxTicket")]: ({ jobName }) => ({ jobName, nonce: "n0123456789abcdef", key: "hush" }),
    [dynamic("FluxSubmission")]: () => ({ jobId: "f26Zqx", phase: "succeeded", exitCode: 0, output: "hello\n" }),
};

const reference = { name: "lammps", namespace: "hpc", uid: "job-uid" };

describe("FluxJob", () => {
    let registered: Registered[];

    beforeEach(async () => {
        registered = await mockPulumi(answers);
    });

    async function make(
        overrides: Partial<FluxJobArgs> = {},
        opts?: pulumi.ComponentResourceOptions,
    ): Promise<FluxJob> {
        const job = new FluxJob("solve", { cluster: reference, command: ["hostname"], ...overrides }, opts);
        await settled();
        return job;
    }

    const submission = () => registered.find(({ name }) => name === "solve-submission")!;

    it("registers a ticket, and a submission with the nonce of the ticket", async () => {
        await make();
        assert.deepEqual(
            registered.map(({ name, type }) => `${name} ${type}`),
            [
                "solve flux-minicluster:index:FluxJob",
                `solve-ticket ${dynamic("FluxTicket")}`,
                `solve-submission ${dynamic("FluxSubmission")}`,
            ],
        );
        const { __provider: _provider, resourceUrn: _urn, ...inputs } = submission().inputs;
        assert.deepEqual(inputs, {
            cluster: reference,
            nonce: "n0123456789abcdef",
            key: "hush",
            jobName: "solve",
            command: ["hostname"],
            environment: {},
            secretEnvironment: {},
            wait: true,
            rerunFailed: true,
            interrupt: "refuse",
            timeouts: { ready: 300 },
            maxBytes: 16384,
        });
    });

    it("passes on interrupt, and the name that its ticket keeps", async () => {
        registered = await mockPulumi({
            ...answers,
            [dynamic("FluxTicket")]: () => ({ jobName: "first", nonce: "n0123456789abcdef", key: "hush" }),
        });
        await make({ interrupt: Interrupt.Allow });
        assert.deepEqual([submission().inputs.interrupt, submission().inputs.jobName], ["allow", "first"]);
        const ticket = registered.find(({ name }) => name === "solve-ticket");
        assert.deepEqual([ticket?.inputs.jobName, ticket?.additionalSecretOutputs], ["solve", ["key"]]);
    });

    it("refuses another value of interrupt", async () => {
        const problems = await problemsOfJob({ cluster: reference, command: ["a"], interrupt: "never" as Interrupt });
        assert.deepEqual(
            problems.map(({ property, reason }) => `${property} ${reason}`),
            ['interrupt is "never"; it must be one of "refuse", "allow".'],
        );
    });

    it("cancels the job before it submits it again, even if Pulumi asks for no diff", async () => {
        await make();
        assert.equal(submission().deleteBeforeReplace, true);
    });

    it("outputs the id, phase, exit code and output of the job", async () => {
        const { exitCode, jobId, output, phase } = await make();
        const shown = await valueOf(pulumi.output({ exitCode, jobId, output, phase }));
        assert.deepEqual(shown, { exitCode: 0, jobId: "f26Zqx", output: "hello\n", phase: "succeeded" });
    });

    it("waits for the MiniCluster that it is given, and uses its kubeconfig and context", async () => {
        const cluster = new MiniCluster("lammps", {
            image: "flux",
            namespace: "hpc",
            kubeconfig: "the text",
            context: "there",
        });
        await make({ cluster });
        const { dependencies, inputs, secrets } = submission();
        assert.deepEqual([inputs.cluster.name, inputs.cluster.namespace], ["lammps", "hpc"]);
        assert.deepEqual([inputs.kubeconfig, inputs.context], ["the text", "there"]);
        assert.ok(secrets.includes("kubeconfig"));
        assert.ok(
            dependencies.some((urn) => urn.endsWith("lammps-status")),
            dependencies.join(" "),
        );
    });

    it("uses the kubeconfig and the context of a MiniCluster of another copy of the package", async () => {
        const path = require.resolve("../../../components/children/clusterAccess");
        const { [path]: own } = require.cache;
        delete require.cache[path];
        const other = require(path) as typeof import("../../../components/children/clusterAccess");
        require.cache[path] = own;
        class OfOtherCopy extends pulumi.ComponentResource {
            readonly name = pulumi.output("lammps");
            readonly namespace = pulumi.output("hpc");
            readonly uid = pulumi.output("job-uid");
        }
        const there = new OfOtherCopy("other:index:MiniCluster", "there");
        other.rememberCluster(there, {
            access: { kubeconfig: pulumi.secret("the text"), context: "there" },
            spec: undefined as never,
        });
        await make({ cluster: there });
        assert.notEqual(other.jobAccess, jobAccess);
        assert.deepEqual([submission().inputs.kubeconfig, submission().inputs.context], ["the text", "there"]);
    });

    for (const [what, context] of [
        ["with a context", "there"],
        ["without one", undefined],
    ] as const) {
        it(`uses the kubeconfig of a MiniCluster that is an Output, ${what}`, async () => {
            const cluster = new MiniCluster("lammps", { image: "flux", kubeconfig: "the text", context });
            await make({ cluster: pulumi.output(Promise.resolve(cluster)) as unknown as FluxJobArgs["cluster"] });
            const { inputs, secrets } = submission();
            assert.deepEqual([inputs.kubeconfig, inputs.context], ["the text", context]);
            assert.ok(secrets.includes("kubeconfig") && !secrets.includes("context"), secrets.join(" "));
        });
    }

    it("passes no kubeconfig and no context for another cluster that is an Output", async () => {
        await make({ cluster: pulumi.output(reference) });
        assert.ok(!("kubeconfig" in submission().inputs) && !("context" in submission().inputs));
    });

    describe("on a cluster whose UID is unknown, in a preview", () => {
        beforeEach(async () => {
            registered = await mockPulumi(answers, { preview: true });
        });

        const uid = () => pulumi.output(unknown) as unknown as pulumi.Output<string>;

        /** Has the outputs of a MiniCluster that will be replaced. */
        class Replaced extends pulumi.ComponentResource {
            readonly name = pulumi.output("lammps");
            readonly namespace = pulumi.output("hpc");
            readonly uid = uid();
        }

        const clusters: [string, () => FluxJobArgs["cluster"]][] = [
            ["a MiniCluster", () => new Replaced("test:Replaced", "lammps")],
            ["its outputs", () => ({ name: "lammps", namespace: pulumi.output("hpc"), uid: uid() })],
        ];
        for (const [what, cluster] of clusters) {
            it(`knows all inputs except the UID if it is given ${what}`, async () => {
                await make({ cluster: cluster() });
                const { inputs } = submission();
                assert.deepEqual(
                    [inputs.maxBytes, inputs.cluster.name, inputs.cluster.namespace, inputs.cluster.uid],
                    [16384, "lammps", "hpc", UNKNOWN],
                );
            });
        }
    });

    it("finds the problems of arguments that are known in a preview that doesn't know the others", async () => {
        await mockPulumi(answers, { preview: true });
        const later = pulumi.output(unknown) as unknown as pulumi.Output<any>;
        const problems = await problemsOfJob({
            cluster: later,
            command: later,
            nodes: 3,
            tasks: 2,
            priority: 9,
        } as any);
        assert.deepEqual(
            problems.map(({ property }) => property),
            ["priority"],
        );
        const known = await problemsOfJob({ cluster: later, command: later, nodes: 3, tasks: 2 });
        assert.deepEqual(
            known.map(({ property }) => property),
            ["nodes"],
        );
    });

    it("accepts all outputs of another stack's cluster", async () => {
        await make({ cluster: pulumi.output({ ...reference, phase: "ready", hosts: ["a"] }) });
        assert.deepEqual(submission().inputs.cluster, reference);
    });

    it("separates secret variables from the others, and keeps them secret", async () => {
        await make({ environment: { PLAIN: "1", TOKEN: pulumi.secret("hush") }, output: { secret: true } });
        const { additionalSecretOutputs, inputs, secrets } = submission();
        assert.deepEqual([inputs.environment, inputs.secretEnvironment], [{ PLAIN: "1" }, { TOKEN: "hush" }]);
        assert.deepEqual(secrets, ["key", "secretEnvironment"]);
        assert.deepEqual(additionalSecretOutputs, ["output"]);
    });

    it("passes on its run options, with the values of Outputs", async () => {
        await make({
            nodes: pulumi.output(2),
            timeLimit: 60,
            signal: { name: pulumi.output("TERM"), timeLeft: 5 },
            shellOptions: { pmi: pulumi.output("pmix") },
            exclusive: true,
        });
        const { exclusive, nodes, shellOptions, signal, timeLimit } = submission().inputs;
        assert.deepEqual(
            { exclusive, nodes, shellOptions, signal, timeLimit },
            {
                exclusive: true,
                nodes: 2,
                shellOptions: { pmi: "pmix" },
                signal: { name: "TERM", timeLeft: 5 },
                timeLimit: 60,
            },
        );
    });

    it("runs after other FluxJobs and after jobs of other stacks, and depends on them", async () => {
        const mesh = new FluxJob("mesh", { cluster: reference, command: ["mesh"] });
        await make({ after: [mesh, pulumi.output({ jobId: "f9", end: AfterEnd.Any })] });
        const { dependencies, inputs } = submission();
        assert.deepEqual(inputs.after, [
            { jobId: "f26Zqx", jobIds: ["f26Zqx"], phase: "succeeded" },
            { jobId: "f9", end: "any" },
        ]);
        assert.ok(
            dependencies.some((urn) => urn.endsWith("mesh-submission")),
            dependencies.join(" "),
        );
    });

    it("refuses a queue that its MiniCluster doesn't have, and no queue if that has no default", async () => {
        const broker = { extraConfig: "[queues.debug]" };
        const cluster = new MiniCluster("lammps", { image: "flux", namespace: "hpc", broker });
        const reasons = (fluxQueue?: string) =>
            problemsOnCluster(jobOf({ fluxQueue }), makeSpec({ broker, command: [] }));
        assert.deepEqual(reasons("debug"), []);
        const [{ property, reason }] = reasons("gpu");
        assert.equal(
            `${property} ${reason}`,
            'fluxQueue is "gpu", but broker.extraConfig has the queue debug. Change one of them.',
        );
        assert.match(reasons()[0].reason, /^is missing, /);
        await make({ cluster, fluxQueue: "debug" });
        assert.equal(submission().inputs.fluxQueue, "debug");
    });

    const jobOf = (args: object) => decideJob({ cluster: reference, command: ["a"], ...args }, []).spec!;

    it("refuses a MiniCluster whose command has ended before, and warns of one that ends with its command", async () => {
        const refused = (args: object) => problemsOnCluster(jobOf({}), makeSpec(args)).map(({ reason }) => reason);
        assert.deepEqual(refused({}), [
            'is MiniCluster "lammps", whose command has ended (waitFor "completed") before this job can be submitted. ' +
                "Remove the cluster's command: the cluster then takes jobs until it is destroyed.",
        ]);
        const warnings = (args: object) => warningsOnCluster(jobOf({}), makeSpec(args));
        assert.deepEqual([...refused({ waitFor: "ready" }), ...refused({ command: [] })], []);
        assert.deepEqual(warnings({ waitFor: "ready" }), [
            'cluster is MiniCluster "lammps", which ends with its command and then takes no jobs. ' +
                "Remove the cluster's command if jobs are to outlive it.",
        ]);
        assert.deepEqual(warnings({ command: [] }), []);
    });

    it("warns if the GPUs of its MiniCluster will be hidden from it", () => {
        const onCluster = (args: object, gpus = 4) => warningsOnCluster(jobOf(args), makeSpec({ gpus, command: [] }));
        assert.deepEqual(onCluster({ tasks: 2 }), [
            'gpusPerTask is missing, so Flux hides the GPUs of MiniCluster "lammps" (4 on each rank) from it. ' +
                "Give gpusPerTask, or 0 if the job needs no GPU.",
        ]);
        const said = [{ gpusPerTask: 0 }, { nodes: 1 }, { shellOptions: { "gpu-affinity": "off" } }];
        assert.deepEqual([...said.flatMap((args) => onCluster(args)), ...onCluster({}, 0)], []);
    });

    it("says of a command that starts tasks itself what to give in its place", async () => {
        assert.deepEqual(noticesOfJob(jobOf({ command: ["mpirun", "./a"] })), [
            "command calls mpirun, which starts tasks itself; here each task of the command calls it. " +
                "Give the program itself and tasks, so that Flux starts it: docs/mpi.md.",
        ]);
        assert.deepEqual(noticesOfJob(jobOf({ command: ["./a"] })), []);
        const warnings: string[] = [];
        const { warn } = console;
        console.warn = (text: string) => void warnings.push(text);
        try {
            await make({ command: [pulumi.output("srun") as never, "./a"] });
        } finally {
            console.warn = warn;
        }
        assert.match(warnings.join(), /^warning: \[runtime\] FluxJob "solve": command calls srun, which /);
    });

    it("refuses to run after a job of another MiniCluster", async () => {
        const other = new FluxJob("mesh", { cluster: { name: "other", namespace: "hpc" }, command: ["mesh"] });
        assert.deepEqual(
            (await problemsOfJob({ cluster: reference, command: ["a"], after: [other] })).map(
                ({ property, reason }) => `${property} ${reason}`,
            ),
            [
                "after[0] runs on MiniCluster hpc/other, but this job runs on hpc/lammps. " +
                    "Flux knows only the jobs of its own cluster. Use dependsOn in place of after.",
            ],
        );
    });

    it("passes on the elements of an array, and has their results", async () => {
        const elements = { count: 2, submitted: 2, pending: 0, running: 0, succeeded: 2, failed: 0, failures: [] };
        registered = await mockPulumi({
            ...answers,
            [dynamic("FluxSubmission")]: () => ({ jobId: "f1", jobIds: ["f1", "f2"], elements, output: "" }),
        });
        const job = await make({ array: { values: ["a", pulumi.output("b")] }, output: { secret: true } });
        assert.deepEqual(submission().inputs.array, { values: ["a", "b"] });
        assert.deepEqual(submission().additionalSecretOutputs, ["elements", "output"]);
        assert.deepEqual(await valueOf(job.jobIds), ["f1", "f2"]);
        assert.deepEqual(await valueOf(job.elements), elements);
    });

    it("refuses a secret among the values of an array", async () => {
        const array = { values: [pulumi.secret("hush")] };
        const [problem] = await problemsOfJob({ cluster: reference, command: ["a"], array });
        assert.match(`${problem.property}: ${problem.reason}`, /^array: has a secret, .* as a variable in environment/);
    });

    it("throws at once for arguments that can't work", () => {
        const wrong = { cluster: reference, command: ["a"], nodes: 3, tasks: 2 };
        assert.throws(() => new FluxJob("solve", wrong), {
            message:
                'FluxJob "solve" has 1 problem in its arguments:\n' +
                "  nodes: is 3, above tasks 2; each node needs at least one task. Lower it or raise tasks.",
        });
    });
});

describe("decideJob", () => {
    const given = { cluster: reference, command: ["hostname"] };
    const cases: [string, object, string[]][] = [
        [
            "missing arguments",
            { cluster: undefined, command: undefined },
            [
                "cluster: is missing; give a MiniCluster, or its outputs from a StackReference.",
                "command: is missing; give a program and its arguments.",
            ],
        ],
        [
            "a cluster without a name",
            { cluster: {} },
            [
                "cluster: has no name or no namespace; give a MiniCluster, or its outputs name, namespace and uid from a StackReference.",
            ],
        ],
        ["a command whose program is empty", { command: [""] }, ["command[0]: is empty; it must name a program."]],
        [
            "numbers below their minimum",
            { coresPerTask: 0, timeLimit: 0, timeouts: { completed: 0 } },
            [
                "coresPerTask: is 0; it must be at least 1.",
                "timeLimit: is 0; it must be at least 1.",
                "timeouts.completed: is 0; it must be at least 1.",
            ],
        ],
        ["a duration as text", { timeLimit: "10m" }, ['timeLimit: is "10m"; it must be a whole number of seconds.']],
        [
            "jobs of after without an id, and ends that Flux doesn't know",
            { after: [{ end: "ok" }, { jobId: "f1", end: "failed" }] },
            [
                "after[0]: has no jobId; give a FluxJob, or its output jobId from a StackReference.",
                'after[1].end: is "failed"; it must be one of "ok", "any".',
            ],
        ],
        ["one job for after", { after: { jobId: "f1" } }, ['after: is {"jobId":"f1"}; it must be a list.']],
        [
            "whole nodes of an unknown number",
            { exclusive: true },
            [
                "exclusive: is true, but nodes is missing; Flux gives away whole nodes only if their number is known. Give nodes.",
            ],
        ],
        ["an array without elements", { array: {} }, ["array: has neither count nor values. Give one of them."]],
        ["a number for array", { array: 10 }, ["array: is 10; it must be an object."]],
        [
            "an array with both",
            { array: { count: 2, values: ["a"] } },
            ["array.count: is 2, but values is given too, whose length is the number of elements. Remove one of them."],
        ],
        ["an array of none", { array: { count: 0 } }, ["array.count: is 0; it must be at least 1."]],
        [
            "an empty list of values",
            { array: { values: [] } },
            ["array.values: is empty; give a value for each element."],
        ],
        [
            "too many elements",
            { array: { count: 10_001 } },
            ["array.count: is 10001; an array has up to 10000 elements. Use several arrays."],
        ],
        [
            "too many values",
            { array: { values: Array(10_001).fill("a") } },
            ["array.values: has 10001 values; an array has up to 10000 elements. Use several arrays."],
        ],
        [
            "values that Linux can't pass to a program",
            { array: { values: ["a", "b\0"] } },
            ["array.values[1]: has a NUL character, which Linux can't pass to a program. Remove it."],
        ],
        [
            "values that are too large together",
            { array: { values: Array(11).fill("a".repeat(100_000)) } },
            [
                "array.values: have 1100000 bytes; the limit is 1048576. Put them into files of a volume, and give their names.",
            ],
        ],
        [
            "a tag for the values of an array that has none",
            { array: { count: 2 }, command: ["a", "{{value}}"], environment: { A: "{{value}}" } },
            [
                "command[1]: has {{value}}, but array has no values. Use {{index}}, or give array.values.",
                "environment.A: has {{value}}, but array has no values. Use {{index}}, or give array.values.",
            ],
        ],
        [
            "one output file for all elements",
            { array: { count: 2 }, outputFile: "/data/out", errorFile: "/data/{{index}}.err" },
            [
                'outputFile: is "/data/out", which each element of array would replace. Put {{index}} into the path, or set shellOptions["output.mode"] to "append".',
            ],
        ],
        ["a misspelt argument", { node: 2 }, ["node: does not exist. Did you mean nodes?"]],
        [
            "a variable that MiniCluster sets",
            { environment: { FLUX_URI: "x" } },
            ["environment.FLUX_URI: is set by MiniCluster itself. Use another name."],
        ],
    ];
    for (const [what, args, expected] of cases) {
        it(`refuses ${what}`, () => {
            const { problems, spec } = decideJob({ ...given, ...args }, []);
            assert.deepEqual(
                problems.map(({ property, reason }) => `${property}: ${reason}`),
                expected,
            );
            assert.equal(spec, undefined);
        });
    }

    it("accepts arrays with equal values, and with one output file to which all elements append", () => {
        const shellOptions = { "output.mode": "append" };
        for (const args of [
            { array: { values: ["a", "a", ""] }, command: ["echo", "{{value}}"] },
            { array: { count: 10_000 }, outputFile: "/data/out", shellOptions },
            { array: { count: 1 }, outputFile: "/data/{{id.f58plain}}" },
            { command: ["echo", "{{value}}"] },
        ]) {
            assert.deepEqual(decideJob({ ...given, ...args }, []).problems, []);
        }
    });

    it("treats null as an argument that isn't given", () => {
        assert.deepEqual(decideJob({ ...given, nodes: null, tasks: null } as unknown as PlainJob, []).problems, []);
    });
});

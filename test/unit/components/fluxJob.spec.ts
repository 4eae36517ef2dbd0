import * as pulumi from "@pulumi/pulumi";
import assert from "node:assert/strict";

import { FluxJob, problemsOfJob } from "../../../components/fluxJob/fluxJob";
import { AfterEnd, type FluxJobArgs } from "../../../components/fluxJob/args";
import { problemsOnCluster, warningsOnCluster } from "../../../components/fluxJob/onCluster";
import { decideJob, type PlainJob } from "../../../components/fluxJob/spec";
import { MiniCluster } from "../../../components/miniCluster";
import { makeSpec } from "../support/spec";
import { type Answers, mockPulumi, type Registered, settled, valueOf } from "../support/pulumi";

const dynamic = (type: string) => `pulumi-nodejs:dynamic/flux-minicluster:${type}`;

const answers: Answers = {
    "kubernetes:core/v1:Service": ({ metadata, spec }) => ({
        metadata: { namespace: "default", uid: `uid-of-${metadata.name}`, ...metadata },
        spec: { clusterIP: "10.96.0.7", ...spec },
    }),
    [dynamic("CurveKey")]: () => ({ publicKey: "p".repeat(40), secretKey: "s".repeat(40), nonce: "0123456789abcdef" }),
    [dynamic("FluxTicket")]: () => ({ nonce: "n0123456789abcdef" }),
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
            jobName: "solve",
            command: ["hostname"],
            environment: {},
            secretEnvironment: {},
            wait: true,
            rerunFailed: true,
            timeouts: { ready: 300 },
            maxBytes: 16384,
        });
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

    it("accepts all outputs of another stack's cluster", async () => {
        await make({ cluster: pulumi.output({ ...reference, phase: "ready", hosts: ["a"] }) });
        assert.deepEqual(submission().inputs.cluster, reference);
    });

    it("separates secret variables from the others, and keeps them secret", async () => {
        await make({ environment: { PLAIN: "1", TOKEN: pulumi.secret("hush") }, output: { secret: true } });
        const { additionalSecretOutputs, inputs, secrets } = submission();
        assert.deepEqual([inputs.environment, inputs.secretEnvironment], [{ PLAIN: "1" }, { TOKEN: "hush" }]);
        assert.deepEqual(secrets, ["secretEnvironment"]);
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
            { jobId: "f26Zqx", phase: "succeeded" },
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

    it("warns if the GPUs of its MiniCluster will be hidden from it", () => {
        const onCluster = (args: object, gpus = 4) => warningsOnCluster(jobOf(args), makeSpec({ gpus, command: [] }));
        assert.deepEqual(onCluster({ tasks: 2 }), [
            'gpusPerTask is missing, so Flux hides the GPUs of MiniCluster "lammps" (4 on each rank) from it. ' +
                "Give gpusPerTask, or 0 if the job needs no GPU.",
        ]);
        const said = [{ gpusPerTask: 0 }, { nodes: 1 }, { shellOptions: { "gpu-affinity": "off" } }];
        assert.deepEqual([...said.flatMap((args) => onCluster(args)), ...onCluster({}, 0)], []);
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
        ["a duration as text", { timeLimit: "10m" }, ['timeLimit: is "10m"; it must be a whole number.']],
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

    it("treats null as an argument that isn't given", () => {
        assert.deepEqual(decideJob({ ...given, nodes: null, tasks: null } as unknown as PlainJob, []).problems, []);
    });
});

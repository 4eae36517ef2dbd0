import * as pulumi from "@pulumi/pulumi";
import assert from "node:assert/strict";

import { FluxJob } from "../../../components/fluxJob/fluxJob";
import type { FluxJobArgs } from "../../../components/fluxJob/args";
import { decideJob, type PlainJob } from "../../../components/fluxJob/spec";
import { MiniCluster } from "../../../components/miniCluster";
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

    it("is a ticket and a submission that knows it", async () => {
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

    it("is cancelled before it is submitted again, also where Pulumi asks no diff", async () => {
        await make();
        assert.equal(submission().deleteBeforeReplace, true);
    });

    it("shows what became of the job", async () => {
        const { exitCode, jobId, output, phase } = await make();
        const shown = await valueOf(pulumi.output({ exitCode, jobId, output, phase }));
        assert.deepEqual(shown, { exitCode: 0, jobId: "f26Zqx", output: "hello\n", phase: "succeeded" });
    });

    it("takes a MiniCluster, waits for it and goes by its kubeconfig", async () => {
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

    it("takes the outputs of another stack's cluster, with all that it has besides", async () => {
        await make({ cluster: pulumi.output({ ...reference, phase: "ready", hosts: ["a"] }) });
        assert.deepEqual(submission().inputs.cluster, reference);
    });

    it("keeps secret variables apart, and secret", async () => {
        await make({ environment: { PLAIN: "1", TOKEN: pulumi.secret("hush") }, output: { secret: true } });
        const { additionalSecretOutputs, inputs, secrets } = submission();
        assert.deepEqual([inputs.environment, inputs.secretEnvironment], [{ PLAIN: "1" }, { TOKEN: "hush" }]);
        assert.deepEqual(secrets, ["secretEnvironment"]);
        assert.deepEqual(additionalSecretOutputs, ["output"]);
    });

    it("refuses at once what can't work", () => {
        const wrong = { cluster: reference, command: ["a"], nodes: 3, tasks: 2 };
        assert.throws(() => new FluxJob("solve", wrong), {
            message:
                'FluxJob "solve" has 1 problem in its arguments:\n' +
                "  nodes: is 3, above tasks 2; each node gets a task at least. Lower it or raise tasks.",
        });
    });
});

describe("decideJob", () => {
    const given = { cluster: reference, command: ["hostname"] };
    const cases: [string, object, string[]][] = [
        [
            "nothing at all",
            { cluster: undefined, command: undefined },
            [
                "cluster: is missing; give a MiniCluster, or its outputs from a StackReference.",
                "command: is missing; give a program and its arguments.",
            ],
        ],
        [
            "a cluster without a name",
            { cluster: {} },
            ["cluster: has no name and namespace; give a MiniCluster, or all its outputs from a StackReference."],
        ],
        ["an empty program", { command: [""] }, ["command[0]: is empty; it must name a program."]],
        [
            "numbers that are too small",
            { coresPerTask: 0, timeLimit: 0, timeouts: { completed: 0 } },
            [
                "coresPerTask: is 0; it must be at least 1.",
                "timeLimit: is 0; it must be at least 1.",
                "timeouts.completed: is 0; it must be at least 1.",
            ],
        ],
        ["a duration as text", { timeLimit: "10m" }, ['timeLimit: is "10m"; it must be a whole number.']],
        ["a misspelt argument", { node: 2 }, ["node: does not exist. Did you mean nodes?"]],
        [
            "a variable of ours",
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

    it("takes null for an argument that isn't given", () => {
        assert.deepEqual(decideJob({ ...given, nodes: null, tasks: null } as unknown as PlainJob, []).problems, []);
    });
});

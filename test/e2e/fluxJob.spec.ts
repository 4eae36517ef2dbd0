import assert from "node:assert/strict";

import * as pulumi from "@pulumi/pulumi";
import { FluxJob, type FluxJobArgs, MiniCluster } from "flux-minicluster";

import { requestsOf } from "./support/auditLog";
import { changes } from "./support/changing";
import { useNamespace } from "./support/namespace";
import type { TestStack } from "./support/stack";
import { until } from "./support/until";

type Args = Partial<Omit<FluxJobArgs, "cluster">>;

describe("FluxJob", () => {
    const namespace = useNamespace();
    let cluster: TestStack;
    let outputs: Record<string, any>;

    before(async () => {
        cluster = namespace.stack("cluster", async () => ({
            cluster: new MiniCluster("flux", { image: namespace.image, size: 2, restful: { enabled: false } }),
        }));
        outputs = (await cluster.up()).outputs;
    });

    /** A stack with one FluxJob, on the cluster of the first stack. */
    function open(name: string, args: Args & { command: FluxJobArgs["command"] }) {
        const job = { args };
        const stack = namespace.stack(name, async () => ({
            job: new FluxJob(name, { cluster: outputs.cluster, ...job.args }),
        }));
        return { job, stack };
    }

    /** Ids of the jobs in Flux's queue that have a name. */
    async function jobs(name: string, state = "-a"): Promise<string[]> {
        const words = [
            "flux",
            "jobs",
            ...(state === "-a" ? ["-a"] : [`--filter=${state}`]),
            "-no",
            "{id.f58plain}",
            `--name=${name}`,
        ];
        return (await namespace.exec("flux", words))
            .trim()
            .split("\n")
            .filter((line) => line !== "");
    }

    describe("in a workflow", () => {
        let stack: TestStack;
        let count: Args = {};
        let ids: Record<string, string>;

        before(() => {
            stack = namespace.stack("workflow", async () => {
                const environment = { GREETING: "it's {{id}} $HOME", TOKEN: pulumi.secret("hush hush") };
                const command = [
                    "sh",
                    "-c",
                    'echo "$GREETING" "$1"; echo "${#TOKEN}"; echo "$RANK of $WORLD_SIZE at $MASTER_ADDR"; hostname',
                    "sh",
                    "a  b\n{{name}}",
                ];
                const mesh = new FluxJob("mesh", {
                    cluster: outputs.cluster,
                    command,
                    environment,
                    nodes: 2,
                    rendezvous: {},
                });
                const words = mesh.output.apply((output) => String(output.split("\n").length - 1));
                const solve = new FluxJob("solve", { cluster: outputs.cluster, command: ["echo", words], ...count });
                const post = new FluxJob(
                    "post",
                    { cluster: outputs.cluster, command: ["pwd"], workingDir: "/tmp" },
                    { dependsOn: solve },
                );
                return { mesh, solve, post };
            });
        });

        it("runs after the jobs that it depends on, with unchanged words and variables", async () => {
            const { outputs: ended } = await stack.up();
            const { mesh, post, solve } = ended;
            const lines = mesh.output
                .trim()
                .split("\n")
                .filter((line: string) => !/^flux-\d$/.test(line));
            assert.deepEqual(lines.sort(), [
                "0 of 2 at flux-0",
                "1 of 2 at flux-0",
                "9",
                "9",
                "it's {{id}} $HOME a  b",
                "it's {{id}} $HOME a  b",
                "{{name}}",
                "{{name}}",
            ]);
            assert.deepEqual([solve.output, post.output], ["10\n", "/tmp\n"]);
            assert.deepEqual(
                [mesh, solve, post].map(({ exitCode, phase }) => [phase, exitCode]),
                Array(3).fill(["succeeded", 0]),
            );
            ids = { mesh: mesh.jobId, solve: solve.jobId, post: post.jobId };
            for (const name of ["mesh", "solve", "post"]) {
                assert.deepEqual(await jobs(name), [ids[name]]);
            }
            const times = await namespace.exec("flux", ["flux", "jobs", "-a", "-no", "{t_run} {t_inactive} {name}"]);
            const [first, second] = ["mesh", "solve"].map((name) =>
                times
                    .split("\n")
                    .find((line) => line.endsWith(name))!
                    .split(" ")
                    .map(Number),
            );
            assert(second[0] >= first[1], times);
        });

        it("keeps secrets out of its jobspec", async () => {
            assert.doesNotMatch(await namespace.exec("flux", ["flux", "job", "info", ids.mesh, "jobspec"]), /hush/);
        });

        for (const verb of ["refresh", "preview"] as const) {
            it(`shows no changes in another ${verb}`, () => stack[verb](true));
        }

        it("is submitted again when its argument changes, and no other job is", async () => {
            count = { timeLimit: 60 };
            const { events } = await stack.preview();
            assert.deepEqual(Object.keys(changes(events)), ["solve-submission"]);
            assert.match(changes(events)["solve-submission"], /replace/);
            const { outputs: ended } = await stack.up();
            assert.notEqual(ended.solve.jobId, ids.solve);
            assert.deepEqual([ended.mesh.jobId, ended.post.jobId], [ids.mesh, ids.post]);
            assert.deepEqual(await jobs("solve"), [ended.solve.jobId]);
        });
    });

    it("starts one program in the lead for all jobs of an update", async () => {
        const stack = namespace.stack("many", async () => {
            for (let number = 0; number < 8; number++) {
                new FluxJob(`many-${number}`, { cluster: outputs.cluster, command: ["sleep", "1"] });
            }
        });
        const started = () =>
            requestsOf(namespace.username).filter(({ uri }) => /\/pods\/[^/]+\/exec\?/.test(uri)).length;
        const before = started();
        await stack.up();
        assert.equal(started() - before, 1);
        await stack.destroy();
        assert.deepEqual(await jobs("many-7"), []);
    });

    describe("in a separate stack", () => {
        it("fails the update with its exit code and output, and is submitted again by the next", async () => {
            const { job, stack } = open("fails", { command: ["sh", "-c", "echo before; echo why >&2; exit 7"] });
            const { text } = await stack.fails("up");
            // Flux stores the two streams separately, so the order of their lines is not known.
            const end =
                /Flux job f\w+ of MiniCluster e2e-\w+\/flux failed: exit code 7\.\s+The end of its output:\s+(\w+)\s+(\w+)/.exec(
                    text,
                );
            assert.deepEqual(end?.slice(1).sort(), ["before", "why"]);
            const [id] = await jobs("fails");
            assert.equal(stack.resources().find(({ urn }) => urn.endsWith("fails-submission"))?.outputs?.exitCode, 7);
            const preview = await stack.preview();
            assert.match(changes(preview.events)["fails-submission"], /replace/);
            const warnings = preview.events.map(({ diagnosticEvent }) => diagnosticEvent?.message ?? "").join("\n");
            assert.match(warnings, new RegExp(`${id} is submitted again: it failed \\(exit code 7\\)`));
            job.args = { ...job.args, command: ["true"] };
            assert.equal((await stack.up()).outputs.job.phase, "succeeded");
            assert.equal((await jobs("fails")).length, 1);
        });

        for (const only of [false, true]) {
            it(`is replaced by one new job with ${only ? "--target-replace" : "--replace"}`, async () => {
                const name = only ? "targeted" : "replaced";
                const { stack } = open(name, { command: ["true"] });
                await stack.up();
                const [before] = await jobs(name);
                const urn =
                    stack.resources().find((resource) => resource.urn.endsWith(`${name}-submission`))?.urn ?? "";
                await stack.replace(urn, only);
                const after = await jobs(name);
                assert.equal(after.length, 1);
                assert.notEqual(after[0], before);
                const submission = stack.resources().find((resource) => resource.urn === urn);
                assert.equal(submission?.outputs?.jobId, after[0]);
                await stack.preview(true);
            });
        }

        it("reports its end in a refresh and is cancelled by a destroy if wait is false", async () => {
            const { job, stack } = open("alone", { command: ["true"], wait: false });
            await stack.up();
            await until("the job finishes", async () => (await jobs("alone", "inactive")).length === 1 || undefined);
            await stack.refresh();
            const submission = stack.resources().find(({ urn }) => urn.endsWith("alone-submission"));
            assert.deepEqual([submission?.outputs?.phase, submission?.outputs?.exitCode], ["succeeded", 0]);
            job.args = { command: ["sleep", "600"], wait: false };
            await stack.up();
            await until("the job runs", async () => (await jobs("alone", "run")).length === 1 || undefined);
            await stack.destroy();
            assert.deepEqual(await jobs("alone"), []);
        });
    });

    describe("when its cluster is destroyed", () => {
        // The account of these tests has the rights of docs/rbac.yaml, which don't include the namespace kube-system.
        it("stays in the state if no right tells the Kubernetes cluster, and is removed by a destroy once it has ended", async () => {
            const { stack } = open("orphan", { command: ["true"] });
            await stack.up();
            await cluster.destroy();
            await stack.refresh();
            const phase = () =>
                stack.resources().find(({ urn }) => urn.endsWith("orphan-submission"))?.outputs?.["phase"];
            assert.equal(phase(), "succeeded");
            await stack.destroy();
            assert.equal(phase(), undefined);
        });
    });
});

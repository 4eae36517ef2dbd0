import assert from "node:assert/strict";

import { AfterEnd, FluxJob, type FluxJobArgs, MiniCluster } from "flux-minicluster";

import { useNamespace } from "./support/namespace";
import type { TestStack } from "./support/stack";

type Args = Omit<FluxJobArgs, "cluster">;

/** Ends with 0 when it is warned. */
const WARNED = 'sleep 99 & trap "kill $! 2>/dev/null; echo warned; exit 0" TERM; wait';

const JOBS: Readonly<Record<string, Args>> = {
    whole: {
        command: ["sh", "-c", "echo $FLUX_TASK_LOCAL_ID; hostname"],
        nodes: 2,
        tasksPerNode: 2,
        exclusive: true,
    },
    files: {
        command: ["sh", "-c", "cat; echo err >&2"],
        nodes: 2,
        tasks: 2,
        inputFile: "/etc/hostname",
        outputFile: "/tmp/{{name}}-{{taskid}}.{{node.name}}",
        errorFile: "/tmp/{{name}}.err",
    },
    // The limit counts from the allocation, and on a busy node Flux needs seconds to start the tasks.
    warned: { command: ["sh", "-c", WARNED], timeLimit: 99, signal: { name: "TERM", timeLeft: 75 } },
    chosen: {
        command: ["hostname"],
        requires: "host:flux-1 and not rank:0",
        urgency: 20,
        shellOptions: { "exit-timeout": "none", "cpu-affinity": "off" },
    },
};

describe("Run options", () => {
    const namespace = useNamespace();
    let cluster: Record<string, any>;
    let jobs: Record<string, any>;

    before(async () => {
        const stack = namespace.stack("cluster", async () => ({
            cluster: new MiniCluster("flux", { image: namespace.image, size: 2, restful: { enabled: false } }),
        }));
        cluster = (await stack.up()).outputs.cluster;
        const options = namespace.stack("options", async () => {
            const make = (name: string, args: Args) => new FluxJob(name, { cluster: cluster as any, ...args });
            const first = make("first", { command: ["sh", "-c", "sleep 1; exit 3"], wait: false });
            const second = make("second", { command: ["sleep", "1"], wait: false });
            return {
                ...Object.fromEntries(Object.entries(JOBS).map(([name, args]) => [name, make(name, args)])),
                second,
                any: make("any", { command: ["echo", "any"], after: [{ jobId: first.jobId, end: AfterEnd.Any }] }),
                third: make("third", { command: ["echo", "third"], after: [second] }),
            };
        });
        jobs = (await options.up()).outputs;
    });

    const flux = (...words: string[]) => namespace.exec("flux", ["flux", ...words]);

    it("give a job whole nodes with some tasks on each", async () => {
        const lines = jobs.whole.output.trim().split("\n").sort();
        assert.deepEqual(lines, ["0", "0", "1", "1", "flux-0", "flux-0", "flux-1", "flux-1"]);
        const spec = JSON.parse(await flux("job", "info", jobs.whole.jobId, "jobspec"));
        assert.equal(spec.resources[0].exclusive, true);
    });

    it("connect the tasks with files, whose names have Flux' tags", async () => {
        const read = (rank: number, ...files: string[]) => namespace.exec("flux", ["cat", ...files], rank);
        assert.equal(await read(0, "/tmp/files-0.flux-0"), "flux-0\n");
        assert.equal(await read(1, "/tmp/files-1.flux-1"), "flux-1\n");
        assert.equal(await read(0, "/tmp/files.err"), "err\nerr\n");
        assert.doesNotMatch(jobs.files.output, /^(flux-|err)/m);
    });

    it("warn a job before its limit", () => {
        assert.deepEqual([jobs.warned.phase, jobs.warned.exitCode], ["succeeded", 0]);
        assert.match(jobs.warned.output, /^warned$/m);
    });

    it("choose the nodes, the urgency and the options of the job shell", async () => {
        assert.equal(jobs.chosen.output, "flux-1\n");
        assert.equal(await flux("jobs", "-a", "--name=chosen", "-no", "{urgency}"), "20\n");
        const spec = JSON.parse(await flux("job", "info", jobs.chosen.jobId, "jobspec"));
        const { "cpu-affinity": binding, "exit-timeout": timeout } = spec.attributes.system.shell.options;
        assert.deepEqual([binding, timeout], ["off", "none"]);
    });

    it("start a job after others have ended as required, also if Pulumi doesn't wait for them", async () => {
        assert.deepEqual([jobs.any.output, jobs.third.output], ["any\n", "third\n"]);
        assert.equal(jobs.second.phase, "pending");
        const times = await flux("jobs", "-a", "-no", "{t_run} {t_inactive} {name}");
        const [second, third] = ["second", "third"].map((name) =>
            times
                .split("\n")
                .find((line) => line.endsWith(name))!
                .split(" ")
                .map(Number),
        );
        assert(third[0] >= second[1], times);
        assert.match(await flux("job", "eventlog", jobs.third.jobId), /dependency-remove.*after-success=/);
    });

    describe("when a job of after fails", () => {
        let stack: TestStack;
        let command = ["false"];

        before(() => {
            stack = namespace.stack("broken", async () => {
                const bad = new FluxJob("bad", { cluster: cluster as any, command, wait: false });
                return {
                    next: new FluxJob("next", { cluster: cluster as any, command: ["echo", "next"], after: [bad] }),
                };
            });
        });

        it("fail the job after it, and say how to go on", async () => {
            const { text } = await stack.fails("up");
            assert.match(
                text,
                /(Flux did not accept the job: .*dependency: afterok: job f\w+ failed or was canceled; pulumi up --refresh records|failed: a job of after did not end as required.*; pulumi up --refresh submits)/,
            );
        });

        it("submit both again", async () => {
            command = ["true"];
            assert.equal((await stack.up()).outputs.next.output, "next\n");
        });
    });
});

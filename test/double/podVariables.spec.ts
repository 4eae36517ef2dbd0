import assert from "node:assert/strict";

import type { PlainArgs } from "../../components/args";
import { type PodCluster, provideImage, withPods } from "./support/pods/cluster";
import { addressOf } from "./support/pods/network";
import { isStandin } from "./support/root";

/*
 * Variables that hooks export or change on a rank, and those that are fields of its pod, reach the tasks of that rank,
 * whoever submits the job.
 */

const SIZE = 2;

/** NIC differs on all ranks, MODE on the followers only. KIND and SCRATCH don't exist before the hooks. */
const cluster: Partial<PlainArgs> = {
    size: SIZE,
    cores: 4,
    environment: { MODE: "slow", NIC: "none" },
    hooks: {
        init: 'export NIC=nic-$JOB_COMPLETION_INDEX name="a \\"name\\"\n$JOB_COMPLETION_INDEX\\\\"',
        pre: "export SCRATCH=/scratch/$HOSTNAME",
        lead: "export KIND=lead",
        worker: "export MODE=fast ONLY=followers",
    },
    podTemplate: {
        spec: {
            containers: [
                {
                    name: "flux",
                    env: [
                        { name: "POD_IP", valueFrom: { fieldRef: { fieldPath: "status.podIP" } } },
                        { name: "ADDRESS", value: "$(POD_IP):80" },
                    ],
                },
            ],
        },
    },
};

const SHOW = `printf '%s|' "$HOSTNAME" "$NIC" "$SCRATCH" "$MODE" "$KIND" "$ONLY" "$name" "$POD_IP" "$ADDRESS" | tr '\\n' /; echo`;
const own = (rank: number, mode: string, kind = "", nic = `nic-${rank}`) =>
    `mc-${rank}|${nic}|/scratch/mc-${rank}|${mode}|${kind}|${rank === 0 ? "" : "followers"}|a "name"/${rank}\\|${addressOf(rank)}|${addressOf(rank)}:80|`;

/** KIND is the lead's, for all tasks of a program that the lead's broker has started. */
const expected = (kind: string) => [own(0, "slow", kind), own(1, "fast", kind)];

const lines = (text: string) =>
    text
        .split("\n")
        .filter((line) => line.startsWith("mc-"))
        .sort();

before(provideImage);

describe("variables of a rank's hooks and pod", function () {
    this.timeout(180_000);

    const show = ["sh", "-c", SHOW];

    it("reach the tasks of a command", () => ends({ command: show }, expected("lead")));

    it("reach the tasks of a launcher, by flux run and by programs that copy their environment", () =>
        ends(
            { launcher: true, command: ["bash", "-c", `flux run -N2 -n2 sh -c '${escaped(SHOW)}'`] },
            expected("lead"),
        ));

    it("reach the tasks of all other jobs", () =>
        withPods(cluster, async (pods) => {
            await pods.up(SIZE);
            const run = async (...words: string[]) => lines(await pods.flux("run", ...words));
            const inJob = (rank: number, script: string) => run("-n1", `--requires=rank:${rank}`, "bash", "-c", script);

            assert.deepEqual(await run("-N2", ...show), expected(""), "of a shell on the lead");
            const follower = await pods.rank(1).exec("flux", "run", "-N2", ...show).ended;
            assert.deepEqual(lines(follower.stdout), expected(""), "of a shell on a follower");
            for (const rank of [0, 1]) {
                const nested = `flux run -N2 -n2 sh -c '${escaped(SHOW)}'`;
                assert.deepEqual(await inJob(rank, nested), expected(""), `of a job on ${rank}`);
                assert.deepEqual(await inJob(rank, BINDINGS), expected(""), `by Python on ${rank}`);
                const mine = [own(0, "slow", "", "mine"), own(1, "fast", "", "mine")];
                assert.deepEqual(await run("-N2", "--env=NIC=mine", ...show), mine, "the user's value by an option");
                assert.deepEqual(await inJob(rank, `NIC=mine ${nested}`), mine, "the user's value by a variable");
                const exec = `flux exec -n sh -c '${escaped(SHOW)}'`;
                const inPod = async (script: string) => {
                    const { stdout } = await pods.rank(rank).exec("bash", "-c", script).ended;
                    return lines(stdout);
                };
                assert.deepEqual(await inJob(rank, exec), expected(""), `of flux exec in a job on ${rank}`);
                assert.deepEqual(await inPod(exec), expected(""), `of flux exec in a shell on ${rank}`);
                assert.deepEqual(await inPod(`NIC=mine ${exec}`), mine, "the user's value for flux exec");
            }
            if (!isStandin) {
                const started = await startedBy(pods);
                const without = await startedBy(pods, "--env-remove=FLUX_SHELL_RC_PATH");
                assert.equal(started, without, "processes from a job shell to its task");
                await nestedInstances(pods);
            }
        }));

    /** Processes and threads from a job shell to its task, in the real Flux. Others in the pod only add some: the least of a few is it. */
    async function startedBy(pods: PodCluster, ...options: readonly string[]): Promise<number> {
        const numbers: number[] = [];
        for (let round = 0; round < 5; round++) {
            const count = await pods.flux("run", "--requires=rank:1", ...options, "sh", "-c", "echo $(($$ - PPID))");
            numbers.push(Number(count));
        }
        return Math.min(...numbers);
    }

    /** The stand-in has no nested instances. */
    async function nestedInstances(pods: PodCluster): Promise<void> {
        const script = `#!/bin/bash\nflux run -N2 -n2 sh -c '${escaped(SHOW)}'\n`;
        const submit = `cat >/run/flux/batch.sh <<'END'\n${script}END\nflux batch -N2 -n2 --output=/run/flux/batch.out /run/flux/batch.sh`;
        const { stdout: id } = await pods.rank(0).exec("bash", "-c", submit).ended;
        await pods.flux("job", "status", id.trim());
        const { stdout } = await pods.rank(0).exec("cat", "/run/flux/batch.out").ended;
        assert.deepEqual(lines(stdout), expected(""), "of a nested instance");
        const mpi = ["run", "-N2", "-n2", "-o", "mpi=openmpi", "sh", "-c", `flux pmi barrier && ${SHOW}`];
        assert.deepEqual(lines(await pods.flux(...mpi)), expected(""), "of an MPI program");
        const inner = await pods.flux("alloc", "-N2", "-n2", "flux", "run", "-N2", "-n2", ...show);
        assert.deepEqual(lines(inner), expected(""), "of flux alloc");
    }

    /** A program that submits by Flux' bindings copies its environment. */
    const BINDINGS = `export SHOW='${escaped(SHOW)}'
id=$(flux python -c '
import os, flux, flux.job
spec = flux.job.JobspecV1.from_command(["sh", "-c", os.environ["SHOW"]], num_tasks=2, cores_per_task=3)
spec.cwd, spec.environment = os.getcwd(), dict(os.environ)
print(int(flux.job.submit(flux.Flux(), spec)))
')
exec flux job attach "$id"`;

    async function ends(args: Partial<PlainArgs>, result: readonly string[]): Promise<void> {
        await withPods({ ...cluster, ...args }, async (pods) => {
            const [lead] = await pods.start(0, 1);
            const { code, stdout } = await lead.ended();
            assert.deepEqual([code, lines(stdout)], [0, result]);
        });
    }
});

/** A text within single quotes of a shell. */
function escaped(text: string): string {
    return text.replaceAll("'", "'\\''");
}

import assert from "node:assert/strict";
import { basename } from "node:path";

import type { PlainArgs } from "../../components/args";
import { provideImage, withPods } from "./support/pods/cluster";
import type { Pod, PodEnd } from "./support/pods/pod";
import type { Process } from "./support/pods/processes";

const SIZE = 2;
const oneCore = { resources: { limits: { cpu: "1" } } };

before(provideImage);

/** Runs an ephemeral cluster, whose command is a program of bash, to its end. */
function run(script: string, args: Partial<PlainArgs> = {}): Promise<PodEnd> {
    return withPods({ size: SIZE, ...oneCore, command: ["bash", "-c", script], ...args }, async (cluster) => {
        const [lead] = await cluster.start(0, 1);
        return (await lead?.ended()) ?? assert.fail("there is no lead");
    });
}

/** The lines of the tasks in the standard error, sorted, because those of two ranks come in any order. */
const linesOf = (stderr: string) =>
    stderr
        .replaceAll(/^(minicluster|flux-job|[0-9.]+s|\[hwloc\/linux\]).*\n/gm, "")
        .trimEnd()
        .split("\n")
        .sort();

/** The process of `flux run`, which becomes another program of Flux. */
function fluxRunOf({ container }: Pod): Process {
    const found = container.processes.find(
        ({ words: [program = "", ...words] }) =>
            !["bash", "sh"].includes(basename(program)) && words.some((word) => ["attach", "run"].includes(word)),
    );
    return found ?? assert.fail("flux run does not run");
}

/** Prints the peak of the lead's broker in MB. */
const PEAK =
    'awk \'/VmHWM/ { print "peak", int($2 / 1000), "MB" }\' "/proc/$(flux getattr broker.pid)/status" 2>&1 || exit 9';

describe("the output of an ephemeral cluster's command", function () {
    this.timeout(120_000);

    it("has all lines of both streams and of all ranks, and the command's exit code stays", async () => {
        // Before 0.82, Flux itself stops when a rank without the first shell has printed 1,000 lines.
        const { code, stderr, stdout } = await run(
            `seq 1 $((FLUX_TASK_RANK ? 500 : 20000)); for i in 1 2; do echo "e$i of $FLUX_TASK_RANK" >&2; done; printf 'no end'; exit 3`,
        );
        assert.equal(code, 3, stderr);
        assert.equal(stdout.replaceAll("no end", "").trimEnd().split("\n").length, 20_500);
        assert.equal(stdout.match(/no end/g)?.length, SIZE);
        assert.deepEqual(linesOf(stderr), ["e1 of 0", "e1 of 1", "e2 of 0", "e2 of 1"]);
        assert.match(stderr, /^flux-job: task\(s\) exited with exit code 3$/m);
    });

    it("costs the lead's broker no memory", async () => {
        const line = "x".repeat(99);
        const { code, stderr, stdout } = await run(
            `[[ $FLUX_TASK_RANK == 0 ]] || exit 0; ${PEAK}; yes ${line} | head -n 200000; ${PEAK}`,
        );
        assert.equal(code, 0, stderr);
        const [first, last] = Array.from(stdout.matchAll(/^peak (\d+) MB$/gm), ([, peak]) => Number(peak));
        assert.equal(stdout.length > 20_000_000, true);
        assert.ok(last - first < 20, `the broker's peak grew from ${first} to ${last} MB`);
    });

    it("appears while the command runs", () =>
        withPods(
            { size: SIZE, ...oneCore, command: ["bash", "-c", "echo first; echo error >&2; sleep 10000"] },
            async (cluster) => {
                const [lead] = await cluster.start(0, 1);
                await lead?.container.says(/^first$/m);
                await lead?.container.says(/^error$/m);
            },
        ));

    it("is lost with a message, and the command fails, if its reader is killed", async () => {
        const kill = 'for one in /proc/[0-9]*; do [[ $(<"$one/comm") != cat ]] || kill -KILL "${one#/proc/}"; done';
        const { code, stderr } = await run(`[[ $FLUX_TASK_RANK != 0 ]] || { ${kill}; } 2>/dev/null; echo late`);
        assert.equal(code, 137, stderr);
        assert.match(stderr, /^minicluster: output of the command is lost: its reader ended with 137$/m);
    });

    for (const [signal, code] of [
        ["SIGKILL", 137],
        ["SIGSEGV", 139],
        ["SIGTERM", 143],
    ] as const) {
        it(`ends without words of bash if a job sends ${signal} to its flux run`, () =>
            withPods(
                { size: SIZE, ...oneCore, command: ["bash", "-c", "echo first; sleep 10000"] },
                async (cluster) => {
                    const [lead] = await cluster.start(0, 1);
                    await lead.container.says(/^first$/m);
                    process.kill(fluxRunOf(lead).pid, signal);
                    const { code: end, stderr } = await lead.ended();
                    assert.equal(end, code, stderr);
                    // Newer versions of Flux pass SIGTERM on to the command.
                    const told = `minicluster: flux run ended with ${code} while the command still ran`;
                    const passed = signal === "SIGTERM" ? "|flux-job: task\\(s\\) Terminated" : "";
                    assert.match(stderr, new RegExp(`^(?:${told}${passed})$`, "m"));
                    assert.doesNotMatch(stderr, /^Terminated|line \d+:/m);
                },
            ));
    }

    it("is read from Flux if the command doesn't run on the lead", async () => {
        const args = { nodes: 1, tasks: 1, requires: "rank:1" };
        const { code, stderr, stdout } = await run("echo out; echo err >&2", args);
        assert.deepEqual([code, stdout, linesOf(stderr)], [0, "out\n", ["err"]]);
    });

    it("goes into the files of the user", async () => {
        const one = { nodes: 1, tasks: 1, shellOptions: { "output.mode": "append" } };
        const file = await run("echo out; echo err >&2", { ...one, outputFile: "/tmp/out" });
        assert.deepEqual([file.code, file.stdout], [0, ""], file.stderr);
        assert.deepEqual(linesOf(file.stderr), [
            "0: stderr redirected to /tmp/out",
            "0: stdout redirected to /tmp/out",
        ]);
        const errors = await run("echo out; echo err >&2", { ...one, errorFile: "/tmp/err" });
        assert.deepEqual([errors.code, errors.stdout], [0, "out\n"], errors.stderr);
        assert.deepEqual(linesOf(errors.stderr), ["0: stderr redirected to /tmp/err"]);
    });
});

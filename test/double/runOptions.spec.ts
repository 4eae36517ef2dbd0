import assert from "node:assert/strict";

import { inside } from "./support/flux";
import { withSharedInstance } from "./support/instance";
import { AFTERANY_WITHOUT_START, fluxMinor, onlySince, SCHEDULES_GPUS } from "./support/version";

/** A program, and its expected results. */
interface Program {
    readonly it: string;
    readonly run: string;
    readonly code?: number;
    readonly stdout?: RegExp | string;
    readonly stderr?: RegExp;
}

/** Waits for a job's end and prints its id. */
const ENDED = "flux job wait-event -q $id clean";

const layout: readonly Program[] = [
    {
        it: "gives a job all cores of its nodes with --exclusive, and only some without",
        run: `for more in -x --quiet; do id=$(flux submit -N1 -n1 $more true); done; id=$(flux submit -N1 -n1 -x true); ${ENDED}; flux job info $id R; id=$(flux submit -N1 -n1 true); ${ENDED}; flux job info $id R`,
        stdout: /"core": ?"0-1"[^]*"core": ?"[01]"/,
    },
    {
        it: "refuses --exclusive without nodes",
        run: "flux run --exclusive -n1 true",
        code: 1,
        stderr: /exclusive can only be set with a node count/,
    },
    {
        it: "refuses --tasks-per-node with --ntasks",
        run: "flux run -N1 -n2 --tasks-per-node=2 true",
        code: 1,
        stderr: /Per-resource options can't be used with per-task options/,
    },
    {
        it: "refuses --tasks-per-node with --cores-per-task, but not with no GPUs",
        run: "flux run -N1 -g0 --tasks-per-node=2 true && flux run -N1 -c1 --tasks-per-node=2 true",
        code: 1,
        stderr: /Per-resource options can't be used with per-task options/,
    },
    {
        it: "refuses --tasks-per-node without nodes",
        run: "flux run --tasks-per-node=2 true",
        code: 1,
        stderr: /must specify node or core count with per_resource/,
    },
    {
        it: "runs more tasks on a node than it has cores with --tasks-per-node",
        run: "flux run -N1 --tasks-per-node=5 sh -c 'echo $FLUX_TASK_RANK' | sort | tr -d '\\n'",
        stdout: "01234",
    },
    {
        it: "refuses more nodes than tasks",
        run: "flux run -N3 -n2 true",
        code: 1,
        stderr: /node count must not be greater than task count/,
    },
    {
        it: "gives a job its urgency, and refuses one above 31",
        run: "id=$(flux submit --urgency=0 true); flux jobs -no '{urgency}'; flux cancel $id; flux run --urgency=31 true; flux run --urgency=32 true",
        code: 1,
        stdout: "0\n",
        stderr: /urgency/,
    },
];

const constraints: readonly Program[] = [
    {
        it: "runs a job on a node that has a property",
        run: "flux run --requires=fast flux getattr rank; flux run --requires='fast and big' flux getattr rank",
        stdout: "1\n2\n",
    },
    {
        it: "reads not, or, parentheses, minus and ^",
        run: "flux run -N2 --requires='not (rank:1)' flux getattr rank | sort; flux run --requires='-host:mc-0 ^big' flux getattr rank; flux run --requires='rank:0|big&host:mc-0' flux getattr rank",
        stdout: "0\n2\n1\n0\n",
    },
    {
        it: "joins several constraints by and",
        run: "flux run --requires=fast --requires=rank:2 flux getattr rank",
        stdout: "2\n",
    },
    {
        it: "rejects a job if no node has what it requires",
        run: "flux run --requires=slow true",
        code: 1,
        stderr: /unsatisfiable/,
    },
    ...["rank:0 and", "(rank:0", "rank:0)", "'rank:0", "rank:", "-(fast)"].map((text) => ({
        it: `refuses the constraint ${text}`,
        run: `flux run --requires="${text}" true`,
        code: 1,
        stderr: /--requires='/,
    })),
    ...["node:mc-0", "rank:all"].map((text) => ({
        it: `refuses the constraint ${text}`,
        run: `flux run --requires="${text}" true`,
        code: 1,
        stderr: /unknown constraint operator|all|idset|Invalid argument/,
    })),
];

const files: readonly Program[] = [
    {
        it: "writes the output of all tasks into one file, relative to the working directory",
        run: "cd /tmp; flux run -N3 --output=one.$$ sh -c 'echo out; echo err >&2'; sort one.$$; rm one.$$",
        stdout: "err\nerr\nerr\nout\nout\nout\n",
    },
    {
        it: "writes the standard error into a file of its own, and keeps the output in the log",
        run: "flux run -N2 --error=/tmp/err.$$ sh -c 'echo out; echo err >&2'; cat /tmp/err.$$; rm /tmp/err.$$",
        stdout: "out\nout\nerr\nerr\n",
    },
    {
        it: "replaces tags in the names of files",
        run: "f=/tmp/tag.$$; flux run -N2 --job-name=named --output=$f.{{name}}.{{id.dec}}.{{taskid}}.{{node.name}}.{{nnodes}} sh -c 'echo $FLUX_TASK_RANK'; cat $f.named.*.0.mc-0.2 $f.named.*.1.mc-1.2; rm $f.*",
        stdout: "0\n1\n",
    },
    {
        it: "replaces a file, and appends to it with output.mode=append",
        run: "f=/tmp/mode.$$; for n in 1 2; do flux run --output=$f echo $n; done; flux run -o output.mode=append --output=$f echo 3; cat $f; rm $f",
        stdout: "2\n3\n",
    },
    {
        it: "takes none for the log",
        run: "cd /tmp; flux run --output=none echo a; ls none",
        code: 2,
        stdout: "a\n",
    },
    {
        it: "fails a job whose output file can't be opened",
        run: "flux run --output=/nowhere/out echo a",
        code: 1,
        stderr: /flux-shell\[0\]: ERROR: output\.task: open: \/nowhere\/out: No such file or directory/,
    },
    {
        it: "gives each task a file as its input",
        run: "echo data >/tmp/in.$$; flux run -N2 --input=/tmp/in.$$ cat </dev/null; rm /tmp/in.$$",
        stdout: "data\ndata\n",
    },
    {
        it: "refuses data on the standard input of a job whose input is a file",
        run: "echo other | flux run --input=/etc/passwd sleep 2",
        code: 1,
        stderr: /flux-job: stdin not accepted by job/,
    },
    {
        it: "takes ranks in --input for the tasks that get the standard input",
        run: "cd /tmp; echo file >0; flux submit --input=0 cat; rm 0",
        stderr: /per-task input not supported for submit/,
    },
    {
        it: "fails a job whose input file is missing",
        // Flux ends the shell by SIGTERM, unless it has ended by itself.
        run: "flux run --input=/nowhere/in cat </dev/null; code=$?; [ $code = 143 ] || exit $code; exit 1",
        code: 1,
        stderr: /error opening input file '\/nowhere\/in'/,
    },
];

const signals: readonly Program[] = [
    {
        it: "sends a signal before the time limit",
        run: "flux run -t 4s --signal=TERM@3s sh -c 'sleep 60 & trap \"kill $!; echo warned; exit 3\" TERM; wait'",
        code: 3,
        stdout: "warned\n",
        stderr: /job will expire in 3\.0s, sending (SIG)?TERM to job|Terminated/,
    },
    {
        it: "sends no signal to a job without a time limit",
        run: "flux run --signal=TERM true",
        stderr: /job has no expiration, .*TERM.* will not be sent/,
    },
    {
        it: "sends a signal at once if the time limit is nearer",
        run: "flux run -t 2s --signal=USR1@5s sleep 0.5",
        code: 138,
        stderr: /job will expire in 5\.0s, sending SIGUSR1 to job/,
    },
    {
        it: "refuses an unknown signal",
        run: "flux run -t 4s --signal=FOO@1s true",
        code: 1,
        stderr: /--signal=FOO@1s: signal 'FOO' is invalid/,
    },
];

const shellOptions: readonly Program[] = [
    {
        it: "binds each task to its share of the cores with cpu-affinity=per-task, and takes the last -o",
        run: "count() { flux run -N1 -n2 $* nproc | head -n1; }; [ $(count -o cpu-affinity=on) = $((2 * $(count -o cpu-affinity=off -o cpu-affinity=per-task))) ] && echo half",
        stdout: "half\n",
    },
    {
        it: "accepts the names of PMI and MPI",
        run: "flux run -o pmi=simple -o mpi=none -o verbose=0 echo a",
        stdout: "a\n",
    },
];

const dependencies: readonly Program[] = [
    {
        it: "starts a job after another one has succeeded",
        run: "a=$(flux submit --urgency=hold true); id=$(flux submit --dependency=afterok:$a true); flux job eventlog $id | grep -o 'dependency-add.*'; flux job urgency $a default; flux job wait-event -q $id clean; flux job eventlog $id | cut -d' ' -f2 | tr '\\n' ' '; flux jobs -no '{result}' $id",
        stdout: /^dependency-add description="after-success=\S+"\n.*dependency-add .*dependency-remove .*depend .*alloc .*clean COMPLETED\n$/,
    },
    {
        it: "ends a job if the job before it fails, and starts it with afterany and afternotok",
        run: "a=$(flux submit --urgency=hold false); for how in ok any notok; do ids=\"$ids $(flux submit --dependency=after$how:$a true)\"; done; flux job urgency $a default; for id in $ids; do flux job wait-event -q $id clean; flux job eventlog $id | grep -o 'type=\"dependency\".*'; flux jobs -no '{result}' $id; done",
        stdout: /^type="dependency" severity=0 .*note="dependency after-success=\S+ can never be satisfied".*\nFAILED\nCOMPLETED\nCOMPLETED\n$/,
    },
    {
        it: "refuses a job after one that has failed",
        run: `id=$(flux submit false); ${ENDED}; flux submit --dependency=afterok:$id true`,
        code: 1,
        stderr: /dependency: afterok: job \S+ failed or was canceled/,
    },
    {
        it: "accepts a job after one that has ended",
        run: `id=$(flux submit true); ${ENDED}; flux run --dependency=afterok:$id echo a; flux run --dependency=afterany:$id echo b`,
        stdout: "a\nb\n",
    },
    {
        it: "refuses a job after an unknown one, and an unknown dependency",
        run: "flux submit --dependency=afterok:f1 true; flux submit --dependency=beforeok:f1 true",
        code: 1,
        stderr: /dependency: afterok: id f1: job not found\n.*dependency scheme "beforeok" not supported/,
    },
];

describe("Run options in an instance of three brokers", function () {
    this.timeout(60_000);
    const instance = withSharedInstance({ cores: "0-1", resources: ["--property=fast:1-2", "--property=big:2"] });

    before(async () => {
        await instance().idle(3);
    });

    const run = (program: string) => inside(["bash", "-c", program], { env: { FLUX_URI: instance().uri() } });

    const groups: Record<string, readonly Program[]> = {
        "of nodes and tasks": layout,
        "of constraints": constraints,
        "of files": files,
        "of signals": signals,
        "of the job shell": shellOptions,
        "of other jobs": dependencies,
    };
    for (const [group, programs] of Object.entries(groups)) {
        describe(group, () => {
            for (const { it: title, run: program, code = 0, stdout, stderr } of programs) {
                it(title, async () => {
                    const ended = await run(program);
                    if (typeof stdout === "string") {
                        assert.equal(ended.stdout, stdout, ended.stderr);
                    }
                    if (stdout instanceof RegExp) {
                        assert.match(ended.stdout, stdout, ended.stderr);
                    }
                    if (stderr) {
                        assert.match(ended.stderr, stderr);
                    }
                    assert.equal(ended.code, code, ended.stderr);
                });
            }
        });
    }

    it("ends a job after one that was cancelled before its start, except with afterany since 0.85", async () => {
        const { stdout } = await run(
            "a=$(flux submit --urgency=hold true); for how in ok any; do ids=\"$ids $(flux submit --dependency=after$how:$a true)\"; done; flux cancel $a; for id in $ids; do flux job wait-event -q $id clean; flux jobs -no '{result}' $id; done",
        );
        assert.equal(stdout, (await fluxMinor()) < AFTERANY_WITHOUT_START ? "FAILED\nFAILED\n" : "FAILED\nCOMPLETED\n");
    });
});

describe("Run options in an instance with queues", function () {
    this.timeout(60_000);
    const more = '[queues.batch]\n[queues.debug]\n[policy.jobspec.defaults.system]\nqueue = "batch"\n';
    const instance = withSharedInstance({ size: 1, more });

    it("put a job into a queue, and refuse an unknown one", async () => {
        const { lead } = await instance().run(1, "flux queue start --all --quiet; echo started; sleep 10000");
        await lead.says(/^started$/m);
        const { code, stderr, stdout } = await inside(
            ["bash", "-c", "flux run -q debug echo a; flux jobs -ano '{queue}'; flux run -q other true"],
            { env: { FLUX_URI: instance().uri() } },
        );
        assert.deepEqual([code, stdout], [1, "a\ndebug\n"]);
        assert.match(stderr, /Invalid queue 'other' specified/);
    });
});

describe("Run options in an instance without queues", function () {
    this.timeout(60_000);
    const instance = withSharedInstance({ size: 1, cores: "0-1", resources: ["--gpus=0-3"] });

    before(async () => {
        await instance().idle(1);
    });

    const run = (program: string) => inside(["bash", "-c", program], { env: { FLUX_URI: instance().uri() } });

    it("refuse every queue", async () => {
        const { code, stderr } = await run("flux run -q other true");
        assert.deepEqual([code, stderr], [1, "flux-run: ERROR: 'other' is not a valid queue\n"]);
    });

    describe("with GPUs", () => {
        onlySince(SCHEDULES_GPUS);

        const cases: [string, string][] = [
            ["flux run -N1 -n2 -g1", "0,1\n0,1\n"],
            ["flux run -N1 -n2 -g1 -o gpu-affinity=per-task", "0\n1\n"],
            ["flux run -N1 -n2 -x -o gpu-affinity=per-task", "0,1\n2,3\n"],
            ["flux run -N1 --tasks-per-node=2", "0,1,2,3\n0,1,2,3\n"],
            ["CUDA_VISIBLE_DEVICES=7 flux run -N1 -n1 -g1 -o gpu-affinity=off", "7\n"],
            ["flux run -n1", "-1\n"],
        ];
        for (const [command, expected] of cases) {
            it(`show the tasks of ${command} the GPUs ${expected.trim().replace("\n", " and ")}`, async () => {
                const { stderr, stdout } = await run(`${command} sh -c 'echo $CUDA_VISIBLE_DEVICES' | sort`);
                assert.equal(stdout, expected, stderr);
            });
        }
    });
});

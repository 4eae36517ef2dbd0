import assert from "node:assert/strict";

import { countOf, ownTasksNotice } from "../../../../components/runOptions/ownTasks";

const bash = (script: string) => ["bash", "-c", script];

/** Commands, and the program in them that starts tasks itself. */
const COMMANDS: readonly (readonly [words: readonly string[], starter: string | undefined])[] = [
    [["flux", "run", "-N2", "-n2", "hostname"], "flux run"],
    [["flux", "submit", "-n2", "hostname"], "flux submit"],
    [["flux", "alloc", "-N2", "sleep", "1"], "flux alloc"],
    [["flux", "batch", "-N2", "job.sh"], "flux batch"],
    [["flux", "bulksubmit", "echo", "{}", ":::", "1"], "flux bulksubmit"],
    [["flux", "-v", "run", "hostname"], "flux run"],
    [["/usr/bin/flux", "run", "hostname"], "flux run"],
    [["mpirun", "-np", "4", "./a"], "mpirun"],
    [["/opt/openmpi/bin/mpirun", "./a"], "mpirun"],
    [["mpiexec", "-n", "4", "./a"], "mpiexec"],
    [["mpiexec.hydra", "-n", "4", "./a"], "mpiexec.hydra"],
    [["srun", "-n4", "./a"], "srun"],
    [["horovodrun", "-np", "4", "python", "train.py"], "horovodrun"],
    [["torchrun", "--standalone", "--nproc-per-node=4", "train.py"], "torchrun"],
    [["torchrun", "train.py"], "torchrun"],
    [["env", "X=Y", "mpirun", "./a"], "mpirun"],
    [["env", "-u", "A", "X=Y", "mpirun", "./a"], "mpirun"],
    [["timeout", "10", "mpirun", "./a"], "mpirun"],
    [["timeout", "-k", "5", "--signal=INT", "10", "flux", "run", "./a"], "flux run"],
    [["nice", "-n", "5", "nohup", "mpirun", "./a"], "mpirun"],
    [bash("mpirun -np 4 ./a"), "mpirun"],
    [["/bin/sh", "-ec", "cd /data && exec mpirun ./a"], "mpirun"],
    [["timeout", "9", ...bash("set -e\nA=1 flux run -n2 ./a; wait")], "flux run"],
    [bash('if true; then "/opt/bin/mpirun" ./a; fi'), "mpirun"],
    [bash("id=$(flux submit -n2 ./a)"), "flux submit"],
    [bash("bash -c 'mpirun ./a'"), "mpirun"],
    [["echo", "mpirun"], undefined],
    [["python", "mpirun.py"], undefined],
    [["flux", "--version"], undefined],
    [["flux", "jobs", "-a"], undefined],
    [["flux", "start", "mpirun", "./a"], undefined],
    [["mpirun", "--version"], undefined],
    [["./mpirun-check"], undefined],
    [["which", "flux", "run"], undefined],
    [bash("# mpirun ./a\necho done"), undefined],
    [bash("echo 'no mpirun; mpirun' \"; srun\""), undefined],
    [bash("cat <<END\nmpirun ./a\nEND\n./a"), undefined],
    [bash('[ "$FLUX_TASK_RANK" = 0 ] && flux submit ./a'), undefined],
    [["torchrun", "--nnodes=2", "--rdzv-endpoint=a:1", "train.py"], undefined],
    [["bash", "mpirun.sh"], undefined],
    [["env"], undefined],
    [[], undefined],
];

const notice = (words: readonly string[], around = { hasRendezvous: false, count: 2 }) =>
    ownTasksNotice(words, "cluster", around);

describe("ownTasksNotice", () => {
    for (const [words, starter] of COMMANDS) {
        it(`finds ${starter ?? "nothing"} in ${JSON.stringify(words)}`, () => {
            assert.equal(/^calls (.*?), which/.exec(notice(words) ?? "")?.[1], starter);
        });
    }

    it("takes a torchrun that finds the others, or has none, for right", () => {
        assert.equal(notice(["torchrun", "train.py"], { hasRendezvous: true, count: 2 }), undefined);
        assert.equal(notice(["torchrun", "--standalone", "train.py"], { hasRendezvous: false, count: 1 }), undefined);
        assert.match(
            notice(["torchrun", "--standalone", "train.py"], { hasRendezvous: true, count: 2 })!,
            /rendezvous: {}/,
        );
    });

    it("names the cure of who runs the command", () => {
        const around = { hasRendezvous: false, count: 2 };
        const cures = (["cluster", "job", "submit"] as const).map((runner) =>
            ownTasksNotice(["flux", "run", "a"], runner, around)!.replace(/^.*calls it\. /, ""),
        );
        assert.deepEqual(cures, [
            "Give launcher: true, so that the lead runs the command once; or give the program itself, and tasks.",
            "Give the program itself, and tasks; each step of a script can be a FluxJob.",
            "Give the program itself behind the options -N and -n.",
        ]);
    });

    it("counts the tasks", () => {
        assert.equal(countOf({}, 4), 4);
        assert.equal(countOf({ nodes: 2 }, 4), 2);
        assert.equal(countOf({ nodes: 2, tasks: 8 }, 4), 8);
        assert.equal(countOf({ nodes: 2, tasksPerNode: 3 }, 4), 6);
    });
});

import assert from "node:assert/strict";

import { inside } from "./support/flux";
import { withSharedInstance } from "./support/instance";

/** A program that uses three brokers with two cores each, and its expected results. */
interface Program {
    readonly it: string;
    readonly run: string;
    readonly code?: number;
    readonly stdout?: RegExp | string;
    readonly stderr?: RegExp;
}

const programs: readonly Program[] = [
    {
        it: "returns the highest exit code of the tasks",
        run: "flux run -N3 sh -c 'exit $((FLUX_TASK_RANK + 5))'",
        code: 7,
        stderr: /flux-job: task\(s\) exited with exit code 7/,
    },
    {
        it: "returns 128 plus the signal that ended a task",
        run: "flux run sh -c 'kill -9 $$'",
        code: 137,
        stderr: /flux-job: task\(s\) Killed/,
    },
    {
        it: "returns 127 for a missing command",
        run: "flux run nonexistent",
        code: 127,
        stderr: /start failed: nonexistent: No such file or directory/,
    },
    {
        it: "returns 126 for a command that is not executable",
        run: "flux run /etc/passwd",
        code: 126,
        stderr: /start failed: \/etc\/passwd: Permission denied/,
    },
    {
        it: "runs a task on every node with -N alone",
        run: "flux run -N3 flux getattr rank | sort",
        stdout: "0\n1\n2\n",
    },
    {
        it: "runs jobs of a program in Python, and tells it their ends",
        run: `flux python - <<'PYTHON'
import flux
from flux.job import JobspecV1, submit, wait

handle = flux.Flux()
commands = (["/bin/true"], ["/bin/false"], ["/bin/sleep", "0"])
jobs = [submit(handle, JobspecV1.from_command(command, num_tasks=2), waitable=True) for command in commands]
print([wait(handle, job).success for job in jobs])
PYTHON`,
        stdout: "[True, False, True]\n",
    },
    { it: "fills a node before the next with -n alone", run: "flux run -n2 flux getattr rank", stdout: "0\n0\n" },
    {
        it: "gives each task the cores it asks for",
        run: "flux run -n3 -c2 flux getattr rank | sort",
        stdout: "0\n1\n2\n",
    },
    {
        it: "starts several tasks per node",
        run: "flux run -N2 --tasks-per-node=3 sh -c 'echo $FLUX_TASK_LOCAL_ID' | sort | tr -d '\\n'",
        stdout: "001122",
    },
    {
        it: "labels output with the task",
        run: "flux run -N2 -l sh -c 'echo out; echo err >&2' | sort",
        stdout: "0: out\n1: out\n",
        stderr: /^0: err$/m,
    },
    {
        it: "forwards standard input to every task",
        run: "echo data | flux run -N2 -l cat | sort",
        stdout: "0: data\n1: data\n",
    },
    {
        it: "sets rank, job size and number of nodes in the environment of each task",
        run: "flux run -n4 sh -c 'echo $FLUX_TASK_RANK $FLUX_JOB_SIZE $FLUX_JOB_NNODES' | sort",
        stdout: "0 4 2\n1 4 2\n2 4 2\n3 4 2\n",
    },
    { it: "copies the environment of the caller", run: "A=1 flux run sh -c 'echo $A'", stdout: "1\n" },
    {
        it: "removes variables that match --env=-PATTERN",
        run: "A1=1 A2=2 B=3 flux run --env='-A*' sh -c 'echo $A1$A2$B'",
        stdout: "3\n",
    },
    {
        it: "sets a variable with --env=NAME=VALUE, and expands variables in the value",
        run: "B=3 flux run --env-remove='*' --env=PATH --env='C=x$B' sh -c 'echo $C'",
        stdout: "x3\n",
    },
    {
        it: "keeps variables that do not match --env-remove",
        run: "A1=1 A2=2 B=3 flux run --env-remove='A*' --env-remove=C sh -c 'echo $A1$A2$B'",
        stdout: "3\n",
    },
    {
        it: "sets FLUX_JOB_ID once in the environment of each task's process",
        run: 'flux run sh -c \'tr "\\0" "\\n" </proc/$$/environ | grep -c ^FLUX_JOB_ID=\'',
        stdout: "1\n",
    },
    {
        it: "gives each job its own namespace in the key-value store",
        run: "flux run sh -c 'echo $FLUX_KVS_NAMESPACE; flux kvs eventlog get resource.eventlog'",
        code: 1,
        stdout: /^job-\d+\n$/,
    },
    {
        it: "refuses --env with an unknown variable in the value",
        run: "flux run --env='C=$NOPE' true",
        code: 1,
        stderr: /--env: Variable 'NOPE' not found in C=\$NOPE/,
    },
    {
        it: "reads the rules of --env-file",
        run: "echo D=4 > /tmp/rules.$$; flux run --env-file=/tmp/rules.$$ sh -c 'echo $D'; rm /tmp/rules.$$",
        stdout: "4\n",
    },
    {
        it: "replaces a missing working directory with /tmp",
        run: "flux run --cwd=/nowhere pwd",
        stdout: "/tmp\n",
        stderr: /Could not change dir to \/nowhere: No such file or directory\. Going to \/tmp instead/,
    },
    {
        it: "rejects a job that needs more nodes than exist",
        run: "flux run -N4 true",
        code: 1,
        stderr: /unsatisfiable request(: need 4 exclusive node\(s\), only 3 eligible)?$/m,
    },
    {
        it: "rejects a job that needs more cores than exist",
        run: "flux run -n7 true",
        code: 1,
        stderr: /unsatisfiable request(: need 7 slot\(s\) of 1 core\(s\), only 6 such slot\(s\) available \(total cores: 6\))?$/m,
    },
    {
        it: "rejects a job that needs a GPU if no node has one",
        run: "flux run -g1 true",
        code: 1,
        stderr: /need 1 slot\(s\) with 1 GPU\(s\) each, only 0 available|sched-simple does not support resource type 'gpu'/,
    },
    {
        it: "runs a job on the host of --requires",
        run: "flux run --requires=host:mc-2 flux getattr rank",
        stdout: "2\n",
    },
    {
        it: "ends a job at its time limit",
        run: "flux run -t 0.2s sleep 60",
        code: 142,
        stderr: /type=timeout severity=0 resource allocation expired/,
    },
    {
        it: "ends a job at exit-timeout after the first end of a task",
        run: "flux run -N2 -o exit-timeout=0.5s sh -c '[ $FLUX_TASK_RANK = 1 ] || exec sleep 60; exit 3'",
        code: 3,
        stderr: /type=exec severity=0 sh: (task )?rank 1 on host mc-1 exited .*and exit-timeout=(0\.5s|500ms) has expired/,
    },
    {
        it: "ends a job at exit-timeout also after a task that has succeeded",
        run: "flux run -n2 -o exit-timeout=0.5s sh -c '[ $FLUX_TASK_RANK = 1 ] || exec sleep 60'",
        code: 1,
        stderr: /rank 1 on host mc-0 exited .*and exit-timeout=(0\.5s|500ms) has expired/,
    },
    {
        it: "waits for all tasks with exit-timeout=none",
        run: "flux run -N2 -o exit-timeout=none sh -c '[ $FLUX_TASK_RANK = 1 ] || exec sleep 1'",
    },
    {
        it: "cancels a job",
        run: "id=$(flux submit sleep 60); flux job wait-event $id start >&2; flux cancel $id; flux job attach $id",
        code: 143,
        stderr: /type=cancel severity=0/,
    },
    {
        it: "cancels running jobs and keeps pending jobs",
        run: "waits=$(flux submit --urgency=hold true); id=$(flux submit sleep 60); flux job wait-event -q $id start; flux job raiseall -f -s 0 -S RUN cancel going away; flux job wait-event -q $id clean; flux job eventlog $id | grep exception; flux job eventlog $waits | grep -c exception; flux cancel $waits; flux job attach $id",
        code: 143,
        stdout: /exception type="cancel" severity=0 .*note="going away".*\n0\n/,
        stderr: /flux-job: Raised exception on 1 jobs \(0 errors\)/,
    },
    {
        it: "prints how many jobs raiseall matches, with and without -f",
        run: "id=$(flux submit --urgency=hold true); flux job raiseall -s 0 cancel; flux cancel $id; flux job wait-event -q $id clean; flux job raiseall -f -s 0 -S RUN cancel gone",
        stderr: /flux-job: Command matched 1 jobs \(-f to confirm\)\n[^]*flux-job: Command matched 0 jobs\n/,
    },
    {
        it: "lists jobs as JSON objects, and removes finished jobs from the list",
        run: 'id=$(flux submit --urgency=hold true); until flux job list --states=sched | grep -q \'"state": *8\'; do :; done; flux cancel $id; flux job wait-event -q $id clean; until [ -z "$(flux job list)" ]; do :; done',
    },
    {
        it: "lists the running jobs of a rank",
        run: "id=$(flux submit -N1 --requires=rank:1 sleep 60); flux job wait-event -q $id start; one() { flux jobs --no-header --filter=running --include=$1 --count=0 --format='{id.dec}'; }; until [ \"$(one 1)\" = $(flux job id --to=dec $id) ]; do :; done; one 2; flux cancel $id; flux job wait-event -q $id clean",
        stdout: "",
    },
    {
        it: "records the events of a job",
        run: "id=$(flux submit true); flux job wait-event -q $id clean; flux job eventlog --format=json $id | tr -d ' ' | grep -Eo '\"name\":\"(submit|alloc|start|finish|release|free|clean)\"' | cut -d: -f2 | tr -d '\n'",
        stdout: '"submit""alloc""start""finish""release""free""clean"',
    },
    {
        it: "lists jobs with a format",
        run: "flux run --job-name=one true; flux run --job-name=one false; flux jobs -a --name=one -no '{name} {status} {returncode} {nnodes} {ranks} {nodelist}'",
        stdout: "one FAILED 1 1 0 mc-0\none COMPLETED 0 1 0 mc-0\n",
    },
    {
        it: "returns the exit code of a job from flux job status",
        run: "id=$(flux submit sh -c 'exit 4'); flux job status $id; echo $?",
        stdout: "4\n",
    },
    {
        it: "waits for a waitable job",
        run: "id=$(flux submit --flags=waitable false); flux job wait $id; echo $?",
        stdout: "1\n",
    },
    {
        it: "waits for all jobs with flux queue drain",
        run: "flux submit --quiet --cc=0-3 --job-name=many true; flux queue drain; flux jobs -a --name=many -no '{status}' | sort | uniq -c",
        stdout: /^ *4 COMPLETED\n$/,
    },
    {
        it: "lists resources with a format, in one line for each state",
        run: "flux resource list -no '{state} {nnodes} {ncores} {nodelist}'",
        stdout: "free 3 6 mc-[0-2]\nallocated 0 0 \ndown 0 0 \n",
    },
    {
        it: "lists resources in one line without {state}",
        run: "flux resource list -no '{nnodes} {ranks} {nodelist} {ncores}'",
        stdout: "3 0-2 mc-[0-2] 6\n",
    },
    {
        it: "runs no job on a drained node",
        run: "flux resource drain mc-0 tired; flux run flux getattr rank; flux resource status -no '{state} {nodelist} {reason}'; flux resource undrain 0; flux run flux getattr rank",
        stdout: "1\navail mc-[1-2] \ndrained mc-0 tired\n0\n",
    },
    {
        it: "prints the reason of a drained rank",
        run: "flux resource drain 1 by hand; flux resource drain --no-header --format='{ranks} {reason}'; flux resource undrain 1",
        stdout: "1 by hand\n",
    },
    {
        it: "refuses to drain a node twice",
        run: "flux resource drain 1 a; flux resource drain 1 b; code=$?; flux resource undrain 1; exit $code",
        code: 1,
        stderr: /\[Errno 17\] rank 1 already drained/,
    },
    {
        it: "refuses to drain an unknown host",
        run: "flux resource drain mc-9 a",
        code: 1,
        stderr: /invalid targets: invalid hosts: mc-9/,
    },
    {
        it: "prints the state of the overlay",
        run: "flux overlay status",
        stdout: "0 mc-0: full\n├─ 1 mc-1: full\n└─ 2 mc-2: full\n",
    },
    {
        it: "runs commands on ranks with flux exec",
        run: "flux exec -r 1-2 -l flux getattr rank | sort",
        stdout: "1: 1\n2: 2\n",
    },
    {
        it: "doesn't mix the lines of ranks that write them in parts",
        run: "flux exec -r 1-2 sh -c 'printf a; sleep 0.3; echo b'",
        stdout: "ab\nab\n",
    },
    {
        it: "returns the highest exit code of flux exec",
        run: "flux exec -r 1-2 sh -c 'exit $(flux getattr rank)'",
        code: 2,
        stderr: /^2: Exit 2$/m,
    },
    {
        it: "runs the job of a client on a follower",
        run: "flux exec -r 2 flux run -N3 flux getattr rank | sort",
        stdout: "0\n1\n2\n",
    },
    {
        it: "changes only attributes that may change at run time",
        run: "flux setattr log-stderr-level 7 && flux getattr log-stderr-level; flux setattr size 9",
        code: 1,
        stdout: "7\n",
        stderr: /flux-setattr: (size: attribute may not be updated|flux_attr_set: Operation not permitted)/,
    },
    {
        it: "prints jobspec, resources and events of a job",
        run: "id=$(flux submit --env='-*' --cwd=/tmp true); flux job wait-event -q $id clean; flux job info $id jobspec; flux job info $id R; flux job info $id eventlog; flux job info $id frob",
        code: 1,
        stdout: /"command": ?\["true"\].*\n.*"nodelist": ?\["mc-0"\].*\n[^]*"name": ?"clean"/,
        stderr: /flux-job: frob: key not found/,
    },
    {
        it: "hides all GPUs from a job that asks for none, unless it is told not to",
        run: "for mode in on off per-task; do flux run -o gpu-affinity=$mode --env-remove='CUDA_*' sh -c 'echo ${CUDA_VISIBLE_DEVICES-unset}'; done",
        stdout: "-1\nunset\n\n",
    },
    {
        it: "tells a task of the job the nodes, and soon the tasks of each",
        run: "flux run -N3 -n4 sh -c '[ $FLUX_TASK_RANK != 3 ] || { flux job info $FLUX_JOB_ID R; until flux job info $FLUX_JOB_ID guest.exec.eventlog | grep shell.start; do :; done; }' | tr -d ' '",
        stdout: /"nodelist":\["mc-\[0-2\]"\][^]*"shell\.start".*"map":\[\[0,1,2,1\],\[1,2,1,1\]\]/,
    },
    {
        it: "puts memos and exceptions into a job's events, and begins each line with the time and the name",
        run: "id=$(flux submit --urgency=hold true); flux job memo $id name=finish note='x finish y' a.start=1; flux job raise --severity=1 --type=rank-leaves --message='x finish y' $id; flux job wait-event -q $id exception; flux job eventlog $id | tail -n2 | sed -E 's/^[0-9.]+ //; s/ userid=[0-9]+//'; flux job eventlog --format=json $id | tail -n2 | head -n1 | sed -E 's/:[0-9.]+,/:1,/'; flux cancel $id; flux job wait-event -q $id clean; flux job memo $id a=1",
        code: 1,
        stdout: `memo name="finish" note="x finish y" a={"start":1}
exception type="rank-leaves" severity=1 note="x finish y"
{"timestamp":1,"name":"memo","context":{"name":"finish","note":"x finish y","a":{"start":1}}}
`,
        stderr: /flux-job: memo: job is inactive/,
    },
    {
        it: "records drains and undrains in the resource eventlog",
        run: "flux resource drain 2 going; flux resource undrain 2; flux kvs eventlog get resource.eventlog | tail -n2 | cut -d' ' -f2- | sed 's/ overwrite=0$//'",
        stdout: 'drain idset="2" nodelist="mc-2" reason="going"\nundrain idset="2" nodelist="mc-2"\n',
    },
    {
        it: "counts active and inactive jobs",
        run: "id=$(flux submit sleep 60); flux job wait-event -q $id start; flux module stats --parse active_jobs job-manager; flux cancel $id; flux job wait-event -q $id clean; flux queue idle --quiet; flux module stats --parse active_jobs job-manager; flux module stats job-manager | tr -d ' ' | grep -Ex '\"(in)?active_jobs\":[0-9]+,?' | wc -l; flux module stats --parse frob job-manager",
        code: 1,
        stdout: "1\n0\n2\n",
        stderr: /flux-module: `frob' not found in response/,
    },
    {
        it: "pings services on ranks",
        run: "flux ping --count=1 --rank=1 job-ingest && flux ping --count=1 '2!kvs' && flux ping --count=1 --rank=1 frob",
        code: 1,
        stdout: /^flux-ping 1!job-ingest\n1!job-ingest\.ping pad=0 seq=0 .*\nflux-ping 2!kvs\n2!kvs\.ping /,
        stderr: /flux-ping: 1!frob\.ping: Function not implemented/,
    },
    {
        it: "keeps user attributes in the jobspec",
        run: "id=$(flux submit -S user.a.b=c -S user.a.n=1 --setattr=user.t true); flux job wait-event -q $id clean; flux job info $id jobspec | tr -d ' '",
        stdout: /"user":\{"a":\{"b":"c","n":1\},"t":1\}/,
    },
    {
        it: "writes a dump while it runs, and raises its version after a change",
        run: "a=$(flux kvs version); flux submit --urgency=hold --job-name=dumped true >/tmp/id; until [ $(flux kvs version) -gt $a ]; do :; done; flux dump -q /tmp/live.tgz; tar -xzOf /tmp/live.tgz | grep -ac '\"dumped\"'; flux cancel $(cat /tmp/id); flux dump -q /nowhere/x.tgz",
        code: 1,
        stdout: /^[1-9]\d*\n$/,
        stderr: /flux-dump: Failed to open '\/nowhere\/x.tgz'/,
    },
    {
        it: "sends a signal to the tasks of one job, which a shell may catch",
        run: `id=$(flux submit -N2 -n2 sh -c 'trap "echo caught; exit 5" USR2; : >/tmp/up-$FLUX_JOB_ID-$FLUX_TASK_RANK; while :; do sleep 0.1; done'); until [ -e /tmp/up-$id-0 ] && [ -e /tmp/up-$id-1 ]; do :; done; flux job kill --signal=USR2 $id; flux job attach $id | grep -c caught; flux job kill --signal=SIGUSR2 $id`,
        code: 1,
        stdout: "2\n",
        stderr: /flux-job: kill \S+: job is inactive/,
    },
    {
        it: "waits for an event with a certain context, and fails when the job ends without it",
        run: "id=$(flux submit sleep 1000); flux job raise --severity=1 --type=other --message=x $id; flux job raise --severity=1 --type=rank-leaves --message='the pod of rank 1 is leaving' $id; flux job wait-event --match-context=type=rank-leaves $id exception | cut -d' ' -f2-; flux job raise --severity=0 --type=end $id; flux job wait-event -q $id clean; flux job wait-event -q --match-context=type=none $id exception",
        code: 1,
        stdout: /^exception type="rank-leaves" severity=1 note="the pod of rank 1 is leaving" userid=\d+\n$/,
        stderr: /event 'exception' never received/,
    },
    {
        it: "ends no job by an exception of severity 1, and refuses one for a job that has ended",
        run: "id=$(flux submit sleep 1); flux job raise --severity=1 --type=rank-leaves $id; flux job attach $id; echo $?; flux job raise --severity=1 --type=rank-leaves $id",
        code: 1,
        stdout: "0\n",
        stderr: /type=rank-leaves severity=1[^]*\S+: job is inactive/,
    },
    {
        it: "ends several jobs at once, and fails if one of them has ended before",
        run: 'a=$(flux submit --urgency=hold true); b=$(flux submit sleep 60); flux job wait-event -q $b start; flux job raise --type=end $a $b by hand; flux job wait-event -q $b clean; flux job eventlog $a | grep -o \'type="end".*note="by hand"\'; c=$(flux submit sleep 60); flux job wait-event -q $c start; flux job kill $a $c; echo $?; flux job attach $c',
        code: 143,
        stdout: 'type="end" severity=0 note="by hand"\n1\n',
        stderr: /flux-job: kill \S+: job is inactive/,
    },
    {
        it: "refuses to send a signal to a word that is no job id, and two notes",
        run: "id=$(flux submit --urgency=hold true); flux job kill $id %; flux job raise --message=a $id b; flux cancel $id; flux job kill --signal=FROB $id",
        code: 1,
        stderr: /invalid jobid: %\n[^]*Do not set note on command line and with --message\n[^]*kill: Invalid signal FROB\n/,
    },
    {
        it: "waits for an event up to a timeout; a held job doesn't start, and ends with 1 after an exception",
        run: "flux resource drain 2 test; id=$(flux submit -N3 -n3 true); flux job wait-event -q --timeout=0.3s $id alloc; echo $?; flux job urgency $id hold; flux resource undrain 2; flux run -N3 -n3 true; flux job eventlog $id | grep -cE '^[0-9.]+ (alloc|start)'; flux job raise --severity=0 --type=rank-leaves --message=fewer $id; flux job attach $id; echo $?; flux job wait-event -q --timeout=10s $id alloc",
        code: 1,
        stdout: "1\n0\n1\n",
        stderr: /wait-event timeout on event 'alloc'\n[^]*type=rank-leaves severity=0 fewer\n[^]*event 'alloc' never received/,
    },
    {
        it: "holds no job that has resources or has ended",
        run: "id=$(flux submit sleep 60); flux job wait-event -q $id alloc; flux job urgency $id hold; echo $?; flux cancel $id; flux job wait-event -q $id clean; flux job urgency $id hold",
        code: 1,
        stdout: "1\n",
        stderr: /: urgency cannot be changed once resources are allocated\n[^]*: job is inactive/,
    },
    {
        it: "adds variables to a job although a pattern before removes them",
        run: "MINI_A=1 MINI_B=1 flux run --env-remove='MINI_*' --env=MINI_A=2 sh -c 'echo $MINI_A$MINI_B'",
        stdout: "2\n",
    },
    {
        it: "removes a purged job, and refuses to purge an active job",
        run: "id=$(flux submit --job-name=old true); flux job wait-event -q $id clean; flux job purge $id | cut -d' ' -f1-5; flux job purge --force $id | cut -d, -f1; flux jobs -a --count=0 --name=old -no '{id}'; flux job eventlog $id; id=$(flux submit sleep 60); flux job purge --force $id; code=$?; flux cancel $id; flux job purge --force f2; exit $code",
        code: 1,
        stdout: "use --force to purge 1\npurged 1 inactive jobs\n",
        stderr: /job \S+ not found\nflux-job: purge: cannot purge active job\nflux-job: purge: id not found/,
    },
    {
        it: "prints drained ranks and a stopped scheduler in flux uptime",
        run: "flux resource drain 1; flux queue stop >&2; flux uptime; flux queue start >&2; flux resource undrain 1",
        stdout: / run .*,  owner root,  depth 0,  size 3,  1 drained\n {2}scheduler stopped\n/,
    },
    {
        it: "stops and starts the queue",
        run: "flux queue stop; flux queue status; flux queue start",
        stdout: /Scheduling is stopped\nJob submission is enabled\nScheduling is stopped\nScheduling is started\n/,
    },
    {
        it: "waits in flux queue idle until no job runs, and counts pending jobs",
        run: "flux queue stop --all --nocheckpoint --quiet; id=$(flux submit true); flux queue idle --quiet; flux queue start --all --quiet; flux job wait-event -q $id clean; flux queue idle --quiet",
        stdout: "1 jobs\n",
    },
    {
        it: "passes a single word to the shell and several words unchanged in flux start",
        run: "flux start 'echo a b; exit 4'; echo $?; flux start echo 'a  b'",
        stdout: "a b\n4\na  b\n",
    },
];

describe("Flux instance of three brokers", function () {
    this.timeout(60_000);
    const instance = withSharedInstance({ cores: "0-1" });

    before(async () => {
        await instance().idle(3);
    });

    for (const { it: title, run, code = 0, stdout, stderr } of programs) {
        it(title, async () => {
            const ended = await inside(["bash", "-c", run], { env: { FLUX_URI: instance().uri() } });
            if (typeof stdout === "string") {
                assert.equal(ended.stdout, stdout, ended.stderr);
            }
            if (stdout instanceof RegExp) {
                assert.match(ended.stdout, stdout);
            }
            if (stderr) {
                assert.match(ended.stderr, stderr);
            }
            assert.equal(ended.code, code, ended.stderr);
        });
    }
});

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:net";

import type { PlainArgs } from "../../../../../components/args";
import { validate } from "../../../../../components/arguments/decide";
import { configFiles } from "../../../../../components/pod/configMap";
import { scriptText } from "../../../../../provider/contract/scriptText";
import { Sandbox } from "../../../support/sandbox";
import { makeSpec } from "../../../support/spec";

/** What the tasks of a job on two hosts get, by name. Task 0 isn't on the cluster's lead. */
const EVENT = JSON.stringify({
    name: "shell.start",
    context: {
        taskmap: {
            version: 1,
            map: [
                [0, 1, 2, 1],
                [1, 1, 1, 1],
                [0, 1, 1, 1],
            ],
        },
    },
});
const R = JSON.stringify({ execution: { nodelist: ["lammps-[1,3]"], starttime: 1 } });
/** What Flux knows of the job. */
const flux = (event = EVENT, resources = R) =>
    `case $4 in R) echo '${resources}';; *) echo '{"name":"init"}'; echo '${event}';; esac`;
const TASK = { FLUX_JOB_ID: "ƒ26ZqxBC", FLUX_JOB_SIZE: "4" };
const NAMES = ["MASTER_ADDR", "MASTER_PORT", "RANK", "LOCAL_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "NODE_RANK"];
const FOR_TORCHRUN = ["PET_MASTER_ADDR", "PET_MASTER_PORT", "PET_NNODES", "PET_NODE_RANK", "PET_NPROC_PER_NODE"];

describe("rendezvous", () => {
    const problemsOf = (args: Partial<PlainArgs>) =>
        validate(makeSpec(args)).map(({ property, reason }) => `${property}: ${reason}`);

    const refused: [string, Partial<PlainArgs>, string][] = [
        [
            "without a command",
            { command: [], rendezvous: {} },
            "rendezvous: is given, but there is no command. Remove it, or give it to a FluxJob.",
        ],
        [
            "with a launcher",
            { launcher: true, rendezvous: {} },
            "rendezvous: is given, but with launcher the command starts the tasks. Remove it, or give it to a FluxJob.",
        ],
        [
            "with a port that doesn't exist",
            { rendezvous: { port: 65536 } },
            "rendezvous.port: is 65536; ports go from 1 to 65535.",
        ],
    ];
    for (const [how, args, problem] of refused) {
        it(`is refused ${how}`, () => {
            assert.deepEqual(problemsOf(args), [problem]);
        });
    }

    it("brings its script only if it is given", () => {
        assert.equal(configFiles(makeSpec())["rendezvous.sh"], undefined);
        assert.ok(configFiles(makeSpec({ rendezvous: {} }))["rendezvous.sh"]);
    });
});

describe("rendezvous.sh", () => {
    let pod: Sandbox;

    beforeEach(() => {
        pod = new Sandbox({ rendezvous: {} });
    });

    afterEach(() => pod.remove());

    const SHOW = ["sh", "-c", 'for name; do eval "printf %s= $name; echo \\"\\${$name-unset}\\""; done', "sh"];

    async function task(rank: number, localId: number, port: string, names: readonly string[], more: object = {}) {
        const { code, stderr, stdout } = await pod.run("rendezvous", [port, ...SHOW, ...names], {
            ...TASK,
            FLUX_TASK_RANK: String(rank),
            FLUX_TASK_LOCAL_ID: String(localId),
            FLUX_STUB: flux(),
            ...more,
        });
        const lines = stdout.trimEnd().split("\n");
        return {
            code,
            stderr,
            set: Object.fromEntries(lines.map((line) => line.split("="))) as Record<string, string>,
        };
    }

    it("gives each task its place among the tasks, and the host of the first task", async () => {
        assert.deepEqual((await task(3, 2, "29500", NAMES)).set, {
            MASTER_ADDR: "lammps-1",
            MASTER_PORT: "29500",
            RANK: "3",
            LOCAL_RANK: "2",
            WORLD_SIZE: "4",
            LOCAL_WORLD_SIZE: "3",
            NODE_RANK: "0",
        });
        const { LOCAL_WORLD_SIZE, MASTER_ADDR, NODE_RANK } = (await task(2, 0, "29500", NAMES)).set;
        assert.deepEqual([MASTER_ADDR, NODE_RANK, LOCAL_WORLD_SIZE], ["lammps-1", "1", "1"]);
    });

    it("asks Flux twice in each task, and again if Flux doesn't know the map yet", async () => {
        const info = (key: string) => ["flux", "job", "info", "ƒ26ZqxBC", key];
        await task(1, 1, "29500", NAMES);
        assert.deepEqual(pod.calls, [info("guest.exec.eventlog"), info("R")]);
        const late = `[[ $4 == R || -e $SANDBOX/asked ]] || { touch "$SANDBOX/asked"; exit 1; }; ${flux()}`;
        const { set } = await task(1, 1, "29500", NAMES, { FLUX_STUB: late });
        assert.deepEqual([set.RANK, pod.calls.length], ["1", 5]);
    });

    const maps: [string, number[][], string[], string[]][] = [
        ["one node", [[0, 1, 2, 1]], ["a"], ["a 0 2", "a 0 2"]],
        ["tasks in turns", [[0, 2, 1, 2]], ["a-[3,7]"], ["a-3 0 2", "a-7 1 2", "a-3 0 2", "a-7 1 2"]],
        [
            "task 0 on the second node",
            [
                [1, 1, 1, 1],
                [0, 1, 1, 1],
            ],
            ["a-1", "b-2"],
            ["b-2 1 1", "a-1 0 1"],
        ],
        [
            "full host names",
            [
                [0, 3, 1, 1],
                [3, 1, 2, 1],
            ],
            ["a-[0-1,12].s.ns,b-9"],
            ["a-0.s.ns 0 1", "a-1.s.ns 1 1", "a-12.s.ns 2 1", "b-9 3 2", "b-9 3 2"],
        ],
    ];
    for (const [what, map, nodelist, expected] of maps) {
        it(`finds the host of each task with ${what}`, async () => {
            const event = JSON.stringify({ name: "shell.start", context: { taskmap: { version: 1, map } } });
            const stub = flux(event, JSON.stringify({ execution: { nodelist } }, null, 1));
            const text = readFileSync(pod.path("etc/flux-minicluster/rendezvous.sh"), "utf8");
            // The host of a task is the address of the first task if the script takes that task for the first one.
            pod.write("etc/flux-minicluster/rendezvous.sh", text.replace(/^mc_find 0$/m, 'mc_find "$FLUX_TASK_RANK"'));
            const names = ["MASTER_ADDR", "NODE_RANK", "LOCAL_WORLD_SIZE"];
            for (const [rank, line] of expected.entries()) {
                const { set } = await task(rank, 0, "29500", names, { FLUX_STUB: stub });
                assert.equal(names.map((name) => set[name]).join(" "), line);
            }
        });
    }

    it("makes each task a node of torchrun, with a process for each GPU of the task", async () => {
        const expected = {
            PET_MASTER_ADDR: "lammps-1",
            PET_MASTER_PORT: "29500",
            PET_NNODES: "4",
            PET_NODE_RANK: "2",
            PET_NPROC_PER_NODE: "unset",
        };
        assert.deepEqual((await task(2, 0, "29500", FOR_TORCHRUN)).set, expected);
        assert.deepEqual((await task(2, 0, "29500", FOR_TORCHRUN, { CUDA_VISIBLE_DEVICES: "-1" })).set, expected);
        const gpus = { CUDA_VISIBLE_DEVICES: "0,1,5" };
        assert.equal((await task(2, 0, "29500", FOR_TORCHRUN, gpus)).set["PET_NPROC_PER_NODE"], "3");
        const ofAmd = { ROCR_VISIBLE_DEVICES: "0,1" };
        assert.equal((await task(2, 0, "29500", FOR_TORCHRUN, ofAmd)).set["PET_NPROC_PER_NODE"], "2");
    });

    it("chooses one port for all tasks of a job, in any language, and another one for another job", async () => {
        const portOf = async (rank: number, more: object = {}) =>
            (await task(rank, 0, "any", ["MASTER_PORT"], more)).set["MASTER_PORT"];
        const port = await portOf(1);
        assert.match(port, /^2\d{4}$/);
        assert.equal(await portOf(2, { LC_ALL: "C" }), port);
        assert.equal(await portOf(3, { LC_ALL: "C.UTF-8" }), port);
        assert.notEqual(await portOf(1, { FLUX_JOB_ID: "ƒ26ZqxBD" }), port);
    });

    it("fails in the first task if the port is taken on its host, and in no other task", async () => {
        const server = createServer().listen(0, "127.0.0.1");
        await new Promise((resolve) => server.once("listening", resolve));
        const port = String((server.address() as { port: number }).port);
        const [first, second] = [await task(0, 0, port, []), await task(1, 1, port, [])];
        server.close();
        assert.deepEqual(
            [first.code, first.stderr],
            [
                78,
                `minicluster: the rendezvous of job ƒ26ZqxBC failed: port ${port} of lammps-1 is taken. Give another rendezvous.port\n`,
            ],
        );
        assert.deepEqual([second.code, second.stderr], [0, ""]);
    });

    it("asks rank 0 if the rank's own broker doesn't learn where the tasks are", async () => {
        pod.write("bin/sleep", "#!/bin/sh\n", 0o755);
        const old = `case "$1 $4" in exec*) shift 5;; *guest*) echo '{"name":"init"}'; exit;; esac`;
        const { code, set } = await task(2, 0, "29500", NAMES, { FLUX_STUB: `${old}; ${flux()}` });
        assert.deepEqual([code, set["MASTER_ADDR"]], [0, "lammps-1"]);
    });

    it("fails if Flux doesn't tell where the tasks are", async () => {
        pod.write("bin/sleep", "#!/bin/sh\n", 0o755);
        const { code, stderr } = await task(0, 0, "29500", [], { FLUX_STUB: "echo 'flux-job: no' >&2; exit 1" });
        assert.deepEqual(
            [code, stderr],
            [
                78,
                'minicluster: the rendezvous of job ƒ26ZqxBC failed: flux job info has no "shell.start" in guest.exec.eventlog after 20 s: flux-job: no\n',
            ],
        );
    });

    it("passes the words of the program on unchanged, and runs from its text too", async () => {
        const words = ["a b", "", "$HOME", "*"];
        const { stdout } = await pod.run("rendezvous", ["1", "printf", "%s\\n", ...words], {
            ...TASK,
            FLUX_TASK_RANK: "1",
            FLUX_TASK_LOCAL_ID: "0",
            FLUX_STUB: flux(),
        });
        assert.equal(stdout, `${words.join("\n")}\n`);
        // A FluxJob passes the whole text as a word.
        assert.doesNotMatch(scriptText("provider/contract", "rendezvous.sh"), /\{\{/);
    });

    it("comes between task.sh and the command", async () => {
        await pod.run("lead", ["python3", "train.py"]);
        const run = pod.calls.find(([, name]) => name === "run") ?? [];
        assert.deepEqual(run.slice(run.indexOf("--") + 1), [
            "bash",
            pod.path("etc/flux-minicluster/task.sh"),
            "bash",
            pod.path("etc/flux-minicluster/rendezvous.sh"),
            "any",
            "python3",
            "train.py",
        ]);
        assert.ok(run.includes("--job-name=python3"));
    });
});

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

import { SCRIPT_FILES } from "../unit/support/scriptFile";

import { type Ended, inside } from "./support/flux";
import { type Instance, withSharedInstance } from "./support/instance";

const SCRIPTS = [
    "elastic_flux.py",
    "elastic_place.py",
    "elastic_rule.py",
    "flux_calls.py",
    "flux_journal.py",
    "flux_sets.py",
    "watchdog.py",
];

/** Reads the queue by elastic_flux.py, and prints the result. */
const READ = `
import json, resource, sys
sys.path.insert(0, "FOLDER")
from elastic_flux import Flux
def show():
    state = Flux().read(3)
    look = state.look
    job = lambda r: [r.nodes, r.slots, r.cores, r.gpus, r.exclusive, r.constraint]
    print(json.dumps({
        "ranks": {n: [r.cores, r.gpus, r.host] for n, r in look.ranks.items()},
        "used": look.used,
        "pending": [job(request) for _, request in look.pending],
        "kept": sorted(look.kept),
        "leaving": sorted(state.leaving),
        "stopped": state.stopped,
        "newest": state.newest,
        "counts": [state.waiting, state.starting, state.held, state.running],
        "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }))
`;

interface Seen {
    readonly ranks: Record<string, [number, number, string]>;
    readonly used: Record<string, [number, number]>;
    readonly pending: readonly unknown[];
    readonly kept: readonly number[];
    readonly leaving: readonly number[];
    /** Queues that elastic_flux.py has stopped. */
    readonly stopped: readonly null[];
    readonly newest: number;
    /** Jobs that can start, that wait for something else, that are held, and that run. */
    readonly counts: readonly number[];
    /** The most memory of the program, in MiB. */
    readonly memory: number;
}

describe("what a cluster reads that sizes itself", () => {
    const shared = withSharedInstance({ size: 3, cores: "0-1" });

    before(async () => {
        const instance = shared();
        for (const name of SCRIPTS) {
            instance.write(`scripts/${name}`, readFileSync(SCRIPT_FILES.get(name)!, "utf8"));
        }
        instance.write("scripts/show.py", `${READ.replace("FOLDER", instance.path("scripts"))}\nshow()\n`);
        await instance.run(3, `echo up >${instance.path("up")}; sleep inf`);
        await instance.read("up");
    });

    const shell = (line: string): Promise<Ended> => inside(["bash", "-c", line], { env: { FLUX_URI: shared().uri() } });

    /** Reads until the result is as expected: job-list is some milliseconds behind. */
    async function seen(isExpected: (found: Seen) => boolean): Promise<Seen> {
        for (;;) {
            const { code, stderr, stdout } = await python(shared(), "scripts/show.py");
            assert.equal(code, 0, stderr);
            const found = JSON.parse(stdout) as Seen;
            if (isExpected(found)) {
                return found;
            }
        }
    }

    const idle = { used: {}, pending: [], kept: [], leaving: [], stopped: [], counts: [0, 0, 0, 0] };
    const ranks = { 0: [2, 0, "mc-0"], 1: [2, 0, "mc-1"], 2: [2, 0, "mc-2"] };

    it("has the resources of all ranks, and nothing else in an idle cluster", async () => {
        const { memory: _, newest: __, ...others } = await seen(() => true);
        assert.deepEqual(others, { ...idle, ranks });
    });

    it("has running jobs with their cores, and pending jobs with what they ask for", async () => {
        await shell("flux submit -n1 -c2 sleep inf; flux submit -n1 -c1 sleep inf");
        await seen(({ counts }) => counts[3] === 2);
        await shell("flux submit -N3 -x true; flux submit -n2 -c2 true; flux submit -N2 -n4 --requires=-rank:0 true");
        const found = await seen(({ counts }) => counts[0] === 3);
        assert.equal(
            Object.values(found.used).reduce((sum, [cores]) => sum + cores, 0),
            3,
        );
        assert.deepEqual(found.pending, [
            [3, 1, 1, 0, true, null],
            [0, 2, 2, 0, false, null],
            [2, 2, 1, 0, false, { not: [{ ranks: ["0"] }] }],
        ]);
        await shell("flux cancel --all; flux queue drain");
        await seen(({ counts }) => counts.every((count) => count === 0));
    });

    it("takes little memory for many jobs with large files", async () => {
        const instance = shared();
        await shell("flux submit -N3 -x sleep inf");
        // As --add-file does, which the stand-in hasn't.
        const body = [
            "import flux, json, sys",
            "from flux.job import submit_async",
            "spec = json.load(sys.stdin)",
            'file = {"mode": 0o100644, "encoding": "utf-8", "data": "0123456789abcdef" * 131_072}',
            'spec["attributes"]["system"]["files"] = {"large": file}',
            "handle = flux.Flux()",
            "for _ in range(20): submit_async(handle, json.dumps(spec)).get_id()",
        ];
        instance.write("scripts/large.py", body.join("\n"));
        const { code, stderr } = await shell(
            `cd ${instance.path(".")} && flux submit --dry-run -N3 -x true | flux python scripts/large.py`,
        );
        assert.equal(code, 0, stderr);
        const { memory, pending } = await seen(({ counts }) => counts[0] === 20);
        assert.equal(pending.length, 20);
        // All at once would take 100 MiB. The limit of the container is 128 MiB.
        assert.ok(memory < 60, `${memory} MiB`);
        await shell("flux cancel --all; flux queue drain");
        await seen(({ counts }) => counts.every((count) => count === 0));
    });

    it("has no jobs that are held, wait for another job, or wait in a stopped queue", async () => {
        await shell(
            "flux queue stop --quiet; flux submit true; id=$(flux submit --urgency=hold true); flux submit --dependency=afterany:$id true",
        );
        const found = await seen(({ counts }) => counts[1] === 1 && counts[2] === 2);
        assert.deepEqual([found.pending, found.stopped, found.counts], [[], [], [0, 1, 2, 0]]);
        await shell("flux queue start --quiet; flux cancel --all; flux queue drain");
        await seen(({ counts }) => counts.every((count) => count === 0));
    });

    it("tells ranks that are leaving from those that an administrator has drained", async () => {
        await shell("flux resource drain 1 broken; flux resource drain 2 the pod is leaving");
        const found = await seen(({ kept }) => kept.length > 0);
        assert.deepEqual([found.kept, found.leaving], [[1], [2]]);
        await shell("flux resource undrain 1-2");
    });

    it("tells each job that is submitted from a moment on, and no other event", async () => {
        const instance = shared();
        const held = (await shell("flux submit --urgency=hold true")).stdout.trim();
        // The journal begins with the events of this job, which are older.
        const body = [
            READ.replace("FOLDER", instance.path("scripts")),
            "import subprocess",
            "run = lambda text: subprocess.run(text, shell=True, check=True, stdout=subprocess.DEVNULL)",
            "from flux_journal import Journal",
            "jobs = Journal('submit')",
            "print(jobs.await_one(0.3))",
            // This job ends, and tells further events.
            `run("flux job urgency ${held} 1; flux job wait-event ${held} clean")`,
            "print(any(jobs.await_one(0.1) for _ in range(20)))",
            'run("flux submit --urgency=hold true")',
            "print(any(jobs.await_one(1) for _ in range(5)))",
        ].join("\n");
        instance.write("scripts/journal.py", `${body}\n`);
        const { code, stderr, stdout } = await python(instance, "scripts/journal.py");
        assert.deepEqual([code, stdout.split("\n")], [0, ["False", "False", "True", ""]], stderr);
        await shell("flux cancel --all; flux queue drain");
    });

    it("knows the newest job, which may have ended between two looks", async () => {
        const { newest } = await seen(() => true);
        await shell("flux run true");
        assert.ok((await seen(({ counts }) => counts[3] === 0)).newest > newest);
    });

    it("drains and undrains ranks, and starts and stops queues", async () => {
        const instance = shared();
        const body = (line: string) =>
            `${READ.replace("FOLDER", instance.path("scripts"))}\nflux = Flux()\n${line}\nprint({name: queue["start"] for name, queue in flux.queues().items()})\n`;
        const run = async (name: string, line: string) => {
            instance.write(`scripts/${name}.py`, body(line));
            const { code, stderr, stdout } = await python(instance, `scripts/${name}.py`);
            assert.equal(code, 0, stderr);
            return stdout;
        };
        assert.equal(await run("stop", "flux.drain([2, 1]); flux.start_queues([None], False)"), "{None: False}\n");
        const { leaving, stopped } = await seen(() => true);
        assert.deepEqual([leaving, stopped], [[1, 2], [null]]);
        assert.equal(await run("start", "flux.undrain([1, 2]); flux.start_queues([None], True)"), "{None: True}\n");
        assert.deepEqual((await seen(() => true)).leaving, []);
    });
});

function python(instance: Instance, file: string): Promise<Ended> {
    return inside(["flux", "python", "-B", instance.path(file)], { env: { FLUX_URI: instance.uri() } });
}

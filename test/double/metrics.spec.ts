import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

import { limit } from "../../scripts/tests/limits";
import { SCRIPT_FILES } from "../unit/support/scriptFile";

import { type Ended, inside } from "./support/flux";
import { withSharedInstance } from "./support/instance";

/** Reads by one connection, before and after each command line, and prints what it finds. */
const READ = `
import json, subprocess, sys
sys.path.insert(0, "FOLDER")
from metrics_flux import Bindings, Commands
way = WAY()
for line in [":", *sys.argv[1:]]:
    subprocess.run(["bash", "-c", line], stdout=sys.stderr, check=True)
    found = way.read()
    print(json.dumps([found.values, found.waits, found.version]), flush=True)
`;

interface Values {
    readonly flux_ranks: Record<string, number>;
    readonly flux_jobs: Record<string, number>;
    readonly flux_jobs_inactive: Record<string, number>;
    readonly flux_cores?: Record<string, number>;
    readonly flux_gpus?: Record<string, number>;
    readonly flux_job_oldest_wait_seconds?: number;
}

type Found = readonly [values: Values, waits: readonly number[], version: string];

describe("what the metrics server reads", () => {
    const shared = withSharedInstance({ size: 3, cores: "0-1", resources: ["--gpus=0"] });

    before(async () => {
        const instance = shared();
        for (const name of ["metrics_flux.py", "flux_sets.py"]) {
            instance.write(`scripts/${name}`, readFileSync(SCRIPT_FILES.get(name)!, "utf8"));
        }
        for (const way of ["Bindings", "Commands"]) {
            const text = READ.replace("FOLDER", instance.path("scripts")).replace("WAY", way);
            instance.write(`scripts/${way}.py`, text);
        }
        await instance.run(3, `echo up >${instance.path("up")}; sleep inf`);
        await instance.read("up");
    });

    const shell = (line: string): Promise<Ended> => inside(["bash", "-c", line], { env: { FLUX_URI: shared().uri() } });

    /** The results of a program that reads before and after each of these command lines. */
    async function around(way: "Bindings" | "Commands", ...lines: readonly string[]): Promise<Found[]> {
        const program = shared().path(`scripts/${way}.py`);
        const { code, stderr, stdout } = await inside(["flux", "python", "-B", program, ...lines], {
            env: { FLUX_URI: shared().uri() },
        });
        assert.equal(code, 0, stderr);
        return stdout
            .trim()
            .split("\n")
            .map((text) => JSON.parse(text) as Found);
    }

    const ends = "flux cancel --all; flux queue drain";
    const listed = (state: string, count: number) =>
        `until [[ $(flux jobs --filter=${state} --no-header --format={id} | wc -l) == ${count} ]]; do :; done`;

    it("has the ranks, cores and GPUs of an idle cluster, and no jobs", async () => {
        const [[values, waits, version]] = await around("Bindings");
        assert.deepEqual(values.flux_ranks, { up: 3, drained: 0, down: 0 });
        assert.deepEqual(values.flux_cores, { allocated: 0, free: 6, down: 0 });
        assert.deepEqual(values.flux_gpus, { allocated: 0, free: 3, down: 0 });
        assert.deepEqual(values.flux_jobs, { depend: 0, priority: 0, sched: 0, run: 0, cleanup: 0, inactive: 0 });
        assert.deepEqual(values.flux_job_oldest_wait_seconds, 0);
        assert.deepEqual(waits, []);
        assert.match(version, /^0\.\d+/);
    });

    it("has what jobs use, and what drained ranks don't give", async () => {
        const runs = `flux submit -n1 -c2 sleep inf; flux resource drain 2 broken; ${listed("running", 1)}`;
        const [, [values]] = await around("Bindings", runs);
        assert.deepEqual(values.flux_ranks, { up: 2, drained: 1, down: 0 });
        const { allocated, down, free } = values.flux_cores!;
        assert.deepEqual([allocated, down + free], [2, 4]);
        assert.equal(values.flux_jobs["run"], 1);
        await shell(`flux resource undrain 2; ${ends}`);
    });

    it("counts each job once that starts between two looks, with its wait, also if it has ended", async () => {
        const two = `flux run true; flux run true; ${listed("inactive", 3)}`;
        const [first, second, third] = await around("Bindings", two, ":");
        assert.deepEqual([first[1], second[1].length, third[1]], [[], 2, []]);
        assert.ok(second[1].every((wait) => wait >= 0 && wait < limit(10)));
        const { canceled, completed } = second[0].flux_jobs_inactive;
        assert.deepEqual([canceled, completed], [1, 2]);
    });

    it("has the wait of the oldest job that could start, which a held one can't", async () => {
        const held = `flux submit --urgency=hold true; ${listed("pending", 1)}`;
        const full = `flux submit -N3 -x sleep inf; flux submit true; ${listed("pending", 2)}`;
        const [, before, after] = await around("Bindings", held, full);
        assert.deepEqual([before[0].flux_jobs["sched"], before[0].flux_job_oldest_wait_seconds], [1, 0]);
        const wait = after[0].flux_job_oldest_wait_seconds!;
        assert.ok(wait > 0 && wait < limit(10), `${wait} s`);
        await shell(ends);
    });

    it("has jobs and ranks by commands too, for a Python without Flux' bindings", async () => {
        const [, [values, , version]] = await around("Commands", `flux submit sleep inf; ${listed("running", 1)}`);
        assert.equal(values.flux_jobs["run"], 1);
        assert.deepEqual(values.flux_ranks, { up: 3, down: 0 });
        assert.match(version, /^0\.\d+/);
        await shell(ends);
    });
});

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

import type { Maintenance } from "../../provider/flux/maintenance";
import { MAINTENANCE_PROGRAM } from "../../provider/flux/programs";
import { SCRIPT_FILES } from "../unit/support/scriptFile";
import { inside } from "./support/flux";
import { withSharedInstance } from "./support/instance";
import { callScript } from "./support/jobScript";

const MODULES = ["budget_flux.py", "budget_rule.py", "flux_calls.py", "flux_journal.py", "flux_sets.py", "watchdog.py"];
const OURS = "the pod leaves for maintenance";

describe("Ranks before maintenance", function () {
    this.timeout(60_000);
    const instance = withSharedInstance({ size: 3, cores: "0-1" });

    before(async () => {
        await instance().idle(3);
        for (const name of MODULES) {
            instance().write(`scripts/${name}`, readFileSync(SCRIPT_FILES.get(name)!, "utf8"));
        }
    });

    const shell = async (text: string) => {
        const { code, stderr, stdout } = await inside(["bash", "-c", text], { env: { FLUX_URI: instance().uri() } });
        assert.equal(code, 0, stderr);
        return stdout.trim();
    };

    async function change(verb: "drain" | "undrain", ...ranks: number[]): Promise<Maintenance> {
        const words = ["ask", MAINTENANCE_PROGRAM, verb, JSON.stringify(ranks)];
        const { code, stderr, stdout } = await callScript(instance(), words);
        assert.equal(code, 0, stderr);
        return JSON.parse(stdout) as Maintenance;
    }

    it("are drained, also those that leave.sh has drained, and not those of an administrator", async () => {
        await shell("flux resource drain 1 the pod is leaving; flux resource drain 2 broken");
        assert.deepEqual((await change("drain", 1, 2)).drained, { 1: OURS, 2: "broken" });
        assert.deepEqual((await change("drain", 1)).drained, { 1: OURS });
        assert.deepEqual((await change("undrain", 1, 2)).drained, { 2: "broken" });
        await shell("flux resource undrain 2");
    });

    it("are told with the ranks that run jobs", async () => {
        const job = await shell(
            "id=$(flux submit -N1 -n1 --requires=rank:2 sleep inf); flux job wait-event -q $id start; echo $id",
        );
        const { busy, jobs } = await change("drain", 2);
        assert.deepEqual([busy, jobs], [[2], 1]);
        await shell(`flux cancel ${job}; flux job wait-event -q ${job} clean`);
        assert.deepEqual((await change("undrain", 2)).busy, []);
    });

    it("accept no job on a lead without an archive, until the lead is undrained", async () => {
        const { accepts, starts } = await change("drain", 0);
        assert.deepEqual([accepts, starts], [false, true]);
        assert.match(await shell("flux submit true 2>&1 || true"), new RegExp(`job submission is disabled: ${OURS}`));
        const after = await change("undrain", 0);
        assert.deepEqual([after.accepts, after.starts], [true, true]);
        await shell("flux run true");
    });

    it("are busy, drained or closed for the program that covers them, which is woken by each job", async () => {
        const body = `
import json, sys, subprocess, time
sys.path.insert(0, ${JSON.stringify(instance().path("scripts"))})
from budget_flux import Flux
flux = Flux()
def tell():
    look = flux.read()
    print(json.dumps([sorted(look.busy), sorted(look.drained), look.active, look.is_open]))
def run(text):
    return subprocess.run(text, shell=True, check=True, stdout=subprocess.PIPE).stdout.decode().strip()
tell()
flux.await_change(0.1, 0.1)
job = run("flux submit -N2 -n2 --requires=-rank:0 sleep inf")
begun = time.monotonic()
flux.await_change(0.1, 10)
run("flux job wait-event -q " + job + " start")
print(time.monotonic() - begun < 5)
tell()
run("flux resource drain 2 broken; flux queue stop --quiet; flux cancel " + job + "; flux job wait-event -q " + job + " clean")
tell()
run("flux resource undrain 2; flux queue start --quiet")
`;
        instance().write("scripts/look.py", body);
        const said = await shell(`flux python -B ${instance().path("scripts/look.py")}`);
        assert.deepEqual(said.split("\n"), [
            "[[], [], 0, true]",
            "True",
            "[[1, 2], [], 1, true]",
            "[[], [2], 0, false]",
        ]);
    });
});

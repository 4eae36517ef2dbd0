import assert from "node:assert/strict";

import { ARRAY_PROGRAM } from "../../provider/flux/programs";
import { submitArrayCall } from "../../provider/flux/script";
import { makeSubmission } from "../unit/support/submissions";
import { TestAgent } from "./support/agent";
import { inside } from "./support/flux";
import { withSharedInstance } from "./support/instance";
import { callScript } from "./support/jobScript";

/** More for a run by hand: 10000 jobs, 3000000 lines. */
const EARLIER = Number(process.env["AGENT_EARLIER"] ?? 100);
const LINES = Number(process.env["AGENT_LINES"] ?? 60_000);

describe("The agent's work", function () {
    this.timeout(60_000 + 60 * EARLIER + LINES / 5);
    const instance = withSharedInstance({ size: 1, cores: "0-1" });
    let log: string;
    let scripts: string;

    before(async () => {
        await instance().idle(1);
        log = instance().path("work.log");
        scripts = instance().path("scripts");
        instance().write("scripts/task.sh", 'exec "$@"\n');
        instance().write("work.log", "");
    });

    const shell = async (text: string) =>
        (await inside(["bash", "-c", text], { env: { FLUX_URI: instance().uri() } })).stdout;

    /** What the agent has done since the last call. */
    async function worked(): Promise<string[]> {
        return (await shell(`cat ${log}; : >${log}`)).split("\n").slice(0, -1);
    }

    it("for a submission doesn't grow with the jobs that had its name before", async () => {
        const index = `
def _counted(module, name):
    of = getattr(module, name)
    def call(*words, **more):
        with open(${JSON.stringify(log)}, "a", encoding="utf-8") as log:
            log.write(name + "\\n")
        return of(*words, **more)
    setattr(module, name, call)

for _module, _name in ((flux.kvs, "get"), (flux.kvs, "put"), (flux.job, "job_list"), (flux.job, "job_info_lookup")):
    _counted(_module, _name)
`;
        const agent = await TestAgent.start(instance(), { MINICLUSTER_SCRIPTS: scripts }, { faults: { index } });
        const submit = async (nonce: string) => {
            const words = ["submit", "solve", nonce, "k1", "refuse", "", "--urgency=0", "--", "true"];
            const { code, err } = await agent.ask(...words);
            assert.equal(code, 0, err);
            return worked();
        };
        const alone = await submit("m1");
        await shell(`flux submit --quiet --job-name=solve --urgency=0 --cc=1-${EARLIER} true`);
        assert.deepEqual(await submit("m2"), alone);
        // A number of an earlier release, which kept no index, is looked for in all jobs of the name.
        assert.ok((await submit("n1")).length > alone.length + EARLIER);
        await agent.end();
        await shell("flux cancel --all");
    });

    it("for a job whose id was never noted, and for an array, doesn't grow with the jobs of its name that have ended", async () => {
        const counting = `
def _counted(of):
    def call(*words, **more):
        listed = of(*words, **more)
        with open(${JSON.stringify(log)}, "a", encoding="utf-8") as log:
            log.writelines("listed\\n" for _ in listed.get_jobs())
        return listed
    return call

flux.job.job_list = _counted(flux.job.job_list)
def _looked_up(*words, of=flux.job.job_info_lookup, **more):
    with open(${JSON.stringify(log)}, "a", encoding="utf-8") as log:
        log.write("looked up\\n")
    return of(*words, **more)
flux.job.job_info_lookup = _looked_up
# Without the second by which clocks may differ.
time.time = lambda of=time.time: of() + 1
`;
        await shell(
            `flux submit --quiet --job-name=solve --urgency=0 --cc=1-${EARLIER} true; flux cancel --all; ` +
                'until [ -z "$(flux jobs --no-header)" ]; do sleep 0.1; done',
        );
        const faults = {
            index: counting + `put = lambda handle, nonce, entry, of=put: "id" in entry or of(handle, nonce, entry)\n`,
        };
        const agent = await TestAgent.start(instance(), { MINICLUSTER_SCRIPTS: scripts }, { faults });
        const words = ["submit", "solve", "m4", "k1", "refuse", "", "--urgency=0", "--", "true"];
        const { out } = await agent.ask(...words);
        await worked();
        assert.equal((await agent.ask(...words)).out, out);
        assert.deepEqual(await worked(), ["listed", "looked up", "looked up"]);
        assert.equal((await agent.ask("sweep", "m4", "solve", "allow")).code, 0);
        await agent.end();
        await worked();
        const inputs = makeSubmission({ nonce: "m5", jobName: "solve", command: ["true"], array: { count: 2 } });
        const request = { call: "submit", name: "solve", key: "m5", count: 2, listed: 100, failures: 10, hash: "k1" };
        const wanted = { indexes: "0-1", refuse: true, rerun: false, begun: false, values: null, urgency: 0 };
        const program = ARRAY_PROGRAM.replace(/\nmain\(\)\n$/, () => `\n${counting}\nmain()\n`);
        const call = submitArrayCall(program, { ...request, ...wanted }, inputs);
        const submit = () => callScript(instance(), call, { MINICLUSTER_SCRIPTS: scripts });
        assert.equal((await submit()).code, 0);
        assert.deepEqual(await worked(), []);
        assert.equal((await submit()).code, 0);
        assert.deepEqual(await worked(), ["listed", "listed"]);
        await shell("flux cancel --all");
    });

    it("for an output is one look at each of its parts, also after a lost connection", async () => {
        const joboutput = `
def lines_of(parts, of=lines_of):
    with open(${JSON.stringify(log)}, "a", encoding="utf-8") as log:
        log.writelines(f"{part}\\n" for part in parts)
    return of(parts)
`;
        const follow = async (position: readonly string[]) => {
            const agent = await TestAgent.start(instance(), {}, { faults: { joboutput } });
            const answer = await agent.ask("follow", id, "m3", ...position, "0");
            await agent.end();
            return { ...answer, read: await worked() };
        };
        const id = (
            await shell(
                `id=$(flux submit --setattr=user.minicluster.key=m3 seq 1 ${LINES}); ` +
                    'flux job wait-event -q $id clean; echo "${id/ƒ/f}"',
            )
        ).trim();
        const tree = JSON.parse(await shell(`flux kvs get --treeobj $(flux job id --to=kvs ${id}).guest.output`)) as {
            data: string[];
        };
        assert.ok(tree.data.length > 2, `${tree.data.length} parts`);
        const whole = await follow(["0", "0"]);
        assert.equal(whole.shown["stdout"], Array.from({ length: LINES }, (_, line) => `${line + 1}\n`).join(""));
        assert.deepEqual(whole.read, tree.data);
        const positions = whole.messages.flatMap(({ at }) => (at === undefined ? [] : [at]));
        const middle = positions[Math.floor(positions.length / 2)];
        const rest = await follow(middle.map(String));
        assert.deepEqual(rest.read, tree.data.slice(middle[0]));
    });
});

import assert from "node:assert/strict";

import { TestAgent } from "./support/agent";
import { inside } from "./support/flux";
import { withSharedInstance } from "./support/instance";

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

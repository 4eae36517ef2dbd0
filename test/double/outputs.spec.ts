import assert from "node:assert/strict";

import { TestAgent } from "./support/agent";
import { inside } from "./support/flux";
import { withSharedInstance } from "./support/instance";

const KEY = "n0123456789abcdef";
const submit = (options: string, command: string) =>
    `id=$(flux submit --setattr=user.minicluster.key=${KEY} ${options} ${command})`;

describe("Outputs", function () {
    this.timeout(60_000);
    const instance = withSharedInstance({ size: 2, cores: "0-3" });

    let agent: TestAgent;

    before(async () => {
        await instance().idle(2);
        agent = await TestAgent.start(instance());
    });

    after(() => agent.end());

    const shell = (text: string) =>
        inside(["bash", "-c", text], { env: { FLUX_URI: instance().uri(), OUT: instance().path("out") } });

    /** Runs a job to its end; returns its id, and its whole output as `flux job attach` prints it. */
    async function finished(begin: string): Promise<{ id: string; attached: string }> {
        const { code, stdout, stderr } = await shell(
            `${begin}; flux job wait-event -q $id clean; id=\${id/ƒ/f}; echo $id; flux job attach --read-only $id 2>&1 | sed "/^flux-job: task(s) /d"`,
        );
        assert.equal(code, 0, stderr);
        const [id] = stdout.split("\n", 1);
        return { id, attached: stdout.slice(id.length + 1) };
    }

    const endOf = async (id: string, bytes: number) => {
        const { code, err, shown } = await agent.ask("output", id, KEY, String(bytes));
        assert.equal(code, 0, err);
        return shown["end"] ?? "";
    };

    for (const [what, begin] of [
        ["a job with one line", submit("", "echo hello")],
        ["a job without output", submit("", "true")],
        [
            "a failed job with both streams",
            submit("", `sh -c 'for i in 1 2 3; do echo $i; echo e$i >&2; sleep 0.01; done; exit 3'`),
        ],
        ["a line without an end, and bytes of no text", submit("", `printf 'a\\nünï\\0\\n\\377\\376x'`)],
        ["a job that prints later too", submit("", `sh -c 'echo 1; sleep 0.7; echo 2; sleep 0.7; echo 3'`)],
        ["a job whose output goes into a file", submit("--output=$OUT", "echo hello")],
        ["a job that can't start", submit("", "/no/such/program")],
        ["a job that was cancelled before its start", `${submit("--urgency=hold", "true")}; flux cancel $id`],
        [
            "a job that was cancelled",
            `${submit("", `sh -c 'echo begin; sleep 100'`)}; sleep 0.3; flux job wait-event -q $id start; flux job raise --severity=0 --type=end -m why $id`,
        ],
    ]) {
        it(`are read as flux job attach prints them: ${what}`, async () => {
            const { attached, id } = await finished(begin);
            assert.equal(await endOf(id, 100_000), attached);
            assert.equal(await endOf(id, 3), Buffer.from(attached).subarray(-3).toString());
        });
    }

    it("are read by parts", async () => {
        const { id } = await finished(submit("", "seq 1 60000"));
        const whole = Array.from({ length: 60_000 }, (_, index) => `${index + 1}\n`).join("");
        assert.equal(await endOf(id, 10), "999\n60000\n");
        assert.equal(await endOf(id, 100_000), whole.slice(-100_000));
        assert.equal(await endOf(id, 1_000_000), whole);
        const { messages, out, shown } = await agent.ask("follow", id, KEY, "0", "0", "0");
        assert.deepEqual([shown["stdout"] === whole, shown["stderr"]], [true, undefined]);
        assert.match(out, /"clean"/);
        const positions = messages.flatMap(({ at }) => (at === undefined ? [] : [at]));
        const [parts, events] = positions[Math.floor(positions.length / 2)];
        const { shown: later } = await agent.ask("follow", id, KEY, String(parts), String(events), "0");
        assert.ok(whole.endsWith(later["stdout"]) && later["stdout"].length < whole.length);
        const before = messages.slice(
            0,
            messages.findIndex(({ at }) => at === positions[Math.floor(positions.length / 2)]) + 1,
        );
        const size = before.reduce((sum, { text = "" }) => sum + text.length, 0);
        assert.equal(later["stdout"].length, whole.length - size);
    });

    it("are followed while the job runs, with messages on exceptions, and resumed", async () => {
        const gate = instance().path("gate");
        const job = submit(
            "",
            `sh -c 'echo one; echo two >&2; until [ -e ${gate} ]; do sleep 0.05; done; echo three; exit 3'`,
        );
        const { stdout: name } = await shell(`${job}; echo "\${id/ƒ/f}"`);
        const id = name.trim();
        const following = agent.send("follow", id, KEY, "0", "0", "0");
        await shell(
            `flux job wait-event -q ${id} start; flux job raise --severity=2 --type=note -m why ${id}; : >${gate}`,
        );
        const { code, err, messages, out, shown } = await agent.answer(following);
        assert.equal(code, 0, err);
        assert.deepEqual([shown["stdout"], shown["stderr"]], ["one\nthree\n", "two\n"]);
        assert.match(shown["exception"], /^[0-9.]+s: job\.exception f\S+ type=note severity=2 why\n$/);
        assert.match(out, /"finish".*768[^]*"clean"/);
        const [parts, events] = messages.findLast(({ at }) => at !== undefined)?.at ?? [];
        const { shown: later } = await agent.ask("follow", id, KEY, String(parts), String(events), "1");
        assert.deepEqual(later, {});
    });

    it("that there are now are shown without a wait", async () => {
        const gate = instance().path("second-gate");
        const job = submit("", `sh -c 'echo one; until [ -e ${gate} ]; do sleep 0.05; done; echo two'`);
        const { stdout: name } = await shell(`${job}; echo "\${id/ƒ/f}"`);
        const id = name.trim();
        const seen = agent.send("watch_output", id, KEY, "100", "1");
        await agent.running.says(new RegExp(`"id":${seen},"stream":"end","text":"one`));
        const { out, shown } = await agent.ask("show", id, KEY, "0", "0", "0");
        assert.equal(shown["stdout"], "one\n");
        assert.doesNotMatch(out, /"clean"/);
        await shell(`: >${gate}`);
        const { messages } = await agent.answer(seen);
        assert.deepEqual(messages.flatMap(({ stream, text }) => (stream === "end" ? [text] : [])).at(-1), "one\ntwo\n");
    });
});

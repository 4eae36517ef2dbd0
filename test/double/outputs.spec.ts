import assert from "node:assert/strict";

import { OUTPUT_PROGRAM } from "../../provider/flux/programs";
import { scriptWith } from "../../provider/flux/script";
import { inside } from "./support/flux";
import { withSharedInstance } from "./support/instance";
import { callScript } from "./support/jobScript";

/** Bytes of one stream, or messages, in what `follow` has printed; and the job's events. */
function framesOf(printed: string): { shown: Record<string, string>; order: string[]; events: string } {
    const shown: Record<string, string> = { stdout: "", stderr: "", exception: "" };
    const order: string[] = [];
    let left = Buffer.from(printed);
    for (;;) {
        const line = left.indexOf("\n");
        const [stream, size] = left.subarray(0, line).toString().split(" ");
        left = left.subarray(line + 1);
        if (stream === "events") {
            return { shown, order, events: left.toString() };
        }
        order.push(stream);
        shown[stream] += left.subarray(0, Number(size)).toString();
        left = left.subarray(Number(size));
    }
}

const KEY = "n0123456789abcdef";
const submit = (options: string, command: string) =>
    `id=$(flux submit --setattr=user.minicluster.key=${KEY} ${options} ${command})`;

describe("Outputs", function () {
    this.timeout(60_000);
    const instance = withSharedInstance({ size: 2, cores: "0-3" });

    before(async () => {
        await instance().idle(2);
    });

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
        const { code, stderr, stdout } = await callScript(instance(), [
            "output",
            id,
            KEY,
            String(bytes),
            OUTPUT_PROGRAM,
        ]);
        assert.equal(code, 0, stderr);
        return stdout;
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
        const { stdout } = await callScript(instance(), ["follow", id, KEY, OUTPUT_PROGRAM, "0", "0", "0"]);
        const { events, shown } = framesOf(stdout);
        assert.deepEqual([shown["stdout"] === whole, shown["stderr"]], [true, ""]);
        assert.match(events, /"clean"/);
        const { stdout: later } = await callScript(instance(), ["follow", id, KEY, OUTPUT_PROGRAM, "100000", "0", "0"]);
        assert.equal(framesOf(later).shown["stdout"] === whole.slice(100_000), true);
    });

    it("are followed while the job runs, with messages on exceptions, and resumed", async () => {
        const gate = instance().path("gate");
        const job = submit(
            "",
            `sh -c 'echo one; echo two >&2; until [ -e ${gate} ]; do sleep 0.05; done; echo three; exit 3'`,
        );
        const { stdout: name } = await shell(`${job}; echo "\${id/ƒ/f}"`);
        const id = name.trim();
        const following = callScript(instance(), ["follow", id, KEY, OUTPUT_PROGRAM, "0", "0", "0"]);
        await shell(
            `flux job wait-event -q ${id} start; flux job raise --severity=2 --type=note -m why ${id}; : >${gate}`,
        );
        const { code, stderr, stdout } = await following;
        assert.equal(code, 0, stderr);
        const { events, shown } = framesOf(stdout);
        assert.deepEqual([shown["stdout"], shown["stderr"]], ["one\nthree\n", "two\n"]);
        assert.match(shown["exception"], /^[0-9.]+s: job\.exception f\S+ type=note severity=2 why\n$/);
        assert.match(events, /"finish".*768[^]*"clean"/);
        const { stdout: later } = await callScript(instance(), ["follow", id, KEY, OUTPUT_PROGRAM, "6", "4", "1"]);
        assert.deepEqual(framesOf(later).shown, { stdout: "ree\n", stderr: "", exception: "" });
    });

    it("are followed for a limited time by one call, because nothing else ends it if its connection is lost", async () => {
        const gate = instance().path("second-gate");
        const job = submit("", `sh -c 'echo one; until [ -e ${gate} ]; do sleep 0.05; done; echo two'`);
        const { stdout: name } = await shell(`${job}; echo "\${id/ƒ/f}"`);
        const id = name.trim();
        const program = OUTPUT_PROGRAM.replace("LONGEST_CALL = 120", "LONGEST_CALL = 1");
        const { stdout } = await callScript(instance(), ["follow", id, KEY, program, "0", "0", "0"]);
        const { events, shown } = framesOf(stdout);
        assert.equal(shown["stdout"], "one\n");
        assert.doesNotMatch(events, /"clean"/);
        const { stdout: seen } = await callScript(instance(), ["watch_output", id, KEY, program, "100", "1"]);
        assert.match(seen, /^end 4\none\nevents\n/);
        await shell(`: >${gate}`);
        const { stdout: later } = await callScript(instance(), ["follow", id, KEY, program, "4", "0", "0"]);
        assert.equal(framesOf(later).shown["stdout"], "two\n");
    });

    it("of another job are not read", async () => {
        const { id } = await finished(submit("", "echo secret"));
        for (const words of [
            ["output", id, "nother", "10", OUTPUT_PROGRAM],
            ["follow", id, "nother", OUTPUT_PROGRAM, "0", "0", "0"],
        ]) {
            const { code, stdout } = await callScript(instance(), words);
            assert.deepEqual([code, stdout], [64, ""]);
        }
    });

    it("aren't read while the broker doesn't answer", async () => {
        const env = { FLUX_URI: "local:///no/such/socket", MINICLUSTER_RUN: instance().path("run") };
        const input = scriptWith(["output", "f1", KEY, "10", OUTPUT_PROGRAM]);
        assert.equal((await inside(["bash", "-s"], { input, env })).code, 65);
    });
});

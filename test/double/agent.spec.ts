import assert from "node:assert/strict";

import { EXPLAIN_PROGRAM } from "../../provider/flux/programs";
import { TestAgent } from "./support/agent";
import { inside } from "./support/flux";
import { withSharedInstance } from "./support/instance";
import { callScript } from "./support/jobScript";

/** The words of a submission of a job with this nonce. */
const submission = (
    nonce: string,
    command: string,
    { guard = "refuse", hash = "k1", secrets = "", options = "" } = {},
) => [
    "submit",
    "solve",
    nonce,
    hash,
    guard,
    secrets,
    ...options.split(" ").filter(Boolean),
    "--",
    ...command.split(" "),
];

describe("The agent", function () {
    this.timeout(60_000);
    const instance = withSharedInstance({ size: 2, cores: "0-3" });
    let agent: TestAgent;
    let scripts: string;

    before(async () => {
        await instance().idle(2);
        scripts = instance().path("scripts");
        instance().write(
            "scripts/task.sh",
            'for word; do shift; set -- "$@" "${word//$\'{\\001\'/\\{}"; done; exec "$@"\n',
        );
    });

    beforeEach(async () => {
        agent = await TestAgent.start(instance(), { MINICLUSTER_SCRIPTS: scripts });
    });

    afterEach(async () => {
        if (agent.running.alive) {
            await agent.end();
        }
    });

    const shell = async (text: string) =>
        (await inside(["bash", "-c", text], { env: { FLUX_URI: instance().uri() } })).stdout;
    const jobsOf = async (nonce: string) => {
        const ids = (await shell("flux jobs -a --count=0 --no-header --format={id.f58plain}"))
            .split("\n")
            .filter(Boolean);
        const specs = await Promise.all(ids.map((id) => shell(`flux job info ${id} jobspec`)));
        return ids.filter((_id, index) => specs[index].includes(`"${nonce}"`));
    };

    it("submits a job once, and finds it by its nonce", async () => {
        const first = await agent.ask(...submission("m01", "echo hello"));
        assert.equal(first.code, 0, first.err);
        const again = await agent.ask(...submission("m01", "echo hello"));
        assert.deepEqual([again.code, again.out], [0, first.out]);
        assert.ok(!again.messages.some(({ ready }) => ready));
        assert.deepEqual(await jobsOf("m01"), [first.out]);
        const watched = await agent.ask("watch", first.out, "m01", "clean", "20");
        assert.match(watched.out, /"name":"finish"[^]*"name":"clean"/);
        const output = await agent.ask("output", first.out, "m01", "100");
        assert.deepEqual([output.code, output.shown["end"]], [0, "hello\n"]);
    });

    it("submits nothing if its connection ends before the last word", async () => {
        const id = agent.send(...submission("m02", "true"));
        await agent.running.says(new RegExp(`"id":${id},"ready"`));
        assert.equal(await agent.end(), 0);
        assert.deepEqual(await jobsOf("m02"), []);
    });

    it("submits nothing if the client doesn't want it any more", async () => {
        const id = agent.send(...submission("m03", "true", { secrets: "A=1" }));
        await agent.running.says(new RegExp(`"id":${id},"ready"`));
        agent.say({ id, stop: true });
        const after = await agent.ask(...submission("m04", "true"));
        assert.equal(after.code, 0);
        assert.deepEqual(await jobsOf("m03"), []);
        assert.equal(await shell(`ls ${instance().path("run")}/jobs | grep m03 || true`), "");
    });

    it("submits the job if its connection ends after the last word, and another agent sweeps it", async () => {
        const id = agent.send(...submission("m05", "sleep 1000"));
        await agent.running.says(new RegExp(`"id":${id},"ready"`));
        agent.say({ id, go: true });
        assert.equal(await agent.end(), 0);
        assert.equal((await jobsOf("m05")).length, 1);
        agent = await TestAgent.start(instance(), { MINICLUSTER_SCRIPTS: scripts });
        const [jobId] = await jobsOf("m05");
        await agent.ask("watch", jobId, "m05", "start", "20");
        assert.equal((await agent.ask("sweep", "m05", "solve", "refuse")).code, 66);
        assert.equal((await jobsOf("m05")).length, 1);
        assert.equal((await agent.ask("sweep", "m05", "solve", "allow")).code, 0);
        assert.deepEqual(await jobsOf("m05"), []);
        assert.equal((await agent.ask("sweep", "m05", "solve", "allow")).code, 0);
    });

    it("finds a job whose submission was killed before its id was noted", async () => {
        const { out } = await agent.ask(...submission("m06", "sleep 1000"));
        const forget = `import flux, flux.kvs, time; h = flux.Flux(); flux.kvs.put(h, KEY, {"name": "solve", "since": time.time() - 60}); flux.kvs.commit(h)`;
        const key =
            "import hashlib; d = hashlib.sha256(b'm06').hexdigest(); KEY = f'minicluster.{d[:2]}.{d[2:4]}.m06'; ";
        await shell(`flux python -c "${key}${forget.replaceAll('"', "'")}"`);
        const again = await agent.ask(...submission("m06", "sleep 1000"));
        assert.deepEqual([again.code, again.out], [0, out]);
        assert.equal((await agent.ask("remove", out, "m06", "30", "allow")).code, 0);
        assert.deepEqual(await jobsOf("m06"), []);
    });

    it("finds a job of an earlier release by its name", async () => {
        const id = (
            await shell(
                "flux submit --job-name=solve --setattr=user.minicluster.key=n07 --setattr=user.minicluster.hash=k1 sleep 1000",
            )
        )
            .trim()
            .replace("ƒ", "f");
        const found = await agent.ask(...submission("n07", "sleep 1000"));
        assert.deepEqual([found.code, found.out], [0, id]);
        assert.equal((await agent.ask("sweep", "n07", "solve", "allow")).code, 0);
        assert.deepEqual(await jobsOf("n07"), []);
    });

    it("removes a job with another content, unless it runs and may not be cancelled", async () => {
        const { out } = await agent.ask(...submission("m08", "sleep 1000"));
        await agent.ask("watch", out, "m08", "start", "20");
        const refused = await agent.ask(...submission("m08", "true", { hash: "k2" }));
        assert.deepEqual([refused.code, refused.out], [66, out]);
        const kept = await agent.ask("remove", out, "m08", "30", "refuse");
        assert.equal(kept.code, 66);
        assert.match(kept.out, /"name":"start"/);
        const other = await agent.ask(...submission("m08", "true", { hash: "k2", guard: "allow" }));
        assert.equal(other.code, 0, other.err);
        assert.deepEqual(await jobsOf("m08"), [other.out]);
    });

    it("reads, follows and removes a job whose memos and notes have all kinds of line breaks", async () => {
        const { out } = await agent.ask(...submission("m24", "sleep 1000"));
        await agent.ask("watch", out, "m24", "start", "20");
        const breaks = "a\u2028b\u2029c\u0085d\u000be\u000cf\u001cg\u001dh\u001ei\rj\nk";
        await shell(
            `flux job memo ${out} progress=$'50 ${breaks}'; flux job raise --severity=1 -m $'${breaks}' ${out}`,
        );
        await shell(`flux job wait-event --quiet ${out} exception`);
        const looked = await agent.ask("watch", out, "m24", "", "0");
        assert.equal(looked.code, 0, looked.err);
        const { context } = JSON.parse(looked.out.split("\n").findLast((line) => line.includes('"exception"'))!);
        assert.equal(context.note, breaks);
        const shown = await agent.ask("show", out, "m24", "0", "0", "0", "1");
        assert.deepEqual([shown.code, shown.shown["progress"]], [0, `50 ${breaks}`], shown.err);
        const explained = await callScript(instance(), ["explain", out, EXPLAIN_PROGRAM, "10"]);
        assert.deepEqual([explained.code, explained.stdout.includes('"progress"')], [0, true], explained.stderr);
        const removed = await agent.ask("remove", out, "m24", "30", "allow");
        assert.deepEqual([removed.code, await jobsOf("m24")], [0, []], removed.err);
    });

    it("keeps a job whose end can't be seen, or that Flux doesn't remove", async () => {
        const { out } = await agent.ask(...submission("m25", "sleep 1000"));
        const looks = `
def fail_after_first(self, jobid, nonce, then, look=Jobs.look, looks=[]):
    looks.append(jobid)
    then(None, "no memory") if len(looks) == 2 else look(self, jobid, nonce, then)
Jobs.look = fail_after_first
`;
        const purge = '\nignore = lambda future: OSError(22, "it is active")\n';
        for (const [jobs, why] of [
            [looks, "no memory"],
            [purge, "it is active"],
        ]) {
            const other = await TestAgent.start(instance(), { MINICLUSTER_SCRIPTS: scripts }, { faults: { jobs } });
            const { code, err } = await other.ask("remove", out, "m25", "30", "allow");
            assert.deepEqual([code, err], [1, why]);
            assert.equal(await other.end(), 0);
            assert.equal((await agent.ask("watch", out, "m25", "", "0")).code, why === "no memory" ? 0 : 64);
        }
    });

    it("says why Flux refuses a job", async () => {
        const refused = await agent.ask(...submission("m09", "true", { options: "--dependency=afterok:f2" }));
        assert.equal(refused.code, 1);
        assert.match(refused.err, /dependency: after/);
        const wrong = await agent.ask(...submission("m10", "true", { options: "--no-such-option", secrets: "A=1" }));
        assert.equal(wrong.code, 1);
        assert.match(wrong.err, /no-such-option/);
        await agent.ask(...submission("m10", "true", { options: "--dependency=afterok:f2", secrets: "A=1" }));
        assert.equal(await shell(`ls ${instance().path("run")}/jobs | grep m10 || true`), "");
    });

    it("says that it is busy while the lead has no memory or process for a submission", async () => {
        const faults = {
            submission: `
def no_process(*_, **__):
    subprocess.run = no_memory
    raise BlockingIOError(11, "no process")
def no_memory(*_, **__): return subprocess.CompletedProcess([], 1, b"", b"error: Cannot allocate memory")
subprocess.run = no_process
`,
        };
        const other = await TestAgent.start(instance(), { MINICLUSTER_SCRIPTS: scripts }, { faults });
        for (const why of [/no process/, /Cannot allocate memory/]) {
            const { code, err } = await other.ask(...submission("m17", "true"));
            assert.equal(code, 75);
            assert.match(err, why);
        }
        assert.equal(await other.end(), 0);
    });

    it("submits a job once if its id can't be noted, and if Flux' answer is lost", async () => {
        const faults = {
            index: `
def put_without_id(handle, nonce, entry, put=put):
    if "id" in entry: raise OSError(5, "not noted")
    put(handle, nonce, entry)
put = put_without_id
`,
            submission: `
def lose(*words, submit=flux.job.submit, **options):
    jobid = submit(*words, **options)
    if "m19" in words[1]: raise OSError(110, "lost")
    return jobid
flux.job.submit = lose
`,
        };
        const broken = await TestAgent.start(instance(), { MINICLUSTER_SCRIPTS: scripts }, { faults });
        const first = await broken.ask(...submission("m18", "sleep 1000"));
        assert.equal(first.code, 0, first.err);
        const lost = await broken.ask(...submission("m19", "sleep 1000"));
        assert.deepEqual([lost.code, lost.err], [1, "lost"]);
        assert.equal(await broken.end(), 0);
        // Flux' list of jobs is behind its job manager.
        const late = { index: `\nflux.job.job_list = lambda *_, **__: type("", (), {"get_jobs": lambda _: []})()\n` };
        const other = await TestAgent.start(instance(), { MINICLUSTER_SCRIPTS: scripts }, { faults: late });
        assert.equal((await other.ask(...submission("m18", "sleep 1000"))).out, first.out);
        assert.equal((await other.ask(...submission("m19", "sleep 1000"))).code, 0);
        for (const nonce of ["m18", "m19"]) {
            assert.equal((await jobsOf(nonce)).length, 1);
            assert.equal((await other.ask("sweep", nonce, "solve", "allow")).code, 0);
        }
        assert.equal(await other.end(), 0);
    });

    it("leaves the job of a later update alone", async () => {
        const earlier = await agent.ask(...submission("m20", "sleep 1000"));
        const later = await agent.ask(...submission("m20", "sleep 1001", { hash: "k2", guard: "allow" }));
        const id = agent.send(...submission("m20", "sleep 1000", { guard: "allow" }));
        await agent.running.says(new RegExp(`"id":${id},"ready"`));
        agent.say({ id, stop: true });
        assert.equal((await agent.ask("remove", earlier.out, "m20", "30", "allow")).code, 64);
        const again = await agent.ask(...submission("m20", "sleep 1001", { hash: "k2" }));
        assert.deepEqual([again.out, again.messages.length], [later.out, 1]);
        assert.equal((await agent.ask("sweep", "m20", "solve", "allow")).code, 0);
    });

    it("leaves a job alone whose follower ends", async () => {
        const { out } = await agent.ask(...submission("m23", "sh -c echo${IFS}begun;sleep${IFS}1000"));
        agent.send("follow", out, "m23", "0", "0", "0");
        await agent.running.says(/"stream":"stdout"/);
        assert.equal(await agent.end(), 0);
        agent = await TestAgent.start(instance(), { MINICLUSTER_SCRIPTS: scripts });
        const { out: events } = await agent.ask("watch", out, "m23", "", "0");
        assert.doesNotMatch(events, /"name":"(exception|finish)"/);
        assert.equal((await agent.ask("sweep", "m23", "solve", "allow")).code, 0);
    });

    it("knows no other job by its id", async () => {
        const { out } = await agent.ask(...submission("m11", "true"));
        for (const words of [
            ["watch", out, "mother", "clean", "5"],
            ["output", out, "mother", "10"],
            ["follow", out, "mother", "0", "0", "0"],
            ["remove", out, "mother", "5", "allow"],
            ["watch", "f2345", "m11", "clean", "5"],
        ]) {
            assert.equal((await agent.ask(...words)).code, 64, words.join(" "));
        }
    });

    it("tells the state at the end of a wait", async () => {
        const { out } = await agent.ask(...submission("m12", "sleep 1000"));
        await agent.ask("watch", out, "m12", "start", "20");
        const watched = await agent.ask("watch", out, "m12", "clean", "0.2");
        assert.doesNotMatch(watched.out, /"clean"/);
        await agent.ask("sweep", "m12", "solve", "allow");
    });

    it("follows many jobs at the same time, with one process", async () => {
        const ids = await Promise.all(
            Array.from({ length: 6 }, async (_, index) => {
                const nonce = `m13${index}`;
                const { out } = await agent.ask(...submission(nonce, `echo ${nonce}`));
                return agent.send("follow", out, nonce, "0", "0", "0");
            }),
        );
        const shown = await Promise.all(ids.map(async (id) => (await agent.answer(id)).shown["stdout"]));
        assert.deepEqual(shown, ["m130\n", "m131\n", "m132\n", "m133\n", "m134\n", "m135\n"]);
    });

    it("answers short questions between the parts of a long output", async () => {
        const faults = {
            outputs: "\nREADERS = 1\n",
            joboutput: "\nOutput.parts = lambda self, parts=Output.parts: 200 * parts(self)\n",
        };
        const { out } = await agent.ask(...submission("m21", "echo x"));
        await agent.ask("watch", out, "m21", "clean", "20");
        const other = await TestAgent.start(instance(), { MINICLUSTER_SCRIPTS: scripts }, { faults });
        const long = other.send("follow", out, "m21", "0", "0", "0");
        const short = await other.ask("output", out, "m21", "2");
        assert.deepEqual([short.code, short.shown["end"], other.seen(long).code], [0, "x\n", undefined]);
        assert.equal((await other.answer(long)).shown["stdout"], "x\n".repeat(200));
        assert.equal(await other.end(), 0);
    });

    it("leaves a place of a small lead to calls that end soon", async () => {
        // It has the first place.
        await agent.running.says(/"hello"/);
        const small = { faults: { places: "\nmemory_limit = lambda: 300 * 2**20\n" } };
        const other = await TestAgent.start(instance(), { MINICLUSTER_SCRIPTS: scripts }, small);
        const { out } = await other.ask(...submission("m22", "sleep 1000"));
        for (const words of [
            ["follow", out, "m22", "0", "0", "0"],
            ["watch", out, "m22", "clean", "20"],
        ]) {
            const { code, err } = await other.ask(...words);
            assert.deepEqual([code, err.slice(0, 25)], [75, "2 programs of minicluster"]);
        }
        assert.equal((await other.ask("watch", out, "m22", "", "0")).code, 0);
        const third = await TestAgent.start(instance(), { MINICLUSTER_SCRIPTS: scripts }, small);
        assert.equal((await third.running.ended).code, 75);
        await agent.end();
        const followed = other.send("follow", out, "m22", "0", "0", "0");
        await shell(`flux cancel ${out}`);
        assert.equal((await other.answer(followed)).code, 0);
        assert.equal(await other.end(), 0);
    });

    it("takes no module of the folder in which jobs run", async () => {
        for (const module of ["flux", "queue", "joboutput"]) {
            instance().write(`work/${module}.py`, "raise SystemExit(3)\n");
        }
        const folder = instance().path("work");
        const other = await TestAgent.start(instance(), { MINICLUSTER_SCRIPTS: scripts }, { folder });
        const { out } = await other.ask(...submission("m14", "pwd"));
        const shown = await other.answer(other.send("follow", out, "m14", "0", "0", "0"));
        assert.equal(shown.shown["stdout"], `${folder}\n`);
        assert.equal(await other.end(), 0);
    });

    it("answers a request that fails in an unknown way, and all others as before", async () => {
        const faults = {
            index: "\ndef remove(*_): raise RuntimeError(7)\ndef find(*_): raise KeyError(8)\n",
            joboutput: "\ndef end_of(*_): raise ValueError(9)\n",
        };
        const { out } = await agent.ask(...submission("m15", "sleep 1000"));
        const other = await TestAgent.start(instance(), { MINICLUSTER_SCRIPTS: scripts }, { faults });
        for (const [words, why] of [
            [["watch", "?", "m15", "clean", "5"], /Error: /],
            [["watch", out], /ValueError: /],
            [["mow"], /KeyError: 'mow'/],
            [["output", out, "m15", "10"], /ValueError: 9/],
            [submission("m16", "true"), /KeyError: 8/],
            [["sweep", "m15", "solve", "allow"], /KeyError: 8/],
            [["remove", out, "m15", "30", "allow"], /RuntimeError: 7/],
        ] as const) {
            const { code, err } = await other.ask(...words);
            assert.equal(code, 1, words.join(" "));
            assert.match(err, why);
        }
        assert.equal((await other.ask("watch", out, "m15", "", "0")).code, 64);
        assert.equal(await other.end(), 0);
    });

    it("runs all its threads before it says that it runs", async () => {
        const faults = {
            connection:
                "\nclass Full(threading.Thread):\n  def start(self): raise RuntimeError(7)\nthreading.Thread = Full\n",
        };
        const other = await TestAgent.start(instance(), {}, { faults });
        const { code, stderr, stdout } = await other.running.ended;
        assert.deepEqual([code, stdout], [75, ""]);
        assert.match(stderr, /the lead has no place for the threads/);
    });

    it("has a time limit before it asks the broker, which may hang", async () => {
        const connection = "\nimport signal\nflux.Flux = lambda: os._exit(50 + (0 < signal.alarm(0) <= 60))\n";
        const other = await TestAgent.start(instance(), {}, { faults: { connection } });
        assert.equal((await other.running.ended).code, 51);
    });

    it("tells a missing module from one that can't be loaded at the moment", async () => {
        const ends = [
            ['ModuleNotFoundError("flux")', 78, /the image's Flux has no Python bindings.*\(flux\)/],
            ['ImportError("libflux.so: failed to map segment")', 1, /failed to map segment/],
        ] as const;
        for (const [error, code, why] of ends) {
            const faults = { connection: `\nraise ${error}\n` };
            const other = await TestAgent.start(instance(), {}, { faults });
            const ended = await other.running.ended;
            assert.equal(ended.code, code);
            assert.match(ended.stderr, why);
        }
    });

    it("ends when the broker doesn't answer", async () => {
        const other = await TestAgent.start(instance(), { FLUX_URI: "local:///no/such/socket" });
        const { code, stderr } = await other.running.ended;
        assert.deepEqual([code, stderr.trim().split("\n").at(-1)], [65, "the lead's broker does not answer"]);
    });
});

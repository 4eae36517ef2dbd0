import assert from "node:assert/strict";

import { pack } from "../../provider/code/pack";
import { archiveName, type JobCode } from "../../provider/contract/code/code";
import { jobResultsDir } from "../../provider/contract/paths";
import { keepCall } from "../../provider/results/jobResults";
import { toldIn } from "../../provider/results/list";
import { NO_CODE } from "../../provider/flux/protocol";
import { ARRAY_PROGRAM, PUT_CODE_PROGRAM } from "../../provider/flux/programs";
import { submitArrayCall, submitCall } from "../../provider/flux/script";
import type { FluxSubmissionInputs } from "../../provider/fluxSubmission/properties";
import { codeOfJob, useFolders } from "../unit/support/folder";
import { makeSubmission } from "../unit/support/submissions";
import { TestAgent } from "./support/agent";
import { type Ended, inside, type Running } from "./support/flux";
import { type Instance, withInstance, withSharedInstance } from "./support/instance";
import { isStandin } from "./support/root";
import { callScript, startScript } from "./support/jobScript";

/** task.sh removes the marks of braces. */
const TASK = "marked=$'{\\001'; exec \"${@//$marked/{}\"\n";

describe("The code of FluxJobs in an instance of two brokers", function () {
    this.timeout(120_000);
    const instance = withSharedInstance({ size: 2, cores: "0-1" });
    const folder = useFolders();
    let agent: TestAgent;
    let made = 0;

    before(async () => {
        await instance().idle(2);
        instance().write("scripts/task.sh", TASK);
    });

    beforeEach(async () => {
        agent = await TestAgent.start(instance(), env());
    });

    afterEach(() => agent.end());

    const env = () => environment(instance());
    const jobOf = (code: JobCode, more: Partial<FluxSubmissionInputs> = {}) =>
        makeSubmission({ nonce: `m${++made}`, command: ["./run"], code, ...more });
    const codeWith = (text: string) =>
        codeOfJob(
            folder({ run: { script: `#!/bin/sh\n. ./a/words\necho ${text} $WORD\n` }, "a/words": "WORD=hello\n" }),
        );
    const submit = (job: FluxSubmissionInputs) => agent.ask(...submitCall(job));
    const remove = ({ nonce }: FluxSubmissionInputs, id: string) => agent.ask("remove", id, nonce, "60", "allow");

    const put = (code: JobCode, sent?: Sent) => send(instance(), code, sent);
    const exists = async (code: JobCode) =>
        (await instance().flux("archive", "list", "-n", archiveName(code))).code === 0;

    /** What an upload has left on the lead's disk. */
    async function leftovers(): Promise<string> {
        const { stdout } = await instance().flux("getattr", "statedir");
        return (await inside(["find", stdout.trim(), "-name", "minicluster-code*"])).stdout;
    }

    async function outputOf({ nonce }: FluxSubmissionInputs, id: string): Promise<string> {
        const watched = await agent.ask("watch", id, nonce, "clean", "60");
        assert.match(watched.out, /"name":"clean"/);
        return (await agent.ask("output", id, nonce, "1000")).shown["end"];
    }

    it("is asked for before a job is submitted, and then the job starts in the files on each rank", async () => {
        const code = codeWith("here");
        const job = jobOf(code, { nodes: 2 });
        const { code: exit } = await submit(job);
        assert.equal(exit, NO_CODE);
        assert.deepEqual(await put(code), { code: 0, stdout: "", stderr: "" });
        const { out: id } = await submit(job);
        assert.equal(await outputOf(job, id), "here hello\nhere hello\n");
        assert.equal(await leftovers(), "");
        await remove(job, id);
    });

    it("gives a job its small files as they are, also with NULs", async () => {
        const files = { zip: `PK\x05\x06${"\0".repeat(18)}`, list: "a\0é\0", end: "\0", text: "é\n" };
        const command = ["sh", "-c", "head -c 1000 end list text zip | od -An -c"];
        const job = jobOf(codeOfJob(folder(files)), { command });
        await submit(job);
        await put(job.code!);
        const { out: id } = await submit(job);
        const { stdout } = await inside(["od", "-An", "-c"], {
            input: ["end", "list", "text", "zip"]
                .map((name) => `==> ${name} <==\n${files[name as keyof typeof files]}`)
                .join("\n"),
        });
        assert.equal(await outputOf(job, id), stdout);
        await remove(job, id);
    });

    it("leaves a job in its working directory, if the job has one", async () => {
        const code = codeWith("there");
        const job = jobOf(code, { workingDirectory: "/tmp", command: ["sh", "-c", "pwd; cd $FLUX_JOB_TMPDIR; ./run"] });
        await submit(job);
        await put(code);
        const { out: id } = await submit(job);
        assert.equal(await outputOf(job, id), "/tmp\nthere hello\n");
        await remove(job, id);
    });

    it("is copied to a folder that stays, for a job with results", async () => {
        const code = codeWith("kept");
        const keeps = { paths: ["*.txt"], limit: 1, onFailure: false, ofAllRanks: false, inFolder: true };
        const command = ["sh", "-c", "./run; pwd; echo $FLUX_TASK_RANK >of-$FLUX_TASK_RANK.txt"];
        const job = jobOf(code, { tasks: 2, keeps, command });
        await submit(job);
        await put(code);
        const { out: id } = await submit(job);
        const key = { nonce: job.nonce, jobId: id };
        const work = `${jobResultsDir(key)}/work`;
        assert.equal((await outputOf(job, id)).replaceAll("kept hello\n", ""), `${work}\n${work}\n`);
        const { stderr } = await callScript(instance(), keepCall({ ...key, exitCode: 0 }, keeps, ""), {
            ...env(),
            JOB_COMPLETION_INDEX: "0",
        });
        const { files, reasons } = toldIn(stderr)!;
        assert.deepEqual([files.map(({ path }) => path), reasons], [["of-0.txt", "of-1.txt"], []]);
        await remove(job, id);
        await inside(["rm", "-r", jobResultsDir(key)]);
    });

    it("is one archive for all jobs with equal files, until the last of them is removed", async () => {
        const [first, second] = [jobOf(codeWith("equal")), jobOf(codeWith("equal"))];
        assert.equal((await submit(first)).code, NO_CODE);
        await put(first.code!);
        const ids = [(await submit(first)).out, (await submit(second)).out];
        assert.ok(await exists(first.code!));
        await remove(first, ids[0]);
        assert.ok(await exists(first.code!));
        assert.equal(await outputOf(second, ids[1]), "equal hello\n");
        await remove(second, ids[1]);
        assert.ok(!(await exists(first.code!)));
    });

    it("is kept for a job that is submitted while the only other job with it is removed", async () => {
        const [first, second] = [jobOf(codeWith("kept")), jobOf(codeWith("kept"))];
        await submit(first);
        // The second job waits for the code too, when the first one goes.
        await submit(second);
        await put(first.code!);
        await remove(first, (await submit(first)).out);
        const { code: exit, out: id } = await submit(second);
        assert.equal(exit, 0);
        assert.equal(await outputOf(second, id), "kept hello\n");
        await remove(second, id);
    });

    it("is removed with a job that was never submitted, by its ticket", async () => {
        const job = jobOf(codeWith("swept"));
        await submit(job);
        await put(job.code!);
        assert.ok(await exists(job.code!));
        assert.equal((await agent.ask("sweep", job.nonce, job.jobName, "allow")).code, 0);
        assert.ok(!(await exists(job.code!)));
    });

    it("isn't kept if its job was removed while it was sent", async () => {
        const job = jobOf(codeWith("late"));
        await submit(job);
        await agent.ask("sweep", job.nonce, job.jobName, "allow");
        assert.equal((await put(job.code!)).code, 0);
        assert.ok(!(await exists(job.code!)));
    });

    it("gives way to another one, if an interrupted update had sent it for the same FluxJob", async () => {
        const job = jobOf(codeWith("old"));
        await submit(job);
        await put(job.code!);
        const edited = { ...job, code: codeWith("new") };
        assert.equal((await submit(edited)).code, NO_CODE);
        assert.ok(!(await exists(job.code!)));
        await put(edited.code);
        const { out: id } = await submit(edited);
        assert.equal(await outputOf(edited, id), "new hello\n");
        await remove(edited, id);
    });

    it("is sent twice at the same time without harm", async () => {
        const code = codeWith("twice");
        const job = jobOf(code);
        await submit(job);
        const done = await Promise.all([put(code), put(code)]);
        assert.deepEqual(
            done.map(({ code: exit, stderr }) => [exit, stderr]),
            [
                [0, ""],
                [0, ""],
            ],
        );
        const { out: id } = await submit(job);
        assert.equal(await outputOf(job, id), "twice hello\n");
        await remove(job, id);
    });

    it("is no archive if its connection ends early or its files are others, and leaves nothing on the disk", async () => {
        const code = codeWith("cut");
        for (const most of [0, 1, 100]) {
            const { code: exit, stderr } = await put(code, { most });
            assert.deepEqual([exit, /its files have not arrived/.test(stderr)], [1, true], stderr);
        }
        const other = await put(code, { hash: "0".repeat(64) });
        assert.equal(other.code, 1);
        assert.match(other.stderr, /its files have arrived with the SHA-256 [0-9a-f]{64}/);
        assert.ok(!(await exists(code)));
        assert.equal(await leftovers(), "");
    });

    it("doesn't wait for another code whose connection stalls", async () => {
        const [stalled, code] = [codeWith("stalled"), codeWith("behind")];
        const first = await startPut(instance(), stalled, { most: 100 });
        const job = jobOf(code);
        await submit(job);
        assert.deepEqual(await put(code), { code: 0, stdout: "", stderr: "" });
        assert.ok(first.alive);
        first.endInput();
        assert.match((await first.ended).stderr, /its files have not arrived/);
        await remove(job, (await submit(job)).out);
    });

    it("keeps the next call waiting while Flux reads its files, also if its own call is killed", async function () {
        if (!isStandin) {
            // Its `flux` puts its own folder first in PATH, so no other `flux` can take the place of its commands.
            this.skip();
        }
        const killing = 'if [ "$1 $2" = "archive create" ]; then kill -KILL "$PPID"; read -r line <"$0.gate"; fi';
        instance().write("bin/flux", `#!/bin/sh\n${killing}\nexec "$REAL" "$@"\n`, 0o755);
        const path = instance().path("bin");
        await inside(["mkfifo", `${path}/flux.gate`]);
        const code = codeWith("locked");
        const job = jobOf(code);
        await submit(job);
        // As in a container, the processes of the call outlive it.
        const around = `export REAL=$(command -v flux); PATH=${path}:$PATH bash -s; echo over; exec sleep inf`;
        const killed = await startPut(instance(), code, { command: ["bash", "-c", around] });
        await killed.says(/^over$/m);
        const lock = await inside(["flock", "--nonblock", instance().path("run/jobs/put_code.lock"), "true"]);
        assert.equal(lock.code, 1);
        await inside(["sh", "-c", `echo >${path}/flux.gate`]);
        assert.equal((await put(code)).code, 0);
        killed.kill("SIGKILL");
        const { out: id } = await submit(job);
        assert.equal(await outputOf(job, id), "locked hello\n");
        await remove(job, id);
    });

    it("removes what a killed call has left", async () => {
        const { stdout } = await instance().flux("getattr", "statedir");
        await inside(["mkdir", "-p", `${stdout.trim()}/minicluster-code/left`]);
        await put(codeWith("clean"));
        assert.equal(await leftovers(), "");
    });

    it("is that of all elements of an array, and goes with the array", async () => {
        const job = jobOf(codeWith("element"), { array: { count: 3 }, secretEnvironment: { TOKEN: "t" } });
        const request = { name: job.jobName, key: job.nonce, count: 3, listed: 100, failures: 10, refuse: false };
        const hash = submitCall(job)[3];
        const wanted = { hash, indexes: "0-2", rerun: false, begun: false, values: null, urgency: 16 };
        const words = submitArrayCall(ARRAY_PROGRAM, { ...request, call: "submit", ...wanted }, job);
        const call = async (...sent: string[]) => {
            const { code: exit, stderr, stdout } = await callScript(instance(), sent, env());
            assert.equal(exit, 0, stderr);
            return JSON.parse(stdout.trim().split("\n").at(-1)!);
        };
        const keepsSecrets = async () =>
            (await inside(["test", "-e", instance().path(`run/jobs/${job.nonce}.env`)])).code === 0;
        assert.equal((await call(...words)).lacksCode, true);
        assert.ok(!(await keepsSecrets()), "no element is there that would read them");
        await put(job.code!);
        const { found, jobIds } = await call(...words);
        assert.equal(found, 3);
        assert.ok(await keepsSecrets());
        for (const id of jobIds) {
            // The end of a job with the ticket's nonce removes its secrets, which the other elements may not have read yet.
            assert.equal(await outputOf({ ...job, nonce: "" }, id), "element hello\n");
        }
        const removal = JSON.stringify({ ...request, call: "remove" });
        assert.equal((await call("remove_array", ARRAY_PROGRAM, removal, job.nonce)).left, 0);
        assert.ok(!(await exists(job.code!)));
    });
});

describe("A FluxJob with code in a queue that is restored from a dump", function () {
    this.timeout(120_000);
    const instance = withInstance({ size: 1 });
    const folder = useFolders();

    async function lead(...options: string[]): Promise<Running> {
        const broker = await instance().broker(0, [...options, "bash", "-c", "echo started; sleep 10000"]);
        await broker.says(/^started$/m);
        return broker;
    }

    it("starts in its files, which go with it at last", async () => {
        instance().write("scripts/task.sh", TASK);
        const code = codeOfJob(folder({ run: { script: "#!/bin/sh\nwc -c <large\n" }, large: "large\n".repeat(1000) }));
        const job = makeSubmission({ nonce: "m1", command: ["./run"], code, urgency: 0 });
        const first = await lead();
        const agent = await TestAgent.start(instance(), environment(instance()));
        await agent.ask(...submitCall(job));
        await send(instance(), code);
        const { out: id } = await agent.ask(...submitCall(job));
        await agent.end();
        await instance().flux("dump", "--quiet", instance().path("dump.tgz"));
        first.kill("SIGKILL");
        await first.ended;
        await lead(`-Scontent.restore=${instance().path("dump.tgz")}`);
        await instance().flux("job", "urgency", id, "16");
        const next = await TestAgent.start(instance(), environment(instance()));
        await next.ask("watch", id, job.nonce, "clean", "60");
        assert.equal((await next.ask("output", id, job.nonce, "1000")).shown["end"], "6000\n");
        await next.ask("remove", id, job.nonce, "60", "allow");
        assert.equal((await instance().flux("archive", "list", "-n", archiveName(code))).code, 1);
        await next.end();
    });
});

function environment(instance: Instance): Readonly<Record<string, string>> {
    return { MINICLUSTER_SCRIPTS: instance.path("scripts"), MINICLUSTER_EXCLUSIVE: "true" };
}

/** What a call sends: all or so many of the packed bytes of a code. `command` takes it, by default bash. */
interface Sent {
    readonly most?: number;
    readonly hash?: string;
    readonly command?: readonly string[];
}

async function startPut(instance: Instance, code: JobCode, sent: Sent): Promise<Running> {
    const { command, hash = code.hash, most } = sent;
    const packed = await pack(code);
    const words = ["put_code", PUT_CODE_PROGRAM, archiveName(code), hash, String(packed.length)];
    const running = await startScript(instance, words, environment(instance), command);
    running.write(packed.subarray(0, most));
    return running;
}

/** Sends a code. Not all of its bytes: then the end of the connection. */
async function send(instance: Instance, code: JobCode, sent: Sent = {}): Promise<Ended> {
    const running = await startPut(instance, code, sent);
    if (sent.most !== undefined) {
        running.endInput();
    }
    return running.ended;
}

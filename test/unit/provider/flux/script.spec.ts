import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { linkSync, symlinkSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { scriptWith, submitCall } from "../../../../provider/flux/script";
import { quote } from "../../../../provider/contract/paths";
import { codeOfJob, useFolders } from "../../support/folder";
import { BASH, Sandbox } from "../../support/sandbox";
import { unpackWanted } from "../../../../provider/contract/results";
import { makeSubmission } from "../../support/submissions";

describe("quote", () => {
    for (const word of ["plain", "it's", "$HOME `id` \\", "", "a\nb", "'", "ünï\t*"]) {
        it(`passes ${JSON.stringify(word)} unchanged to bash`, () => {
            assert.equal(execFileSync("bash", ["-c", `printf %s ${quote(word)}`], { encoding: "utf8" }), word);
        });
    }
});

/** The hash that a new job gets. */
const hashOf = (call: readonly string[]) => call[3].split(" ")[0];

describe("submitCall", () => {
    const folder = useFolders();

    it("passes Flux only the given arguments", () => {
        const [, , , , guard, secrets, ...words] = submitCall(makeSubmission());
        assert.deepEqual([guard, secrets, words], ["refuse", "", ["--", "hostname"]]);
    });

    it("has an option for each argument, with a unit, as Flux takes a bare number for minutes", () => {
        const given = { nodes: 2, tasks: 4, coresPerTask: 3, gpusPerTask: 1, timeLimit: 90, workingDirectory: "/data" };
        assert.deepEqual(submitCall(makeSubmission(given)).slice(6, -2), [
            "--nodes=2",
            "--ntasks=4",
            "--cores-per-task=3",
            "--gpus-per-task=1",
            "--time-limit=90s",
            "--cwd=/data",
        ]);
    });

    it("names the archive of the code to Flux and to the agent, and starts in its files without a working directory", () => {
        const code = codeOfJob(folder({ a: "" }));
        const named = [
            `--setopt=stage-in.names=minicluster-code-${code.hash}`,
            `--setattr=user.minicluster.code=minicluster-code-${code.hash}`,
        ];
        assert.deepEqual(submitCall(makeSubmission({ code, environment: { A: "1" } })).slice(6), [
            ...named,
            "--",
            ...["bash", "-c", 'cd "$FLUX_JOB_TMPDIR" && exec "$@"', "bash"],
            ...["env", "A=1", "hostname"],
        ]);
        assert.deepEqual(submitCall(makeSubmission({ code, workingDirectory: "/data" })).slice(6), [
            "--cwd=/data",
            ...named,
            "--",
            "hostname",
        ]);
    });

    it("makes Flux wait for the jobs of after that haven't ended as required", () => {
        const after = [
            { jobId: "f1" },
            { jobId: "f2", end: "any", phase: "pending" },
            { jobId: "f3", phase: "succeeded" },
            { jobId: "f4", end: "any", phase: "failed" },
            { jobId: "f5", end: "ok", phase: "failed" },
        ] as const;
        assert.deepEqual(submitCall(makeSubmission({ after })).slice(6, -2), [
            "--dependency=afterok:f1",
            "--dependency=afterany:f2",
            "--dependency=afterok:f5",
        ]);
    });

    it("is the same job whatever the phase of the jobs before it", () => {
        const hash = (overrides: object) => submitCall(makeSubmission(overrides))[3];
        assert.equal(
            hash({ after: [{ jobId: "f1", phase: "pending" }] }),
            hash({ after: [{ jobId: "f1", end: "ok", phase: "succeeded" }] }),
        );
        assert.notEqual(hash({ after: [{ jobId: "f1" }] }), hash({ after: [{ jobId: "f2" }] }));
        assert.equal(hash({ after: [] }), hash({}));
        for (const [phase, jobIds] of [
            ["succeeded", []],
            ["pending", ["f1"]],
        ] as const) {
            assert.equal(hash({ after: [{ jobId: "f1", jobIds, phase }] }), hash({ after: [{ jobId: "f1" }] }));
        }
    });

    it("sets plain variables before the command, and passes secret ones separately", () => {
        const call = submitCall(
            makeSubmission({ environment: { B: "2", A: "a b" }, secretEnvironment: { S: "it's\n\\n" } }),
        );
        assert.deepEqual(call.slice(-4), ["env", "A=a b", "B=2", "hostname"]);
        assert.equal(call[5], "S=it's\\n\\\\n");
    });

    it("puts the rendezvous before the variables and the command", () => {
        const [, , , , , , separator, ...words] = submitCall(
            makeSubmission({ rendezvous: "29500", environment: { A: "1" } }),
        );
        assert.equal(separator, "--");
        assert.deepEqual(
            [words[0], words[1], ...words.slice(3)],
            ["bash", "-c", "bash", "29500", "env", "A=1", "hostname"],
        );
        assert.match(words[2], /^set -uo pipefail\n[^]*exec "\$@"\n$/);
    });

    it("names its results in the jobspec, but is the same job without them", () => {
        const keeps = { paths: ["{{a}}"], limit: 1, onFailure: false, ofAllRanks: false, inFolder: false };
        const call = submitCall(makeSubmission({ keeps }));
        const [text = ""] = call.flatMap((word) => word.split("--setattr=user.minicluster.results=")[1] ?? []);
        assert.deepEqual(unpackWanted(text), keeps);
        assert.equal(hashOf(call), hashOf(submitCall(makeSubmission())));
    });

    it("has the same hash for the same job and another one for another job, whatever the other settings", () => {
        const hash = (overrides: object) => submitCall(makeSubmission(overrides))[3];
        assert.equal(hash({}), hash({ wait: false, maxBytes: 1, environment: {}, triggers: [] }));
        const others = [
            { command: ["id"] },
            { nodes: 2 },
            { secretEnvironment: { A: "1" } },
            { triggers: [1] },
            { rendezvous: "any" },
            { code: codeOfJob(folder({ a: "" })) },
        ];
        assert.equal(new Set([hash({}), ...others.map(hash)]).size, others.length + 1);
    });

    it("has a hash whose key isn't sent to Flux, and which doesn't depend on the nonce or the name", () => {
        const hash = (overrides: object) => hashOf(submitCall(makeSubmission({ triggers: ["pin"], ...overrides })));
        assert.match(hash({}), /^k[0-9a-f]{32}$/);
        assert.notEqual(hash({}), hash({ key: "another" }));
        assert.equal(hash({}), hash({ jobName: "renamed", nonce: "n1" }));
        assert.ok(!submitCall(makeSubmission({ key: "hush" })).some((word) => word.includes("hush")));
    });
});

describe("job.sh", () => {
    let pod: Sandbox;

    beforeEach(() => {
        pod = new Sandbox();
        // The agent makes the folder.
        pod.write("run/flux/jobs/nonce-00.lock", "");
    });

    afterEach(() => pod.remove());

    /** Runs the script on a lead whose `flux` is this piece of bash. */
    function run(call: readonly string[], stub: string, shell: readonly string[] = [BASH], variables: object = {}) {
        const options = {
            input: scriptWith(call),
            encoding: "utf8",
            env: { ...pod.variables, ...variables, FLUX_STUB: stub },
        } as const;
        const [program, ...words] = shell;
        try {
            return { code: 0, stdout: execFileSync(program, [...words, "-s"], { ...options, stdio: "pipe" }) };
        } catch (error) {
            const { status, stderr, stdout } = error as { status: number; stderr: string; stdout: string };
            return { code: status, stderr, stdout };
        }
    }

    /** The call that makes the jobspec of a submission. */
    const templateOf = (words: readonly string[]) => ["template", ...words.slice(1, 4), ...words.slice(5)];
    const submitted = () => pod.calls.filter(([, command]) => command === "submit");
    const call = templateOf(
        submitCall(makeSubmission({ command: ["echo", "{{id}}", "a b"], secretEnvironment: { S: "hush" } })),
    );
    it("makes the jobspec of a job, with its words unchanged and without secrets in them", () => {
        assert.deepEqual(run(call, "case $1 in submit) echo {};; esac"), { code: 0, stdout: "{}\n" });
        const [words] = submitted();
        assert.equal(words[2], "--dry-run");
        assert.ok(words.includes("--setattr=user.minicluster.key=n0123456789abcdef"));
        assert.deepEqual(words.slice(-3), ["echo", "{\u0001{\u0001id}}", "a b"]);
        assert.doesNotMatch(words.join(" "), /hush/);
        assert.equal(pod.read("run/flux/jobs/n0123456789abcdef.env"), "S=hush\n");
    });

    it("replaces the secrets in one step, because tasks of earlier elements may read them", () => {
        pod.write("run/flux/jobs/n0123456789abcdef.env", "S=hush\n");
        linkSync(pod.path("run/flux/jobs/n0123456789abcdef.env"), pod.path("opened"));
        run(
            templateOf(submitCall(makeSubmission({ secretEnvironment: { S: "other" } }))),
            "case $1 in submit) echo f1;; esac",
        );
        assert.equal(pod.read("opened"), "S=hush\n");
        assert.equal(pod.read("run/flux/jobs/n0123456789abcdef.env"), "S=other\n");
    });

    it("makes no jobspec, and keeps the secrets of tasks that wait, if the disk is full", () => {
        pod.write("run/flux/jobs/n0123456789abcdef.env", "S=hush\n");
        symlinkSync("/dev/full", pod.path("run/flux/jobs/n0123456789abcdef.env.new"));
        const { code, stderr } = run(call, "case $1 in submit) echo f1;; esac");
        assert.equal(code, 1);
        assert.match(stderr ?? "", /No space left on device/);
        assert.deepEqual(submitted(), []);
        assert.equal(pod.read("run/flux/jobs/n0123456789abcdef.env"), "S=hush\n");
    });

    it("finds the Flux of a view", () => {
        const brought = pod.read("bin/flux");
        pod.write("view/bin/flux", brought, 0o755);
        const variables = { PATH: "/usr/bin:/bin", MINICLUSTER_VIEW: pod.path("view") };
        assert.equal(run(call, "case $1 in submit) echo f1;; esac", [BASH], variables).stdout, "f1\n");
        assert.equal(submitted().length, 1);
    });

    it("runs programs in a folder without modules of the user", () => {
        const python = (command: string) => `case "$1 $2" in "python -c") ${command};; esac`;
        const asked = run(["ask", "PROGRAM"], python("pwd; ls -a"));
        assert.match(asked.stdout, /run\/flux\/jobs\n\.\n\.\.\nnonce-00\.lock\n$/);
        const array = run(["run_array", "PROGRAM", "{}"], python("pwd"));
        assert.match(array.stdout, /run\/flux\/jobs\n$/);
    });

    it("exits with 65 if the broker doesn't answer", () => {
        assert.equal(run(["ask", "PROGRAM"], "exit 1").code, 65);
        assert.equal(run(["ask", "PROGRAM"], "case $1 in python) exit 1;; esac").code, 1);
    });

    it("changes no variable of the container that a job gets", () => {
        const script = readFileSync(join(__dirname, "../../../../provider/flux/job.sh"), "utf8");
        const code = script.replace(/^ *#.*$/gm, "");
        const declared = [...code.matchAll(/\b(?:local|readonly|read)(?: -\w+)? ([^;<\n]*)/g)].flatMap(([, words]) =>
            [...words.matchAll(/(?:^| )(\w+)/g)].map(([, name]) => name),
        );
        const assigned = [...code.matchAll(/(?:^|[\s;(])(?:for )?([A-Za-z_]\w*)(?:=|\+=| in )/gm)].map(
            ([, name]) => name,
        );
        const names = [...declared, ...assigned].filter((name) => name !== "exit");
        assert.ok(names.length > 20);
        assert.deepEqual(
            names.filter((name) => !/^(mc_|MC_|MINICLUSTER_|PATH$)/.test(name)),
            [],
        );
    });

    it("keeps a secret variable whatever its name and value are", () => {
        const odd = "\n$(echo four) 'it' \\n\\c \\\\ \u0001\n\n";
        const secretEnvironment = { text: "one", mc_text: "two", mc_line: "three", words: odd };
        const command = ["sh", "-c", 'printf "%s" "$text $mc_text $mc_line $words $1 $other"', "sh", "a b"];
        run(
            templateOf(submitCall(makeSubmission({ command, secretEnvironment }))),
            "case $1 in submit) echo f1;; esac",
        );
        const [sent] = submitted();
        const task = sent.slice(sent.indexOf("--") + 3).map((word) => word.replaceAll("\u0001", ""));
        const env = { ...pod.variables, FLUX_JOB_SIZE: "1", other: "four", FLUX_STUB: 'shift 4; "$@"' };
        const [program, ...words] = task;
        assert.equal(execFileSync(program, words, { encoding: "utf8", env }), `one two three ${odd} a b four`);
    });

    it("runs no task whose secrets a full disk has cut off", () => {
        run(call, "case $1 in submit) echo f1;; esac");
        const [sent] = submitted();
        pod.write("run/flux/jobs/n0123456789abcdef.env", "");
        const [program, ...words] = sent.slice(sent.indexOf("--") + 3).map((word) => word.replaceAll("\u0001", ""));
        const env = { ...pod.variables, FLUX_JOB_SIZE: "1", FLUX_STUB: 'shift 4; "$@"' };
        const { status, stdout } = spawnSync(program, words, { encoding: "utf8", env });
        assert.deepEqual([status, stdout], [1, ""]);
    });
});

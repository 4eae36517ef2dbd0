import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";

import type { PlainArgs } from "../../../../components/args";
import { Sandbox } from "../../support/sandbox";

describe("environment.sh", () => {
    let pod: Sandbox;

    afterEach(() => pod.remove());

    async function start(
        args: Partial<PlainArgs>,
        rank: number,
        secretNames: string[],
        variables: Record<string, string> = {},
    ) {
        pod = new Sandbox(args, rank, secretNames);
        pod.write("etc/flux-minicluster/supervise.sh", "");
        const { code, stderr } = await pod.run("start", ["x"], variables);
        assert.deepEqual([code, stderr], [0, ""]);
    }
    const lua = () => pod.read("run/flux/shell/rank.lua");

    it("gives the variables of its rank to all tasks there, and secret ones if the job has no value of its own", async () => {
        await start({}, 2, ["TOKEN", "UNSET"], { TOKEN: "hush", NVIDIA_VISIBLE_DEVICES: "GPU-5" });
        assert.deepEqual(lua().trimEnd().split("\n"), [
            'shell.setenv ("HOSTNAME", "lammps-2", 1)',
            'shell.setenv ("JOB_COMPLETION_INDEX", "2", 1)',
            'shell.setenv ("NVIDIA_VISIBLE_DEVICES", "GPU-5", 1)',
            'shell.setenv ("TOKEN", "hush", 0)',
        ]);
    });

    it("gives a field of the pod to all tasks there, also if the job has another rank's value", async () => {
        const env = [{ name: "POD_IP", valueFrom: { fieldRef: { fieldPath: "status.podIP" } } }];
        await start({ podTemplate: { spec: { containers: [{ name: "flux", env }] } } }, 2, [], { POD_IP: "10.0.0.2" });
        assert.ok(lua().includes('shell.setenv ("POD_IP", "10.0.0.2", 1)\n'), lua());
        assert.match(pod.read("run/flux/commands/own"), /^set_to POD_IP '10\.0\.0\.2'$/m);
        assert.match(pod.read("run/flux/commands/unset.sh"), /^unset POD_IP$/m);
    });

    const texts: [string, string][] = [
        ["", '""'],
        ["two\nlines\r\n", '"two\\nlines\\r\\n"'],
        ['"quoted" \\n \\', '"\\"quoted\\" \\\\n \\\\"'],
        ["'$HOME' `id` * [x] %d & ü\t", "\"'$HOME' `id` * [x] %d & ü\t\""],
    ];
    for (const [value, expected] of texts) {
        it(`writes ${JSON.stringify(value)} for Lua`, async () => {
            await start({}, 0, ["TOKEN"], { TOKEN: value });
            assert.equal(lua().split('"TOKEN", ')[1], `${expected}, 0)\n`);
        });
    }

    it("writes a long value with thousands of line breaks and quotes within a second of the processor", async () => {
        const value = 'ü{"line": "of\ttext"}\r\n'.repeat(5_000);
        // The kernel ends a script that takes longer. The words of the limit are those of bash.
        pod = new Sandbox({}, 0, ["TOKEN"]);
        const text = pod.read("etc/flux-minicluster/environment.sh");
        pod.write("etc/flux-minicluster/environment.sh", `ulimit -t 1\n${text}`);
        const { code, stderr } = await pod.run("environment", [], { TOKEN: value, LANG: "C.UTF-8" });
        assert.deepEqual([code, stderr], [0, ""]);
        const lines = value.replaceAll('"', '\\"').replaceAll("\r", "\\r").replaceAll("\n", "\\n");
        assert.equal(lua().split('"TOKEN", ')[1], `"${lines}", 0)\n`);
    });

    const likeOurs = "name overwrite entry skipped script commands has_hooks own same before of_rank others".split(" ");
    const ofEach = likeOurs.map((name) => `${name}: of ${name}`).sort();

    it("reads secrets whose names a script would give to its own variables", async () => {
        await start({}, 0, likeOurs, Object.fromEntries(likeOurs.map((name) => [name, `of ${name}`])));
        const found = lua().matchAll(/"(\w+)", "(.*)", 0\)$/gm);
        assert.deepEqual([...found].map(([, name, value]) => `${name}: ${value}`).sort(), ofEach);
    });

    it("reads variables of hooks whose names a script would give to its own variables", async () => {
        await start({ hooks: { init: likeOurs.map((name) => `export ${name}="of ${name}"`).join("\n") } }, 0, []);
        const found = lua().matchAll(/^own \("(\w+)", "(.*)"\)$/gm);
        assert.deepEqual([...found].map(([, name, value]) => `${name}: ${value}`).sort(), ofEach);
    });

    it("lets only its own user read the values", async () => {
        await start({}, 0, ["TOKEN"], { TOKEN: "hush" });
        assert.equal(statSync(pod.path("run/flux/shell/rank.lua")).mode & 0o777, 0o600);
    });

    it("takes the values as the init hook leaves them", async () => {
        pod = new Sandbox({ hooks: { init: "export TOKEN=changed" } }, 0, ["TOKEN"]);
        pod.write("etc/flux-minicluster/supervise.sh", "");
        await pod.run("start", ["x"], { TOKEN: "hush" });
        assert.match(lua(), /"TOKEN", "changed"/);
    });

    it("gives the tasks what hooks have exported or changed, also under names of the script's own variables", async () => {
        const hooks = {
            init: "export name=$1-own SAME=as-before",
            pre: "export CHANGED=after",
            lead: "export LEAD=all",
        };
        await start({ hooks }, 0, ["TOKEN"], { CHANGED: "before", SAME: "as-before", TOKEN: "hush" });
        const lines = lua().split("\n");
        const own = lines.filter((line) => line.startsWith("own ")).sort();
        assert.deepEqual(own, ['own ("CHANGED", "after", "before")', 'own ("name", "init-own")']);
        assert.ok(lines.includes('same ("SAME", "as-before")'));
        assert.deepEqual(
            lines.filter((line) => /TOKEN|LEAD|MINICLUSTER_RUN/.test(line)),
            ['shell.setenv ("TOKEN", "hush", 0)'],
        );
        assert.match(pod.read("run/flux/paths.env"), /^export FLUX_MINICLUSTER_OWN='\n/m);
        assert.equal(pod.has("run/flux/before"), false);
    });

    it("adds nothing for a cluster without hooks", async () => {
        await start({}, 0, []);
        assert.doesNotMatch(lua(), /own|same/);
        assert.doesNotMatch(pod.read("run/flux/paths.env"), /FLUX_MINICLUSTER_OWN/);
    });

    it("gives tasks the variables of network devices and of TPUs that a device plugin sets", async () => {
        await start({}, 1, [], { PCIDEVICE_VENDOR_NIC: "0000:04:00.1", TPU_WORKER_ID: "1" });
        assert.match(lua(), /^shell\.setenv \("TPU_WORKER_ID", "1", 1\)$/m);
        assert.match(lua(), /^shell\.setenv \("PCIDEVICE_VENDOR_NIC", "0000:04:00\.1", 1\)$/m);
        assert.match(pod.read("run/flux/commands/unset.sh"), /^unset PCIDEVICE_VENDOR_NIC$/m);
    });

    it("tells programs that submit jobs by themselves where the job shells find the variables", async () => {
        pod = new Sandbox();
        pod.write("etc/flux-minicluster/supervise.sh", 'printenv FLUX_SHELL_RC_PATH >"$SANDBOX/rc"');
        await pod.run("start", ["x"], { FLUX_SHELL_RC_PATH: "/users" });
        assert.equal(pod.read("rc"), `${pod.path("run/flux/shell")}:/users\n`);
        assert.match(pod.read("run/flux/paths.env"), /^export FLUX_SHELL_RC_PATH='.*\/run\/flux\/shell:\/users'$/m);
    });
});

describe("submit.sh", () => {
    let pod: Sandbox;

    before(async () => {
        pod = new Sandbox({}, 0, ["TOKEN"]);
        pod.write("etc/flux-minicluster/supervise.sh", "");
        await pod.run("start", ["x"], { TOKEN: "hush" });
    });

    after(() => pod.remove());

    function call(command: string, words: string[], variables: Record<string, string> = {}) {
        const own = pod.path("run/flux/commands");
        const given = { TOKEN: "hush", NEURON_RT_VISIBLE_CORES: "0", OTHER: "x", FLUX_EXEC_PATH_PREPEND: own };
        const env = { ...pod.variables, ...given, FLUX_STUB: 'printenv >"$SANDBOX/env"', ...variables };
        assert.equal(spawnSync(`${own}/flux-${command}`, words, { env }).status, 0);
        const passed = Object.fromEntries(
            pod
                .read("env")
                .split("\n")
                .map((line) => line.split(/=(.*)/).slice(0, 2)),
        );
        return { own, words: pod.calls.at(-1)!, passed };
    }

    it("leaves out the variables of the rank and secret ones, and keeps the others", () => {
        const { passed } = call("submit", ["true"]);
        const names = ["HOSTNAME", "JOB_COMPLETION_INDEX", "NEURON_RT_VISIBLE_CORES", "TOKEN", "OTHER"];
        assert.deepEqual(
            names.filter((name) => name in passed),
            ["OTHER"],
        );
    });

    it("becomes Flux' command of the same name with the user's words", () => {
        for (const command of ["run", "submit", "batch", "alloc", "bulksubmit"]) {
            const { own, words } = call(command, ["-n", "2", "--", "a  b", ""]);
            const before = ["--env-remove=MINICLUSTER_*", `--env=FLUX_EXEC_PATH_PREPEND=${own}`];
            assert.deepEqual(words, ["flux", command, ...before, "-n", "2", "--", "a  b", ""]);
        }
    });

    it("leads flux to its own commands, and job shells to the variables of their rank", () => {
        const { own, passed } = call("run", ["true"], {
            FLUX_EXEC_PATH: `${pod.path("run/flux/commands")}:/usr/libexec/flux/cmd:/opt`,
            FLUX_SHELL_RC_PATH: "/users",
        });
        assert.equal(passed.FLUX_EXEC_PATH, "/usr/libexec/flux/cmd:/opt");
        assert.equal(passed.FLUX_EXEC_PATH_PREPEND, undefined);
        assert.equal(passed.FLUX_SHELL_RC_PATH, `${own.replace(/commands$/, "shell")}:/users`);
    });

    const exec: [options: string[], command: string[]][] = [
        [[], ["hostname", "-f"]],
        [
            ["-r", "0"],
            ["sh", "-c", "-r 0"],
        ],
        [
            ["-r0", "-d/usr", "-lnx", "1"],
            ["cmd", "-r"],
        ],
        [
            ["-lnqr", "all"],
            ["a  b", ""],
        ],
        [
            ["--rank", "1", "--dir=/tmp", "--quiet", "--label-io"],
            ["cmd", "--"],
        ],
        [["--label", "one", "--bg", "--waitable", "--noinput", "--verbose"], ["cmd"]],
        [["-j", "f1", "--"], ["-odd"]],
    ];
    for (const [options, command] of exec) {
        it(`lets own run the command of flux exec ${[...options, ...command].join(" ")}`, () => {
            const { own, passed, words } = call("exec", [...options, ...command]);
            assert.deepEqual(words, ["flux", "exec", ...options, `${own}/own`, ...command]);
            assert.equal(passed.TOKEN, undefined);
        });
    }

    it("leaves a flux exec alone that has no command", () => {
        for (const words of [["--help"], ["-r", "0"], ["--rank=0", "--attach", "17"]]) {
            assert.deepEqual(call("exec", words).words, ["flux", "exec", ...words]);
        }
    });
});

describe("exec.sh", () => {
    let pod: Sandbox;

    afterEach(() => pod.remove());

    /** The variables of a command that a shell with these variables has sent to a rank with these hooks. */
    async function exec(init: string, here: Record<string, string>, sent: Record<string, string>) {
        pod = new Sandbox({ hooks: { init } }, 1, ["TOKEN"]);
        pod.write("etc/flux-minicluster/supervise.sh", "");
        await pod.run("start", ["x"], here);
        const script =
            'for name in NIC MODE ONLY KIND TOKEN HOSTNAME; do printf "%s|" "$(printenv "$name" || echo none)"; done';
        const own = pod.path("run/flux/commands/own");
        const env = { PATH: process.env.PATH, ...sent };
        const { status, stderr, stdout } = spawnSync(own, ["bash", "-c", script], {
            encoding: "utf8",
            env,
            stdio: ["ignore", "pipe", "pipe"],
        });
        assert.deepEqual([status, stderr], [0, ""]);
        return stdout.split("|").slice(0, -1);
    }
    const hooks = 'export NIC="it\'s\n1" MODE=fast';
    const before = { MODE: "slow", KIND: "x", TOKEN: "hush", HOSTNAME: "lammps-1" };
    const lead = { MODE: "slow", KIND: "x", FLUX_MINICLUSTER_OWN: "\nNIC=nic-0\nONLY=lead\nKIND=other\n" };
    const cases: [string, Record<string, string>, string[]][] = [
        ["of a shell without hooks", {}, ["it's\n1", "fast", "none", "none", "hush", "lammps-1"]],
        ["of the values before the hooks", { MODE: "slow" }, ["it's\n1", "fast", "none", "none", "hush", "lammps-1"]],
        [
            "of another rank",
            { ...lead, NIC: "nic-0", ONLY: "lead", KIND: "other" },
            ["it's\n1", "fast", "none", "x", "hush", "lammps-1"],
        ],
        [
            "of the user",
            { ...lead, NIC: "n", MODE: "m", ONLY: "o", KIND: "k", TOKEN: "t", HOSTNAME: "h" },
            ["n", "m", "o", "k", "t", "lammps-1"],
        ],
        [
            "of a text of the user",
            { FLUX_MINICLUSTER_OWN: "NIC=$(x)\n=\n9=1", NIC: "n" },
            ["n", "fast", "none", "none", "hush", "lammps-1"],
        ],
    ];
    for (const [whose, sent, expected] of cases) {
        it(`gives a command of flux exec the variables of its rank in place of those ${whose}`, async () => {
            assert.deepEqual(await exec(hooks, before, sent), expected);
        });
    }
});

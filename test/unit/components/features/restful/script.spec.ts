import assert from "node:assert/strict";
import { rmSync } from "node:fs";

import type { PlainArgs } from "../../../../../components/args";
import { isAlive } from "../../../support/processes";
import { Sandbox } from "../../../support/sandbox";

/** A Python that has flux-restful of this version, and records the environment of the server's set-up. */
const python = (version: string, more = "") => `
[ "$1" = python ] || exit 0
case "$*" in
*flux_restful.version*) [ -n "${version}" ] && echo "${version}" || exit 1 ;;
*answers*) exec sleep 0.1 ;;
*restful-server.py*) ${more || "trap 'exit 0' TERM; while :; do sleep 0.05; done"} ;;
*"pip install"*) echo "WARNING: Failed to establish a new connection: [Errno 111] Connection refused" >&2; exit 1 ;;
*"pip --version"*) [ -e "$SANDBOX/pip" ] ;;
*restful-pip.py*) echo "pypi.example: HTTP status 503" >&2; exit 1 ;;
*init*) env >"$SANDBOX/init" ;;
esac`;

describe("restful.sh", () => {
    let pod: Sandbox;

    afterEach(() => pod.remove());

    function make(restful: NonNullable<PlainArgs["restful"]> = {}, args: Partial<PlainArgs> = {}): Sandbox {
        pod = new Sandbox({ command: [], ...args, restful });
        ["token", "shared-key", "signing-key"].forEach((key) =>
            pod.write(`etc/flux-restful/restful.${key}`, `the ${key}`),
        );
        pod.write("run/flux/restful/.keep", "");
        pod.write("run/flux/config/pod.toml", "");
        return pod;
    }

    for (const [version, isTaken] of [
        ["4 2 46", false],
        ["4 3 0", true],
        ["5 0 0", true],
    ] as const) {
        it(`${isTaken ? "accepts" : "refuses"} bash ${version.split(" ", 2).join(".")}`, async () => {
            const text = make().read("etc/flux-minicluster/restful.sh").replaceAll("BASH_VERSINFO[", "BASH_NUMBERS[");
            pod.write("etc/flux-minicluster/restful.sh", `BASH_NUMBERS=(${version})\n${text}\n`);
            const running = pod.start("restful", ["begin"], { FLUX_STUB: "exit 1" });
            if (isTaken) {
                await pod.until(() => pod.has("run/flux/restful/prepared"), "the code of the preparation");
            }
            const said = "minicluster: the RESTful server needs bash 4.3; the image has 4.2\n";
            const { code, stderr } = await running.ended;
            assert.deepEqual([code, stderr.includes(said)], [isTaken ? 0 : 1, !isTaken]);
        });
    }

    /** Prepares the server as start.sh does, and returns what the initial program reads. */
    async function prepare(stub: string): Promise<string> {
        await pod.start("restful", ["prepare"], { FLUX_STUB: stub }).ended;
        return pod.read("run/flux/restful/prepared").trim();
    }

    /** Runs a server that ends before it answers. */
    async function serveOnce(server: string) {
        make();
        await prepare(python("1.1.0"));
        const looksAfterIt = 'while kill -0 "${@: -1}" 2>/dev/null; do sleep 0.05; done; exit 1';
        const stub = python("1.1.0", server).replace("exec sleep 0.1", looksAfterIt);
        return pod.run("restful", ["serve"], { FLUX_STUB: stub });
    }

    const mark = () => pod.read("dev/termination-log");

    it("uses the image's server, and makes its user with the keys of the Secret", async () => {
        make({ user: "ada" }, { environment: { B: "2", A: "1" }, size: 2, maxSize: 8 });
        assert.equal(await prepare(python("1.1.0")), "0");
        const environment = pod.read("init");
        for (const line of [
            "FLUX_AUTH_BACKEND=shared-secret",
            "FLUX_USER=ada",
            "FLUX_TOKEN=the token",
            "FLUX_SECRET_KEY=the shared-key",
            "FLUX_TOKEN_SIGNING_KEY=the signing-key",
            "FLUX_NUMBER_NODES=8",
            "FLUX_HAS_GPUS=false",
            "FLUX_JOB_ENV_PASSTHROUGH=FLUX_SHELL_RC_PATH,A,B",
        ]) {
            assert.ok(environment.split("\n").includes(line), line);
        }
        assert.ok(!pod.calls.some((call) => call.includes("pip")));
    });

    it("tells jobs which variables come from the hooks of its rank", async () => {
        make({}, { environment: { A: "1" } });
        const hooks = {
            A: "2",
            DB_PASSWORD: "x",
            LC_TIME: "C",
            FLUX_MINICLUSTER_OWN: "\nA=2\nDB_PASSWORD=x\nLC_TIME=C\n",
        };
        await pod.run("restful", ["prepare"], { FLUX_STUB: python("1.1.0"), ...hooks });
        assert.match(pod.read("init"), /^FLUX_JOB_ENV_PASSTHROUGH=FLUX_SHELL_RC_PATH,FLUX_MINICLUSTER_OWN,A$/m);
        assert.match(pod.read("init"), /^FLUX_MINICLUSTER_OWN=\nA=2\nLC_TIME=C\n(?!DB_PASSWORD)/m);
    });

    for (const [version, wanted, suits] of [
        ["1.1.0", undefined, true],
        ["1.10.2", undefined, true],
        ["2.0", undefined, true],
        ["1.0.9", undefined, false],
        ["0.9.12", undefined, false],
        ["1.1.0", "1.1.0", true],
        ["1.2.0", "1.1.0", false],
    ] as const) {
        it(`${suits ? "accepts" : "refuses"} flux-restful ${version} if ${wanted ?? "1.1.0 or later"} is needed`, async () => {
            make({ version: wanted });
            assert.equal(await prepare(python(version)), suits ? "0" : "1");
        });
    }

    it("reports that the image has neither the server nor pip, and why pip can't be downloaded", async () => {
        make();
        assert.equal(await prepare(python("")), "1");
        const text =
            "the image has no flux-restful 1.1.0 or later, and no pip to install it with, and pip can't be downloaded: pypi.example: HTTP status 503";
        assert.equal(
            mark(),
            `minicluster.error=${text}; give restful.indexUrl, put it into the image, or use restful.enabled: false\n`,
        );
    });

    it("installs the server with pip's own wheel if the image has no pip, and starts it with the folder", async () => {
        make({ indexUrl: "https://pypi.example/simple" });
        const wheel = pod.path("var/lib/flux/restful-pip/pip.whl");
        const stub = python("").replace(
            'echo "pypi.example: HTTP status 503" >&2; exit 1',
            `mkdir -p '${wheel}'; echo '${wheel}'`,
        );
        // The server is found once it is installed.
        const found = stub.replace('[ -n "" ] && echo "" || exit 1', '[ -e "$SANDBOX/installed" ] && echo 1.1.0');
        const installs = found.replace('*"pip install"*) ', '*"pip install"*) : >"$SANDBOX/installed"; exit; ');
        assert.equal(await prepare(installs), "0");
        const download = pod.calls.find((words) => words.includes("https://pypi.example/simple"))!;
        assert.deepEqual(download.slice(2), [
            pod.path("etc/flux-minicluster/restful-pip.py"),
            pod.path("var/lib/flux/restful-pip"),
            "https://pypi.example/simple",
        ]);
        const install = pod.calls.find((words) => words.includes("install"))!;
        assert.deepEqual(install.slice(1, 3), ["python", `${wheel}/pip`]);
        assert.ok(install.includes("--require-hashes"));
        assert.ok(!pod.has("var/lib/flux/restful-pip"));
        const running = pod.start("restful", ["serve"], { FLUX_STUB: installs, PYTHONPATH: "/of/the/user" });
        await pod.until(() => pod.has("run/flux/ready"), "readiness");
        const server = pod.calls.find((words) => words.includes("flux_restful.main:app"))!;
        assert.deepEqual(server.slice(server.indexOf("--packages")), [
            "--packages",
            pod.path("var/lib/flux/restful"),
            "--path",
            "/of/the/user",
        ]);
        running.signal("SIGTERM");
        await running.ended;
    });

    it("runs Python outside of the pod's working directory, which may have a module of any name", async () => {
        make();
        const found = python("1.1.0").replace("[ ", 'pwd >>"$SANDBOX/folders"\n[ ');
        assert.equal(await prepare(found), "0");
        const running = pod.start("restful", ["serve"], { FLUX_STUB: found });
        await pod.until(() => pod.has("run/flux/ready"), "readiness");
        running.signal("SIGTERM");
        await running.ended;
        assert.deepEqual([...new Set(pod.read("folders").trim().split("\n"))], [pod.path("run/flux/restful")]);
    });

    it("reports why pip can't install the server from the given index", async () => {
        make({ indexUrl: "https://pypi.example/simple" }).write("pip", "");
        assert.equal(await prepare(python("1.0.0")), "1");
        assert.match(
            mark(),
            /^minicluster\.error=the image has flux-restful 1\.0\.0 and not 1\.1\.0 or later, and pip can't install it: Failed to establish a new connection: \[Errno 111\] Connection refused; give restful\.indexUrl, /,
        );
        const call = pod.calls.find((words) => words.includes("install"))!;
        const given = ["--require-hashes", "--only-binary", "--index-url", "https://pypi.example/simple"];
        assert.deepEqual(
            given.filter((word) => !call.includes(word)),
            [],
        );
    });

    for (const hasPip of [true, false]) {
        it(`reports that Flux's Python is too old in an image ${hasPip ? "with" : "without"} pip`, async () => {
            make();
            if (hasPip) {
                pod.write("pip", "");
            }
            const old = python("").replace("*init*)", "*version_info*) echo 3.9 ;;\n*init*)");
            assert.equal(await prepare(old), "1");
            const text =
                "the image has no flux-restful 1.1.0 or later, and it can't be installed: it needs Python 3.10 or later, and Flux's is 3.9";
            assert.equal(mark(), `minicluster.error=${text}; put it into the image, or use restful.enabled: false\n`);
        });
    }

    it("doesn't mark the lead as ready while the server runs but doesn't answer", async () => {
        make();
        await prepare(python("1.1.0"));
        const asks = 'echo "$@" >"$SANDBOX/asked"; until [[ -e $SANDBOX/answers ]]; do sleep 0.05; done';
        const running = pod.start("restful", ["serve"], { FLUX_STUB: python("1.1.0").replace("exec sleep 0.1", asks) });
        await pod.until(() => pod.has("asked") && pod.read("asked") !== "", "the probe");
        assert.ok(!pod.has("run/flux/ready"));
        assert.match(pod.read("asked"), /^python .*\/restful-answers\.py http:\/\/127\.0\.0\.1:5000\/v1\/auth \d+\n$/);
        pod.write("answers", "");
        await pod.until(() => pod.has("run/flux/ready"), "readiness");
        running.signal("SIGTERM");
        await running.ended;
    });

    for (const signal of ["SIGKILL", "SIGTERM"] as const) {
        it(`prepares the server again if a job has killed its preparation by ${signal}`, async () => {
            make();
            const slow = `[[ -e $SANDBOX/slow ]] && { : >"$SANDBOX/begun"; sleep 0.3; exit 0; }; ${python("1.1.0")}`;
            pod.write("slow", "");
            const begun = pod.start("restful", ["begin"], { FLUX_STUB: slow });
            await pod.until(() => pod.has("begun"), "the preparation");
            process.kill(Number(pod.read("run/flux/restful/preparer")), signal);
            rmSync(pod.path("slow"));
            await begun.ended;
            const running = pod.start("restful", ["serve"], { FLUX_STUB: slow });
            await pod.until(() => pod.has("run/flux/ready"), "readiness");
            running.signal("SIGTERM");
            const { code, stderr } = await running.ended;
            assert.deepEqual([code, stderr.includes("is prepared again")], [143, true]);
        });
    }

    it("fails if its preparation is killed each time", async () => {
        make();
        const kills = `[[ "$*" != *flux_restful.version* ]] || until kill -KILL "$(<"$MINICLUSTER_RUN/restful/preparer")"; do sleep 0.02; done 2>/dev/null; ${python("1.1.0")}`;
        const { code, stderr } = await pod.run("restful", ["serve"], { FLUX_STUB: kills });
        assert.deepEqual([code, stderr.match(/is prepared again/g)?.length], [1, 3]);
        assert.match(
            mark(),
            /^minicluster\.error=the RESTful server can't be prepared: its preparation was killed 3 times/,
        );
    });

    it("starts a server again that was killed before it answered, a few times", async () => {
        const { code, stderr } = await serveOnce("kill -KILL $$");
        assert.deepEqual([code, stderr.match(/ended with 137 and is restarted/g)?.length], [1, 3]);
        assert.match(mark(), /^minicluster\.error=the RESTful server ended with exit code 137: /);
    });

    it("marks the lead as ready when the server answers, and passes SIGTERM to the server", async () => {
        make({ workers: 3, port: 5001 });
        await prepare(python("1.1.0"));
        const running = pod.start("restful", ["serve"], { FLUX_STUB: python("1.1.0") });
        await pod.until(() => pod.has("run/flux/ready"), "readiness");
        const call = pod.calls.find((words) => words.includes("flux_restful.main:app"))!;
        assert.deepEqual(call.slice(1, 11), [
            "python",
            pod.path("etc/flux-minicluster/restful-server.py"),
            "flux_restful.main:app",
            "--host",
            "0.0.0.0",
            "--port",
            "5001",
            "--workers",
            "3",
            "--timeout-graceful-shutdown",
        ]);
        running.signal("SIGTERM");
        assert.equal((await running.ended).code, 143);
    });

    it("fails with the server's error message if the server ends before it answers", async () => {
        const dies =
            'echo "INFO: hello" >&2; echo "ERROR: [Errno 98] address already in use" >&2; echo "INFO: bye" >&2; exit 3';
        const { code } = await serveOnce(dies);
        assert.equal(code, 1);
        assert.equal(
            mark(),
            "minicluster.error=the RESTful server ended with exit code 3: ERROR: [Errno 98] address already in use\n",
        );
        assert.ok(!pod.has("run/flux/ready"));
    });

    it("ends the workers of a server that was killed, restarts it, and waits longer each time", async () => {
        make();
        await prepare(python("1.1.0"));
        const server = 'echo $$ >>"$SANDBOX/servers"; sleep 600 & echo $! >>"$SANDBOX/workers"; wait';
        const running = pod.start("restful", ["serve"], { FLUX_STUB: python("1.1.0", server) });
        const numbers = (file: string) => (pod.has(file) ? pod.read(file).split("\n").filter(Boolean).map(Number) : []);
        for (let life = 1; life <= 3; life++) {
            await pod.until(() => numbers("workers").length === life, `server ${life}`);
            await pod.until(() => pod.has("run/flux/ready"), "readiness");
            process.kill(numbers("servers")[life - 1], "SIGKILL");
            await pod.until(() => !isAlive(numbers("workers")[life - 1]), `the end of worker ${life}`);
        }
        await pod.until(() => running.stderr.includes("in 4 s"), "the third pause");
        assert.deepEqual(running.stderr.match(/ended with 137 and is restarted in \d s/g), [
            "ended with 137 and is restarted in 1 s",
            "ended with 137 and is restarted in 2 s",
            "ended with 137 and is restarted in 4 s",
        ]);
        running.signal("SIGTERM");
        assert.equal((await running.ended).code, 143);
    });

    it("ends the workers of a killed server if it was killed too, and no process of a task", async () => {
        make();
        await prepare(python("1.1.0"));
        const server =
            'echo $$ >>"$SANDBOX/servers"; sleep 600 & echo $! >>"$SANDBOX/workers"; env -u MINICLUSTER_BROKER sleep 601 & echo $! >"$SANDBOX/task"; wait';
        const mine = { MINICLUSTER_BROKER: `${pod.path("run/flux")}/broker`, FLUX_STUB: python("1.1.0", server) };
        const first = pod.start("restful", ["serve"], mine);
        await pod.until(() => pod.has("run/flux/ready") && pod.has("task") && pod.read("task") !== "", "a server");
        const task = Number(pod.read("task"));
        const worker = Number(pod.read("workers"));
        first.signal("SIGKILL");
        process.kill(Number(pod.read("servers")), "SIGKILL");
        const second = pod.start("restful", ["serve"], mine);
        await pod.until(() => pod.read("servers").split("\n").length === 3, "another server");
        assert.ok(!isAlive(worker));
        assert.ok(isAlive(task));
        process.kill(task, "SIGKILL");
        second.signal("SIGTERM");
        assert.equal((await second.ended).code, 143);
    });

    it("looks for the server's answer again if a job has killed the program that does so", async () => {
        make();
        await prepare(python("1.1.0"));
        const killed = 'echo x >>"$SANDBOX/probes"; [[ $(wc -l <"$SANDBOX/probes") == 2 ]] || kill -KILL $$';
        const stub = python("1.1.0").replace("exec sleep 0.1", killed);
        const running = pod.start("restful", ["serve"], { FLUX_STUB: stub });
        await pod.until(() => pod.has("run/flux/ready"), "readiness");
        running.signal("SIGTERM");
        assert.equal((await running.ended).code, 143);
    });

    it("reports the server's last message even if a child of the server keeps writing", async () => {
        // In a process group of its own, before the server's is ended.
        const child = `(exec setsid sh -c ': >"$SANDBOX/own"; sleep 1; echo "still here" >&2') &`;
        const own = 'until [ -e "$SANDBOX/own" ]; do sleep 0.01; done';
        const dies = `${child} ${own}; printf "no line end" >&2; exit 3`;
        const { stderr } = await serveOnce(dies);
        assert.equal(mark(), "minicluster.error=the RESTful server ended with exit code 3: no line end\n");
        assert.match(stderr, /^still here$/m);
    });
});

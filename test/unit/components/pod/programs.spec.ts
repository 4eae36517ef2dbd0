import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import type { PlainArgs } from "../../../../components/args";
import { configFiles } from "../../../../components/pod/configMap";
import { environment } from "../../../../components/pod/environment";
import { EVERY_FEATURE } from "../../support/everyFeature";
import { Sandbox } from "../../support/sandbox";
import { SCRIPT_FILES } from "../../support/scriptFile";
import { type Commands, commandsOf } from "../../support/shellCommands";
import { makeSpec } from "../../support/spec";
import { limit } from "../../../../scripts/tests/limits";

/**
 * Programs that an image may lack: the scripts ask for them, or do without them. Flux has a message of its own, and sh
 * already runs.
 */
const OPTIONAL = new Set(["flux", "flux-restful", "munged", "nvidia-smi", "sh", "ssh"]);
/** Scripts of containers with another image, or that start before wait.sh: they look for their programs themselves. */
const ELSEWHERE = new Set(["prepare.sh", "sidecar.sh", "view.sh"]);
const JOB = join(__dirname, "../../../../provider/flux/job.sh");

const commands: ReadonlyMap<string, Commands> = new Map(
    [...SCRIPT_FILES, ["job.sh", JOB] as const]
        .filter(([file]) => file.endsWith(".sh"))
        .map(([file, path]) => [file, commandsOf(readFileSync(path, "utf8"))]),
);
const functions = new Set([...commands.values()].flatMap(({ defined }) => [...defined]));
const builtins = new Set(
    spawnSync("bash", ["-c", "compgen -b; compgen -k"], { encoding: "utf8" }).stdout.split("\n").filter(Boolean),
);

/** The external programs that a script calls. */
function programsOf(...files: string[]): string[] {
    const called = files.flatMap((file) => [...commands.get(file)!.called]);
    return [...new Set(called)]
        .filter((name) => !functions.has(name) && !builtins.has(name) && !OPTIONAL.has(name))
        .sort();
}

function listed(args: Partial<PlainArgs>): string[] {
    const { value } = environment(makeSpec(args)).find(({ name }) => name === "MINICLUSTER_PROGRAMS")!;
    return (value as string).split(" ");
}

describe("the programs that the image needs", () => {
    for (const [number, args] of EVERY_FEATURE.entries()) {
        it(`are those that the scripts of a cluster call (cluster ${number})`, () => {
            const files = Object.keys(configFiles(makeSpec(args))).filter((file) => commands.has(file));
            const called = programsOf(...files.filter((file) => !ELSEWHERE.has(file)));
            const known = listed(args).map((word) => word.replace(/^.*:/, ""));
            assert.deepEqual(
                called.filter((name) => !known.includes(name)),
                [],
                "called, and not listed",
            );
            assert.deepEqual(
                listed(args).filter((word) => word.includes(":") && !called.includes(word.replace(/^.*:/, ""))),
                [],
                "listed for a feature, and not called",
            );
        });
    }

    it("are all called by the scripts that nearly every cluster has", () => {
        const files = EVERY_FEATURE.flatMap((args) => Object.keys(configFiles(makeSpec(args))));
        const called = programsOf(...new Set(files.filter((file) => commands.has(file))));
        assert.deepEqual(
            listed({}).filter((name) => !called.includes(name)),
            [],
        );
    });

    it("are looked for by each script with another image itself", () => {
        for (const file of [...ELSEWHERE, "curve.sh", "keygen.sh"]) {
            const text = (SCRIPT_FILES.get(file) && readFileSync(SCRIPT_FILES.get(file)!, "utf8")) ?? "";
            const asked = [...text.matchAll(/(?:need_programs|command -v) (.*)/g)].join(" ");
            for (const program of programsOf(file)) {
                assert.match(asked, new RegExp(`[: ]${program}\\b`), file);
            }
        }
    });

    it("are enough for job.sh, with flock, which FluxJob reports itself", () => {
        const [, read] = /MC_READ_SECRETS='([^']*)'/.exec(readFileSync(JOB, "utf8"))!;
        const functionsAndPrograms = [...programsOf("job.sh"), ...commandsOf(read).called];
        const called = functionsAndPrograms.filter((name) => !functions.has(name) && !builtins.has(name));
        const known = ["flock", ...listed({ command: [], restful: { enabled: false } })];
        assert.deepEqual(
            called.filter((name) => !known.includes(name)),
            [],
        );
    });
});

describe("wait.sh in an image that lacks programs", () => {
    let pod: Sandbox;
    afterEach(() => pod.remove());

    const cure = "add to it what is missing (mostly of the package coreutils), or correct PATH (environment, hooks)";
    async function lacks(names: string, path: string, searched = path): Promise<void> {
        const { code, stderr, stdout } = await pod.run("wait", ["x"], { PATH: path });
        const expected = `the image has no ${names} on PATH (${searched}); ${cure}`;
        assert.deepEqual([code, stdout, stderr], [78, "", `minicluster: ${expected}\n`]);
        assert.equal(pod.read("dev/termination-log"), `minicluster.error=${expected}\n`);
        assert.deepEqual(pod.calls, []);
    }
    const all = (args: Partial<PlainArgs>) => listed(args).map((word) => word.replace(/^.*:/, ""));
    const without = (args: Partial<PlainArgs>, ...names: string[]) =>
        pod.only(...all(args).filter((name) => !names.includes(name)));

    it("names all that every cluster needs", async () => {
        pod = new Sandbox();
        await lacks("bash, install, timeout", without({}, "bash", "install", "timeout"));
    });

    const features: [string, Partial<PlainArgs>, string[], string][] = [
        [
            "archive",
            { command: [], archive: { hostPath: "/archive" }, restful: { enabled: false } },
            ["readlink", "sync"],
            "readlink (for archive), sync (for archive)",
        ],
        ["restful", { command: [], restful: {} }, ["grep"], "grep (for restful)"],
        ["broker.scheduler", { broker: { scheduler: "fluxion" } }, ["printenv"], "printenv (for broker.scheduler)"],
    ];
    for (const [name, args, programs, expected] of features) {
        it(`names those of ${name} with this argument`, async () => {
            pod = new Sandbox(args);
            await lacks(expected, without(args, ...programs));
        });
    }

    it("doesn't look for those of features that the cluster hasn't", async () => {
        pod = new Sandbox();
        const path = without({});
        const { stderr } = await pod.run("wait", ["x"], { PATH: `${pod.path("bin")}:${path}`, FLUX_STUB: "exit 3" });
        assert.doesNotMatch(stderr, /the image has no/);
        assert.ok(pod.calls.length > 0);
    });

    it("looks after the init hook for those that the hook may bring", async () => {
        const hooks = { init: 'export PATH="$PATH:$BROUGHT"\n' };
        pod = new Sandbox({ hooks });
        const path = pod.only("bash", "rm");
        await lacks("cat, chmod, cp, date, id, install, mkdir, mkfifo, mv, sleep, tail, timeout, wc", path, `${path}:`);
        pod.remove();
        pod = new Sandbox({ hooks });
        const variables = { PATH: `${pod.path("bin")}:${pod.only("bash", "rm")}`, BROUGHT: "/usr/bin:/bin" };
        const { stderr } = await pod.run("wait", ["x"], { ...variables, FLUX_STUB: "exit 3" });
        assert.doesNotMatch(stderr, /the image has no/);
        assert.ok(pod.calls.length > 0);
    });
});

describe("sidecar.sh in an image without sleep", () => {
    it("ends with the reason, and doesn't take a core", () => {
        const { status, stderr } = spawnSync("/bin/sh", [SCRIPT_FILES.get("sidecar.sh")!, "log"], {
            encoding: "utf8",
            env: { JOB_COMPLETION_INDEX: "1", PATH: "/nowhere" },
            timeout: limit(5) * 1000,
        });
        const expected = "the image of this sidecar has no sleep, which leadOnly needs; add it to the image";
        assert.deepEqual([status, stderr], [78, `minicluster: ${expected}\n`]);
    });
});

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { configFiles } from "../../../../components/pod/configMap";
import { RESTFUL_ENVIRONMENT, SCRIPT_ENVIRONMENT } from "../../../../provider/contract/scriptVariables";
import { scriptText } from "../../../../provider/contract/scriptText";
import { EVERY_FEATURE } from "../../support/everyFeature";
import { SCRIPT_FILES, scriptFile } from "../../support/scriptFile";
import { makeSpec } from "../../support/spec";

/** Variables that bash, Kubernetes and Flux set. */
const GIVEN = new Set([
    "BASH_ENV",
    "BASH_REMATCH",
    "BASH_VERSINFO",
    "BASH_VERSION",
    "BASHPID",
    "CUDA_VISIBLE_DEVICES",
    "EPOCHREALTIME",
    "FLUXION_QMANAGER_RC_NOOP",
    "FLUXION_RESOURCE_RC_NOOP",
    "FLUX_ENCLOSING_ID",
    "FLUX_JOB_CC",
    "FLUX_JOB_ID",
    "FLUX_JOB_NNODES",
    "FLUX_JOB_SIZE",
    "FLUX_MODULE_PATH",
    "FLUX_EXEC_PATH",
    "FLUX_EXEC_PATH_PREPEND",
    "FLUX_HWLOC_XMLFILE",
    "FLUX_RC_EXTRA",
    "FLUX_SCHED_MODULE",
    "FLUX_SHELL_RC_PATH",
    "FLUX_TASK_LOCAL_ID",
    "FLUX_TASK_RANK",
    "FLUX_URI",
    "FLUX_FAKE_HOSTNAME",
    "HOSTNAME",
    "JOB_COMPLETION_INDEX",
    "KUBERNETES_SERVICE_HOST",
    "KUBERNETES_SERVICE_PORT",
    "LC_ALL",
    "LD_LIBRARY_PATH",
    "PATH",
    "PIPESTATUS",
    "PWD",
    "RANDOM",
    "SECONDS",
    "TMPDIR",
]);

/** Variables that restful.sh sets for flux-restful and for Python. */
const FOR_RESTFUL = [
    "FLUX_AUTH_BACKEND",
    "FLUX_CONNECTOR_PATH",
    "FLUX_HAS_GPUS",
    "FLUX_JOB_ENV_PASSTHROUGH",
    "FLUX_NUMBER_NODES",
    "FLUX_PMI_LIBRARY_PATH",
    "FLUX_REQUIRE_AUTH",
    "FLUX_SECRET_KEY",
    "FLUX_SERVER_MODE",
    "FLUX_TOKEN",
    "FLUX_TOKEN_SIGNING_KEY",
    "FLUX_USER",
    "PYTHONPATH",
    "PYTHONUNBUFFERED",
    "LC_",
    "LUA_CPATH",
    "LUA_PATH",
];

/** Variables of GPUs that the scripts of task.sh set, or that device plugins set in the pod. */
const OF_GPUS = [
    "HABANA_VISIBLE_DEVICES",
    "NEURON_RT_VISIBLE_CORES",
    "NVIDIA_VISIBLE_DEVICES",
    "ROCR_VISIBLE_DEVICES",
    "ZE_AFFINITY_MASK",
];

/** Variables that rendezvous.sh sets for PyTorch. */
const FOR_TORCH = [
    "LOCAL_RANK",
    "LOCAL_WORLD_SIZE",
    "MASTER_ADDR",
    "MASTER_PORT",
    "NODE_RANK",
    "PET_MASTER_ADDR",
    "PET_MASTER_PORT",
    "PET_NNODES",
    "PET_NODE_RANK",
    "PET_NPROC_PER_NODE",
    "RANK",
    "WORLD_SIZE",
];

/** The variable by which supervise.sh recognises the broker's processes. */
const FOR_BROKER = "MINICLUSTER_BROKER";
/** A variable for `flux relay`: how often it tries to connect. */
const FOR_RELAY = "FLUX_LOCAL_CONNECTOR_RETRY_COUNT";

/** The variable in which start.sh says which values are those of the rank's hooks. */
const FOR_TASKS = "FLUX_MINICLUSTER_OWN";

/** Variables that device plugins set, or their prefix. */
const OF_DEVICES = ["PCIDEVICE_", "TPU_WORKER_ID"];

/** The variable by which restful-server.py tells its workers the application. */
const FOR_WORKERS = "UVICORN_APP";

/** The variables by which the results of a FluxJob have a place and a beginning. */
const FOR_RESULTS = ["MINICLUSTER_RESULTS_HOME", "MINICLUSTER_RESULTS_SINCE"];

/** The variables of commands: the file for their progress, and which attempt they are. */
const FOR_COMMANDS = ["MINICLUSTER_PROGRESS", "MINICLUSTER_ATTEMPT", "MINICLUSTER_ATTEMPT_REASON"];

/** Names of environment variables that a script mentions: those in capitals. */
function variablesOf(text: string): string[] {
    const code = text.replace(/^\s*#.*$/gm, "");
    return [...new Set(code.match(/\b(?<![-"'.\w])[A-Z][A-Z0-9]*_[A-Z0-9_]*\b|\$\{?[A-Z][A-Z0-9_]*/g) ?? [])]
        .map((name) => name.replace(/^\$\{?/, ""))
        .filter((name) => name !== "MINICLUSTER_");
}

function pythonVariablesOf(text: string): string[] {
    return [...text.matchAll(/environ\[["']([A-Z_]+)["']\]/g)].map(([, name]) => name);
}

/** Scripts that no ConfigMap has: that of the keygen pod. */
const ELSEWHERE = new Set(["keygen.sh"]);

describe("the scripts", () => {
    const all = Object.fromEntries([...SCRIPT_FILES].map(([file, path]) => [file, scriptText(dirname(path), file)]));
    const readBy = (file: string) => (file.endsWith(".sh") ? variablesOf : pythonVariablesOf)(all[file]);
    const texts = Object.fromEntries(Object.entries(all).filter(([file]) => file.endsWith(".sh")));

    it("are all in the ConfigMap of some cluster or in the keygen pod", () => {
        const everything = EVERY_FEATURE.flatMap((args) => Object.keys(configFiles(makeSpec(args))));
        assert.deepEqual(
            [...new Set(everything)].filter((file) => !/\.toml$|^hook|^preflight/.test(file)).sort(),
            [...SCRIPT_FILES.keys()].filter((file) => !ELSEWHERE.has(file)).sort(),
        );
    });

    it("lose only their comments in the ConfigMap", () => {
        const parsed = (script: string) => {
            const { status, stderr, stdout } = spawnSync("bash", ["--pretty-print"], {
                input: script,
                encoding: "utf8",
            });
            assert.equal(status, 0, stderr);
            return stdout.split("\n").filter(Boolean);
        };
        for (const [file, text] of Object.entries(texts)) {
            assert.deepEqual(parsed(text), parsed(readFileSync(scriptFile(file), "utf8")), file);
            assert.doesNotMatch(text, /^[ \t]*(#|\n)/m, file);
        }
    });

    it("read only variables that their container sets", () => {
        const set = new Set<string>([
            ...Object.values(SCRIPT_ENVIRONMENT),
            ...Object.values(RESTFUL_ENVIRONMENT),
            ...GIVEN,
            ...FOR_RESTFUL,
            ...FOR_TORCH,
            ...OF_GPUS,
            FOR_BROKER,
            FOR_TASKS,
            ...OF_DEVICES,
            FOR_RELAY,
            FOR_WORKERS,
            ...FOR_COMMANDS,
            ...FOR_RESULTS,
        ]);
        for (const file of Object.keys(all)) {
            assert.deepEqual(
                readBy(file).filter((name) => !set.has(name)),
                [],
                file,
            );
        }
    });

    it("read all variables that are set for them", () => {
        const read = new Set(Object.keys(all).flatMap(readBy));
        const set = [...Object.values(SCRIPT_ENVIRONMENT), ...Object.values(RESTFUL_ENVIRONMENT)];
        assert.deepEqual(
            set.filter((name) => !read.has(name)),
            [],
        );
    });

    it("name no path of the container, because paths come as variables", () => {
        for (const [file, text] of Object.entries(texts)) {
            // bash itself has the folder of connections.
            const code = text.replace(/^\s*#.*$/gm, "").replaceAll("/dev/tcp/", "");
            assert.doesNotMatch(code, /\/(etc|run|var|opt|usr|home|tmp)\//, file);
            assert.deepEqual(
                [...new Set(code.match(/\/dev\/\w+/g) ?? [])].filter((path) => path !== "/dev/null"),
                [],
                file,
            );
        }
    });

    it("sleep only for back-offs, repeated signals, persistent clusters and pauses between looks", () => {
        for (const [file, text] of Object.entries(texts)) {
            const sleeps = text.replace(/^\s*#.*$/gm, "").match(/\bsleep .*/g) ?? [];
            const expected: Record<string, number> = {
                "archive.sh": 3,
                "attempts.sh": 3,
                "joined.sh": 1,
                "lead-program.sh": 1,
                "metrics.sh": 1,
                "start-0-preflight.sh": 1,
                "start-names.sh": 1,
                "output.sh": 1,
                "progress.sh": 1,
                "ready.sh": 1,
                "rendezvous.sh": 1,
                "rescue.sh": 1,
                "restful.sh": 3,
                "sidecar.sh": 2,
                "stay.sh": 3,
                "processes.sh": 2,
                "supervise.sh": 2,
            };
            assert.equal(sleeps.length, expected[file] ?? 0, `${file}: ${sleeps.join("; ")}`);
        }
    });

    it("have no here-strings and here-documents, for which bash before 5.1 needs a writable folder", () => {
        const job = readFileSync(join(__dirname, "../../../../provider/flux/job.sh"), "utf8");
        for (const [file, text] of Object.entries({ ...texts, "job.sh": job })) {
            assert.doesNotMatch(text.replace(/^\s*#.*$/gm, ""), /<<(?!=)/, file);
        }
    });

    it("have the syntax of the shells that run them", () => {
        for (const file of Object.keys(texts)) {
            const plain = readFileSync(scriptFile(file), "utf8").startsWith("#!/bin/sh");
            const { status, stderr } = spawnSync(plain ? "/bin/sh" : "/bin/bash", ["-n", scriptFile(file)], {
                encoding: "utf8",
            });
            assert.equal(status, 0, `${file}: ${stderr}`);
        }
    });
});

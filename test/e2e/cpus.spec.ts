import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

import { FluxJob, MiniCluster, type MiniClusterArgs, Placement } from "flux-minicluster";

import { root } from "../../scripts/local/paths";
import { forward } from "./support/forward";
import { useNamespace } from "./support/namespace";
import { RestfulClient } from "./support/restful";
import { until } from "./support/until";

/** Prints the CPUs of a task. It needs no PATH. */
const SHOW = 'while read -r a b; do [[ $a != Cpus_allowed_list: ]] || echo "$b"; done </proc/self/status';

/** Submits a job of one task on each rank by Flux' Python bindings, without an environment. */
const PYTHON = `
import json, sys
import flux, flux.job
size, command = int(sys.argv[1]), ["/bin/bash", "-c", sys.argv[2]]
core = {"type": "core", "count": 1}
slot = {"type": "slot", "count": 1, "label": "task", "with": [core]}
tasks = [{"command": command, "slot": "task", "count": {"per_slot": 1}}]
system = {"duration": 0, "cwd": "/tmp", "environment": {}, "job": {"name": "python"}}
spec = {"version": 1, "resources": [{"type": "node", "count": size, "with": [slot]}],
        "tasks": tasks, "attributes": {"system": system}}
print(int(flux.job.submit_async(flux.Flux(), json.dumps(spec)).get_id()))
`;

const { CPU_MANAGER, FLUX_IMAGE } = process.env;

function skipIf(condition: unknown, test: Mocha.Context): void {
    if (condition) {
        test.skip();
    }
}

interface Layout {
    readonly size: number;
    readonly args: Omit<MiniClusterArgs, "image">;
    /** The CPUs of each task, where all CPUs of the node are `all`. */
    readonly expected: (all: string) => string;
}

const LAYOUTS: Readonly<Record<string, Layout>> = {
    "ranks that share a node": { size: 2, args: { cores: 1 }, expected: (all) => all },
    ...(FLUX_IMAGE !== undefined && {
        "a rank that has its node for itself": {
            size: 1,
            args: { cores: 1, placement: Placement.Exclusive },
            expected: () => "0",
        },
    }),
    // CPU_MANAGER=static: the kubelet gives this pod a CPU set, of which each job gets the first core.
    ...(CPU_MANAGER === "static" && {
        "a rank that has CPUs of its own": {
            size: 1,
            args: { resources: { limits: { cpu: "1", memory: "256Mi" } } },
            expected: (all) => all,
        },
    }),
};

for (const [whose, { args, expected, size }] of Object.entries(LAYOUTS)) {
    describe(`the CPUs of ${whose}`, () => {
        const namespace = useNamespace();
        const name = "cpus";
        const run = (...options: string[]) => `flux run -N${size} ${options.join(" ")} bash -c '${SHOW}'`;
        let all = "";
        let outputs: Record<string, any> = {};

        before(async function () {
            const stack = namespace.stack(name, async () => {
                const cluster = new MiniCluster(name, {
                    image: namespace.image,
                    size,
                    ...args,
                    restful: { user: "ada" },
                });
                const job = { cluster, command: ["bash", "-c", SHOW], nodes: size, tasks: size };
                return { cluster, token: cluster.restfulToken, job: new FluxJob("job", job).output };
            });
            ({ outputs } = await stack.up());
            all = (await exec(SHOW)).trim();
            if (all === "0") {
                this.skip();
            }
        });

        const exec = (program: string) => namespace.exec(name, ["bash", "-c", program]);
        const check = (output: string) => assert.equal(output, `${expected(all)}\n`.repeat(size));

        it("are right for a FluxJob", () => check(outputs.job));

        it("are right for an array", async () => {
            const { cluster } = outputs;
            const log = "/tmp/array.{{id}}";
            const array = { array: { count: 1 }, nodes: size, tasks: size, outputFile: log };
            await namespace
                .stack("array", async () => ({
                    job: new FluxJob("array", { cluster, command: ["bash", "-c", SHOW], ...array }),
                }))
                .up();
            check(await exec("cat /tmp/array.*"));
        });

        it("are right for minicluster submit", async () => {
            const main = join(root, "dist", "cli", "main.js");
            const words = ["submit", "-c", name, "--nodes", `${size}`, "--tasks", `${size}`, "--", "bash", "-c", SHOW];
            const env = { ...process.env, KUBECONFIG: namespace.kubeconfig };
            check((await promisify(execFile)(process.execPath, [main, ...words], { env })).stdout);
        });

        it("are right for a job of kubectl exec, also without an environment", async () => {
            check(await exec(run()));
            check(await exec(run("--env-remove='*'")));
        });

        it("are right for a job of Python without an environment", async () => {
            const submit = `id=$(flux python -c '${PYTHON}' ${size} "$1"); flux job attach "$id"`;
            check(await namespace.exec(name, ["bash", "-c", submit, "bash", SHOW]));
        });

        it("are right for a job of the RESTful server", async () => {
            const forwarded = await forward(namespace, name, 5000);
            try {
                const client = new RestfulClient(`http://127.0.0.1:${forwarded.port}`, "ada", outputs.token);
                const command = `bash -c '${SHOW}'`;
                const { id } = await client.submit({ command, num_tasks: `${size}`, num_nodes: `${size}` });
                check((await until("the job has printed", () => client.output(id))).join(""));
            } finally {
                forwarded.close();
            }
        });

        it("are right for the jobs of an instance that a job has started", async function () {
            skipIf(!FLUX_IMAGE, this);
            const batch = (program: string, options = "") => `
printf '#!/bin/bash\\n%s\\n' ${JSON.stringify(program).replaceAll("$", "\\$")} >/tmp/batch
id=$(flux batch -N${size} -n${size} ${options} --output=/tmp/batch.out /tmp/batch)
flux job wait-event -q $id clean
# Flux before 0.82 says there that an instance has more cores than its jobs.
grep -v 'has extra resources' /tmp/batch.out`;
            check(await exec(batch(run())));
            // The path is for the commands of Flux.
            check(await exec(batch(`export PATH=/usr/bin:/bin; ${run("--env-remove='*'")}`, "--env-remove='*'")));
        });

        it("are right for the command and for a launcher", async () => {
            const every = { image: namespace.image, size, ...args };
            const stack = namespace.stack("commands", async () => ({
                command: new MiniCluster("command", { ...every, command: ["bash", "-c", SHOW] }).output,
                launcher: new MiniCluster("launcher", { ...every, launcher: true, command: ["bash", "-c", run()] })
                    .output,
            }));
            // The exclusive cluster would keep them off its node.
            namespace.closeStacks();
            const { outputs: made } = await stack.up();
            check(made.command);
            check(made.launcher);
        });
    });
}

describe("the CPUs of an exclusive rank", () => {
    const namespace = useNamespace();

    it("are bound to the tasks of its jobs", async () => {
        const run = `flux run bash -c '${SHOW}'`;
        const stack = namespace.stack("alone", async () => {
            const args = { image: namespace.image, size: 1, cores: 1, placement: Placement.Exclusive, launcher: true };
            return { output: new MiniCluster("alone", { ...args, command: ["bash", "-c", run] }).output };
        });
        assert.equal((await stack.up()).outputs.output, "0\n");
    });
});

describe("ranks that count the CPUs of their node", () => {
    const namespace = useNamespace();

    it("are told when the cluster is ready", async () => {
        const stack = namespace.stack("counts", async () => {
            new MiniCluster("counts", { image: namespace.image, size: 2, tasks: 2, command: ["true"] });
        });
        const { events } = await stack.up();
        const messages = events.map(({ diagnosticEvent }) => diagnosticEvent?.message ?? "");
        const said = messages.filter((text) => /ranks 0-1 share node \S+, and each counts all CPUs/.test(text));
        assert.equal(said.length, 1, messages.join("\n"));
    });
});

describe("the shared memory of a rank", () => {
    const namespace = useNamespace();

    it("is named by the failure of a command that has filled it", async () => {
        const fill = "head -c 4194304 /dev/zero >/dev/shm/x; ls -l /dev/shm/x; exit 1";
        const stack = namespace.stack("full", async () => {
            const { image } = namespace;
            new MiniCluster("full", { image, sharedMemory: "1Mi", command: ["bash", "-c", fill] });
        });
        const { text } = await stack.fails("up");
        assert.match(text, /The command ended with exit code 1\. A program that fills \/dev\/shm ends so\./);
    });
});

import assert from "node:assert/strict";
import { availableParallelism } from "node:os";

import { MiniCluster } from "flux-minicluster";

import { useNamespace } from "./support/namespace";

const print = `
import json, os
names = ["FLUX_TASK_RANK", "JOB_COMPLETION_INDEX", "HOSTNAME"]
values = {name: os.environ.get(name) for name in names}
print(json.dumps({**values, "host": os.uname().nodename, "cores": len(os.sched_getaffinity(0))}))
`;

interface Task {
    readonly FLUX_TASK_RANK: string;
    readonly JOB_COMPLETION_INDEX: string;
    readonly HOSTNAME: string;
    readonly host: string;
    readonly cores: number;
}

describe("the tasks of a command", () => {
    const namespace = useNamespace();

    it("have ranks and indices of their own and are not all bound to the same core", async () => {
        const stack = namespace.stack("tasks", async () => ({
            output: new MiniCluster("tasks", {
                image: namespace.image,
                size: 2,
                resources: { limits: { cpu: "2" }, requests: { cpu: "100m" } },
                tasks: 4,
                // A number of threads is no number of CPUs.
                environment: { OMP_NUM_THREADS: "1" },
                command: ["python3", "-c", print],
            }).output,
        }));
        const { outputs } = await stack.up();
        const tasks = outputs.output.trim().split("\n").map((line: string) => JSON.parse(line) as Task) as Task[];
        assert.deepEqual(tasks.map((task) => task.FLUX_TASK_RANK).sort(), ["0", "1", "2", "3"]);
        assert.deepEqual(tasks.map((task) => task.JOB_COMPLETION_INDEX).sort(), ["0", "0", "1", "1"]);
        for (const task of tasks) {
            assert.equal(task.host, `tasks-${task.JOB_COMPLETION_INDEX}`);
            assert.equal(task.HOSTNAME, task.host);
            assert.equal(task.cores, availableParallelism(), "bound to cores that other pods use as well");
        }
    });
});

describe("an MPI program", () => {
    const namespace = useNamespace();

    // MPICH 4.0 over UCX now and then hangs in MPI_Finalize where there are more processes than cores. By then each rank
    // has printed its lines, which is what this test is about, so a process that hangs there is ended and forgiven.
    const script = `
        command -v mpi-hello >/dev/null || { echo no mpi-hello; exit 0; }
        stdbuf -oL timeout 20 mpi-hello || [ "$?" -eq 124 ]
    `;

    it("runs on four ranks", async function () {
        const name = "mpi";
        const stack = namespace.stack(name, async () => ({
            output: new MiniCluster(name, { image: namespace.image, size: 4, command: ["sh", "-c", script] }).output,
        }));
        const { outputs } = await stack.up();
        if (outputs.output.includes("no mpi-hello")) {
            console.log(`      skipped: ${namespace.image} has no mpi-hello`);
            this.skip();
        }
        const lines = outputs.output.trim().split("\n").sort();
        assert.deepEqual(lines, [0, 1, 2, 3].map((rank) => `rank ${rank} of 4 on ${name}-${rank}`).concat("sum of ranks 6"));
    });
});

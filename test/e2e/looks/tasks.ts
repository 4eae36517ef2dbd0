import assert from "node:assert/strict";
import { availableParallelism } from "node:os";

import { MiniCluster } from "flux-minicluster";

import { type Look, sortedLines } from "./look";

const PRINT = `
import json, os
names = ["FLUX_TASK_RANK", "JOB_COMPLETION_INDEX", "HOSTNAME"]
values = {name: os.environ.get(name) for name in names}
print(json.dumps({**values, "host": os.uname().nodename, "cores": len(os.sched_getaffinity(0))}))
`;

/*
 * MPICH 4.0 over UCX sometimes hangs in MPI_Finalize if there are more processes than cores. By then each rank has
 * printed its lines, so the test ends a process that hangs there and accepts it.
 */
const MPI = `
command -v mpi-hello >/dev/null || { echo no mpi-hello; exit 0; }
stdbuf -oL timeout 20 mpi-hello || [ "$?" -eq 124 ]
`;

interface Task {
    readonly FLUX_TASK_RANK: string;
    readonly JOB_COMPLETION_INDEX: string;
    readonly HOSTNAME: string;
    readonly host: string;
    readonly cores: number;
}

export const tasks: Look = {
    subject: "with several tasks",

    clusters({ image }) {
        return {
            tasks: new MiniCluster("tasks", {
                image,
                size: 2,
                resources: { limits: { cpu: "2" }, requests: { cpu: "100m" } },
                tasks: 4,
                // The number of threads must not change the number of CPUs.
                environment: { OMP_NUM_THREADS: "1" },
                command: ["python3", "-c", PRINT],
            }).output,
            options: new MiniCluster("options", {
                image,
                size: 2,
                nodes: 1,
                tasksPerNode: 2,
                requires: "host:options-1",
                timeLimit: 60,
                shellOptions: { "exit-timeout": "none" },
                errorFile: "/tmp/{{name}}.err",
                command: ["sh", "-c", "echo err >&2; echo $FLUX_TASK_RANK; hostname"],
            }).output,
            mpi: new MiniCluster("mpi", { image, size: 4, command: ["sh", "-c", MPI] }).output,
        };
    },

    tests(outputs, namespace) {
        it("gives each task its rank and index, and binds no task to a core", () => {
            const found = outputs.tasks
                .trim()
                .split("\n")
                .map((line) => JSON.parse(line) as Task);
            assert.deepEqual(found.map((task) => task.FLUX_TASK_RANK).sort(), ["0", "1", "2", "3"]);
            assert.deepEqual(found.map((task) => task.JOB_COMPLETION_INDEX).sort(), ["0", "0", "1", "1"]);
            for (const task of found) {
                assert.equal(task.host, `tasks-${task.JOB_COMPLETION_INDEX}`);
                assert.equal(task.HOSTNAME, task.host);
                assert.equal(
                    task.cores,
                    availableParallelism(),
                    "the task is bound to some cores, which other pods use too",
                );
            }
        });

        it("runs them on the nodes that the run options choose", () => {
            const redirected = "[0-1]: stderr redirected to /tmp/sh.err";
            assert.deepEqual(sortedLines(outputs.options), ["0", "1", redirected, "options-1", "options-1"]);
        });

        it("passes MPI messages between four ranks", function () {
            if (outputs.mpi.includes("no mpi-hello")) {
                console.log(`      skipped: ${namespace.image} has no mpi-hello`);
                this.skip();
            }
            const lines = [0, 1, 2, 3].map((rank) => `rank ${rank} of 4 on mpi-${rank}`);
            assert.deepEqual(sortedLines(outputs.mpi), lines.concat("sum of ranks 6"));
        });
    },
};

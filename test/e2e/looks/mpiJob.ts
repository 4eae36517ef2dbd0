import assert from "node:assert/strict";

import { fromMPIJob, MiniCluster } from "flux-minicluster";

import { type Look, sortedLines } from "./look";

/** Each process adds every n-th strip of a quarter of the unit circle. */
const PI = `
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv) {
    int rank, size;
    double sum = 0, pi = 0;
    const int strips = 1000000;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = rank; i < strips; i += size) {
        double x = (i + 0.5) / strips;
        sum += 4 / (1 + x * x) / strips;
    }
    MPI_Reduce(&sum, &pi, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    printf("rank %d of %d\\n", rank, size);
    if (rank == 0) {
        printf("pi is %.6f\\n", pi);
    }
    fflush(stdout);
    return MPI_Finalize();
}
`;

/** Compiles the program where the image can. MPICH may hang in MPI_Finalize if the cores are busy: see tasks.ts. */
const COMPILE = `
if command -v mpicc >/dev/null; then
    printf '%s' "$SOURCE" >/build/pi.c
    mpicc -o /build/pi /build/pi.c
    printf '#!/bin/sh\\nstdbuf -oL timeout 30 /build/pi || [ "$?" -eq 124 ]\\n' >/build/run
else
    printf '#!/bin/sh\\necho no mpicc\\n' >/build/run
fi
chmod 755 /build/run
`;

interface Parts {
    readonly launcher: object;
    readonly worker?: object;
    readonly pod?: object;
    readonly slots?: number;
}

/** The output of a converted MPIJob with two workers. */
function outputOf(name: string, image: string, { launcher, pod, slots = 1, worker }: Parts): MiniCluster["output"] {
    const container = { name: "main", image };
    const { args } = fromMPIJob(
        JSON.stringify({
            apiVersion: "kubeflow.org/v2beta1",
            kind: "MPIJob",
            metadata: { name },
            spec: {
                slotsPerWorker: slots,
                mpiImplementation: "MPICH",
                mpiReplicaSpecs: {
                    Launcher: { template: { spec: { containers: [{ ...container, ...launcher }] } } },
                    Worker: { replicas: 2, template: { spec: { containers: [{ ...container, ...worker }], ...pod } } },
                },
            },
        }),
        { fluxInImage: true },
    );
    return new MiniCluster(name, args).output;
}

export const mpiJob: Look = {
    subject: "from an MPIJob",

    clusters({ image }) {
        const print = 'echo "$GREETING $FLUX_TASK_RANK $(hostname)"';
        const env = [{ name: "SOURCE", value: PI.replaceAll("$", "$$$$") }];
        const volumeMounts = [{ name: "work", mountPath: "/build" }];
        return {
            mpiWords: outputOf("mpi-words", image, {
                launcher: { command: ["mpirun"], args: ["-np", "4", "-genv", "GREETING", "hello", "sh", "-c", print] },
                // Flux counts two cores of a rank, whose CPUs the tasks share.
                worker: { command: ["/usr/sbin/sshd", "-De"], resources: { requests: { cpu: "100m" } } },
                slots: 2,
            }),
            mpiScript: outputOf("mpi-script", image, {
                launcher: {
                    command: ["bash", "-c", `n=2; mpirun -n $n -genv GREETING hi sh -c '${print}' && echo end`],
                },
            }),
            mpiPi: outputOf("mpi-pi", image, {
                launcher: { command: ["mpirun", "/build/run"] },
                worker: { volumeMounts },
                pod: {
                    volumes: [{ name: "work", emptyDir: {} }],
                    initContainers: [{ name: "compile", image, command: ["sh", "-c", COMPILE], env, volumeMounts }],
                },
            }),
        };
    },

    tests(outputs, namespace) {
        it("runs the program of mpirun in the slots of the workers, with its variables", () => {
            const lines = [0, 1, 2, 3].map((rank) => `hello ${rank} mpi-words-${rank < 2 ? 0 : 1}`);
            assert.deepEqual(sortedLines(outputs["mpiWords"]), lines);
        });

        it("runs a script with flux run in place of mpirun", () => {
            assert.deepEqual(sortedLines(outputs["mpiScript"]), ["end", "hi 0 mpi-script-0", "hi 1 mpi-script-1"]);
        });

        it("computes pi by MPI in two ranks", function () {
            if (outputs["mpiPi"].includes("no mpicc")) {
                console.log(`      skipped: ${namespace.image} has no mpicc`);
                this.skip();
            }
            assert.deepEqual(sortedLines(outputs["mpiPi"]), ["pi is 3.141593", "rank 0 of 2", "rank 1 of 2"]);
        });
    },
};

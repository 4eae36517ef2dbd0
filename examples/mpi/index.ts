import { readFileSync } from "node:fs";
import { join } from "node:path";

import { core } from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { MiniCluster } from "flux-minicluster";

const config = new pulumi.Config();
const size = config.getNumber("size") ?? 2;
const tasks = config.getNumber("tasks") ?? 2 * size;
const compiler = config.get("compiler") ?? "mpicc";
const pmi = config.get("pmi");

const source = new core.v1.ConfigMap("source", {
    data: { "bench.c": readFileSync(join(__dirname, "bench.c"), "utf8") },
});

const cluster = new MiniCluster("bench", {
    image: config.require("image"),
    size,
    tasks,
    // Flux starts the tasks, and tells the MPI library how they find each other: there is no mpirun.
    command: ["/tmp/bench"],
    shellOptions: pmi === undefined ? {} : { pmi },
    // A core for each task. MPI wants a request for them rather than a limit: docs/mpi.md. This one fits a small machine.
    cores: Math.ceil(tasks / size),
    resources: { requests: { cpu: "100m" } },
    // Each pod compiles the program before its broker starts. An image that has the program needs neither of them.
    volumes: [{ name: "source", mountPath: "/source", configMap: source.metadata.name }],
    hooks: { pre: `${compiler} -O2 -o /tmp/bench /source/bench.c` },
});

export const output = cluster.output;
export const nodes = cluster.nodes;
export const timings = cluster.timings;

import { readFileSync } from "node:fs";
import { join } from "node:path";

import * as pulumi from "@pulumi/pulumi";
import { FluxJob, MiniCluster } from "flux-minicluster";

const config = new pulumi.Config();

const cluster = new MiniCluster("sweep", {
    image: config.require("image"),
    size: config.getNumber("size") ?? 2,
    restful: { enabled: false },
});

// The text of a script goes with its job, so the image needs nothing but Python.
const script = (name: string) => readFileSync(join(__dirname, name), "utf8");

// One job for each of 30 growth rates from 2.5 to 3.95. Flux runs as many at a time as there are free cores.
const simulate = new FluxJob("simulate", {
    cluster,
    array: { values: Array.from({ length: 30 }, (_, index) => (2.5 + index * 0.05).toFixed(2)) },
    command: ["python3", "-c", script("simulate.py"), "{{value}}"],
    timeLimit: 60,
});

const plot = new FluxJob("plot", {
    cluster,
    after: [simulate],
    command: ["python3", "-c", script("plot.py")],
    environment: { SIMULATIONS: simulate.jobIds.apply((ids) => ids.join(" ")) },
    output: { maxBytes: 200_000 },
});

export const simulated = simulate.elements.apply((elements) => elements?.succeeded);
export const picture = plot.output;

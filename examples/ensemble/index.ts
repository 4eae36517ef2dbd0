import { readFileSync } from "node:fs";
import { join } from "node:path";

import * as pulumi from "@pulumi/pulumi";
import { FluxJob, MiniCluster } from "flux-minicluster";

const config = new pulumi.Config();
const count = config.getNumber("members") ?? 8;

const cluster = new MiniCluster("ensemble", {
    image: config.require("image"),
    size: config.getNumber("size") ?? 2,
    restful: { enabled: false },
});

const python = (script: string, ...words: string[]) => [
    "python3",
    "-c",
    readFileSync(join(__dirname, script), "utf8"),
    ...words,
];
const listOf = (job: FluxJob) => job.jobIds.apply((ids) => ids.join(" "));

// With `wait: false`, all jobs are in Flux' queue at once. Flux keeps their order, also without Pulumi.
const simulate = new FluxJob("simulate", {
    cluster,
    array: { count },
    command: python("simulate.py", "{{index}}"),
    wait: false,
});

const analyse = new FluxJob("analyse", {
    cluster,
    array: { count },
    after: [simulate],
    command: python("analyse.py"),
    environment: { SIMULATIONS: listOf(simulate) },
    wait: false,
});

const summarise = new FluxJob("summarise", {
    cluster,
    after: [analyse],
    command: python("summarise.py"),
    environment: { ANALYSES: listOf(analyse) },
});

export const summary = summarise.output;

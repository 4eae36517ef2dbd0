import { execute } from "../../provider/kubernetes/streams/exec";
import { connect } from "../../provider/kubernetes/client";
import { clustersIn } from "../target/clusters";
import { findingFlux } from "../../provider/contract/paths";
import { FORMAT, parseJobs } from "../fluxJob/rows";
import { leadOf, namespaceOf } from "../target/target";
import type { Candidate } from "./candidates";
import type { Line } from "./line";

/** Most jobs that are offered. */
const MOST_JOBS = 100;

export async function clusters(options: Line["options"]): Promise<readonly Candidate[]> {
    const kube = connect(options);
    const namespace = namespaceOf(kube, options);
    return (await clustersIn(kube, namespace)).map(({ name, phase }) => ({ word: name, help: phase }));
}

/** The newest jobs of a cluster. One that sleeps isn't woken. */
export async function jobs(options: Line["options"]): Promise<readonly Candidate[]> {
    const kube = connect(options);
    const container = await leadOf({ kube, namespace: namespaceOf(kube, options), name: options.cluster });
    const command = findingFlux(["flux", "jobs", "-a", `--count=${MOST_JOBS}`, "--no-header", `--format=${FORMAT}`]);
    const { signal } = new AbortController();
    const { stdout } = await execute(kube, container, { command, input: "", seconds: 10, signal });
    return parseJobs(stdout).map(({ jobId, name, status }) => ({ word: jobId, help: `${status} ${name}` }));
}

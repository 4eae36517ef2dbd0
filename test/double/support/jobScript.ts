import { scriptWith } from "../../../provider/flux/script";
import { type Ended, type Running, start } from "./flux";
import type { Instance } from "./instance";

/** Starts a call of job.sh in an instance, as the provider does: its standard input ends with its connection. */
export function startScript(
    instance: Instance,
    words: readonly string[],
    more: object = {},
    command: readonly string[] = ["bash", "-s"],
): Promise<Running> {
    const env = { FLUX_URI: instance.uri(), MINICLUSTER_RUN: instance.path("run"), MINICLUSTER_CPUS: "", ...more };
    return start(command, { begin: scriptWith(words), env });
}

/** Runs a call of job.sh to its end. */
export async function callScript(instance: Instance, words: readonly string[], more: object = {}): Promise<Ended> {
    return (await startScript(instance, words, more)).ended;
}

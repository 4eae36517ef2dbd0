import { scriptWith } from "../../../provider/flux/script";
import { type Ended, inside } from "./flux";
import type { Instance } from "./instance";

/** Runs a call of job.sh in an instance, as the provider does. */
export function callScript(instance: Instance, words: readonly string[], more: object = {}): Promise<Ended> {
    const env = { FLUX_URI: instance.uri(), MINICLUSTER_RUN: instance.path("run"), MINICLUSTER_CPUS: "", ...more };
    return inside(["bash", "-s"], { input: scriptWith(words), env });
}

import type { Kube } from "../provider/kube/client";
import { execute as executeIn } from "../provider/kube/exec";
import { findLead } from "../provider/pods/lead";

/** Runs a command in rank 0 of a cluster until it has ended well. */
export async function execute(
    kube: Kube,
    namespace: string,
    cluster: string,
    command: readonly string[],
): Promise<void> {
    const lead = await findLead(kube, namespace, cluster);
    if (lead.state !== "ready") {
        throw new Error(`${cluster} has no rank 0 that could run ${command.join(" ")}: ${lead.state}`);
    }
    const { signal } = new AbortController();
    const { exitCode, stderr } = await executeIn(kube, lead.container, { command, input: "", seconds: 600, signal });
    if (exitCode !== 0) {
        throw new Error(`${command.join(" ")}: exit code ${exitCode}: ${stderr}`);
    }
}

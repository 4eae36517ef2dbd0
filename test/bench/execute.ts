import type { Kube } from "../../provider/kubernetes/client";
import { execute as executeIn } from "../../provider/kubernetes/streams/exec";
import { findLead } from "../../provider/observe/pods/lead";

/** Runs a command in the lead's pod of a cluster; fails if the command fails. */
export async function execute(
    kube: Kube,
    namespace: string,
    cluster: string,
    command: readonly string[],
): Promise<void> {
    const lead = await findLead(kube, { namespace, name: cluster });
    if (lead.state !== "ready") {
        throw new Error(`${cluster} has no ready lead for ${command.join(" ")}: its state is ${lead.state}.`);
    }
    const { signal } = new AbortController();
    const { exitCode, stderr } = await executeIn(kube, lead.container, { command, input: "", seconds: 600, signal });
    if (exitCode !== 0) {
        throw new Error(`${command.join(" ")}: exit code ${exitCode}: ${stderr}`);
    }
}

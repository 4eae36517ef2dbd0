import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import type { Site } from "../../../scripts/local/cluster/site";
import { mountPoints, networkResults, possessionsOf, shimSockets } from "../../../scripts/local/cluster/sweep";
import { run } from "../../../scripts/local/run";

/**
 * Everything that a local cluster could leave on the machine. The traces of the clone's own cluster are left out,
 * because they change with its pods.
 */
export async function traces(own: Site): Promise<Record<string, string[]>> {
    const notOwn = (line: string): boolean => !line.includes(`${own.runDir}/`) && !line.includes(`${own.owner}/`);
    const ownSockets = shimSockets(possessionsOf(own).runDirs);
    const ownResults = networkResults(possessionsOf(own).runDirs);
    return {
        processes: processes().filter(notOwn),
        mounts: mountPoints().filter(notOwn),
        addresses: await lines("ip", "-brief", "address"),
        routes: [...(await lines("ip", "route")), ...(await lines("ip", "-6", "route"))],
        rules: await lines("nft", "list", "ruleset"),
        cgroups: await lines("find", "/sys/fs/cgroup", "-maxdepth", "2", "-name", "flux-minicluster-*"),
        sites: filesIn("/run/flux-minicluster"),
        shimSockets: filesIn("/run/containerd/s").filter((socket) => !ownSockets.includes(socket)),
        networkResults: filesIn("/var/lib/cni/results").filter((path) => !ownResults.includes(path)),
        sysctls: ["vm/overcommit_memory", "kernel/panic", "kernel/panic_on_oops"].map((name) =>
            readFileSync(`/proc/sys/${name}`, "utf8"),
        ),
    };
}

async function lines(command: string, ...args: string[]): Promise<string[]> {
    return (await run(command, args)).split("\n").filter(Boolean);
}

function filesIn(folder: string): string[] {
    return existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
}

function processes(): string[] {
    const commands = readdirSync("/proc")
        .filter((name) => /^\d+$/.test(name))
        .map(commandOf);
    return commands
        .filter((command) => /flux-minicluster.*(kube-|kubelet|etcd|coredns|containerd)|^runc /.test(command))
        .sort();
}

function commandOf(pid: string): string {
    try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
    } catch {
        return "";
    }
}

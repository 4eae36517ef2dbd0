import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { pauseImage } from "../../pause";
import { findProgram, searchPath } from "../../program";
import { tryRun } from "../../run";
import { dir, socket, type Context } from "../folders";
import type { Site } from "../site";
import type { Server } from "./server";

/** containerd's state, which is lost when the machine restarts. */
export const runtimeStateDir = (site: Site): string => join(site.runDir, "containerd");

export function containerd(context: Context): Server {
    const { site, programs } = context;
    const config = join(dir.config, "containerd.toml");
    return {
        name: "containerd",
        command: join(programs.containerd, "containerd"),
        args: ["--config", config],
        // The shims are beside containerd, runc in a folder of Debian.
        env: { PATH: [programs.containerd, ...searchPath()].join(":") },
        prepare: () => {
            mkdirSync(dir.cni, { recursive: true });
            writeFileSync(config, containerdConfig(context));
            writeFileSync(join(dir.cni, "10-pods.conflist"), JSON.stringify(podNetwork(context), null, 2));
        },
        isHealthy: async () =>
            existsSync(socket(site, "containerd")) &&
            (await tryRun(join(programs.containerd, "ctr"), [
                "--address",
                socket(site, "containerd"),
                "--timeout",
                "2s",
                "version",
            ])) !== undefined,
    };
}

function containerdConfig({ site, addresses, programs }: Context): string {
    // A JSON string is a TOML string.
    const text = JSON.stringify;
    return `version = 3
root = ${text(join(dir.containerd, "root"))}
state = ${text(runtimeStateDir(site))}
disabled_plugins = ["io.containerd.nri.v1.nri", "io.containerd.tracing.processor.v1.otlp", "io.containerd.internal.v1.tracing"]

[grpc]
address = ${text(socket(site, "containerd"))}

[plugins."io.containerd.internal.v1.opt"]
path = ${text(join(dir.containerd, "opt"))}

[plugins."io.containerd.grpc.v1.cri"]
stream_server_address = ${text(addresses.node)}

[plugins."io.containerd.cri.v1.images".pinned_images]
sandbox = ${text(pauseImage)}

[plugins."io.containerd.cri.v1.runtime"]
# If oom_score_adj may not be lowered, no sandbox would start without this.
restrict_oom_score_adj = true
netns_mounts_under_state_dir = true

[plugins."io.containerd.cri.v1.runtime".cni]
bin_dirs = [${text(programs.containerd)}]
conf_dir = ${text(dir.cni)}
use_internal_loopback = true

[plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runc]
runtime_type = "io.containerd.runc.v2"

[plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runc.options]
BinaryName = ${text(findProgram("runc") ?? "runc")}
Root = ${text(join(site.runDir, "runc"))}
`;
}

/**
 * Each pod has its own link to the node, and all packets are routed. With a bridge, Services would need the kernel's
 * br_netfilter, which may not exist.
 */
function podNetwork({ addresses }: Context): object {
    const everywhere = addresses.podRange.includes(":") ? "::/0" : "0.0.0.0/0";
    return {
        cniVersion: "1.0.0",
        name: "pods",
        plugins: [
            {
                type: "ptp",
                ipMasq: false,
                ipam: {
                    type: "host-local",
                    dataDir: join(dir.cni, "addresses"),
                    ranges: [[{ subnet: addresses.podRange }]],
                    routes: [{ dst: everywhere }],
                },
            },
            { type: "portmap", capabilities: { portMappings: true } },
        ],
    };
}

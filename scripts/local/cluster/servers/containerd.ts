import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { pauseImage } from "../../pause";
import { findProgram, pathWith } from "../../program";
import { tryRun } from "../../run";
import { runtimeStateDir, type Context } from "../folders";
import { socket, type ClusterNode } from "../nodes/place";
import type { Server } from "./server";

export function containerd(context: Context, node: ClusterNode): Server {
    const { programs } = context;
    const config = join(node.configDir, "containerd.toml");
    return {
        name: node.nameOf("containerd"),
        network: node.network,
        command: join(programs.containerd, "containerd"),
        args: ["--config", config],
        // The shims are beside containerd, runc in a folder of Debian.
        env: { PATH: pathWith(programs.containerd) },
        prepare: () => {
            mkdirSync(cniDir(node), { recursive: true });
            writeFileSync(config, containerdConfig(context, node));
            writeFileSync(join(cniDir(node), "10-pods.conflist"), JSON.stringify(podNetwork(context, node), null, 2));
        },
        isHealthy: async () =>
            existsSync(socket(node)) &&
            (await tryRun(join(programs.containerd, "ctr"), [
                "--address",
                socket(node),
                "--timeout",
                "2s",
                "version",
            ])) !== undefined,
    };
}

const cniDir = ({ folder }: ClusterNode): string => join(folder, "cni");

function containerdConfig({ programs }: Context, node: ClusterNode): string {
    // A JSON string is a TOML string.
    const text = JSON.stringify;
    return `version = 3
root = ${text(join(node.folder, "containerd", "root"))}
state = ${text(runtimeStateDir(node))}
disabled_plugins = ["io.containerd.nri.v1.nri", "io.containerd.tracing.processor.v1.otlp", "io.containerd.internal.v1.tracing"]

[grpc]
address = ${text(socket(node))}

[plugins."io.containerd.internal.v1.opt"]
path = ${text(join(node.folder, "containerd", "opt"))}

[plugins."io.containerd.grpc.v1.cri"]
stream_server_address = ${text(node.address)}

[plugins."io.containerd.cri.v1.images".pinned_images]
sandbox = ${text(pauseImage)}

[plugins."io.containerd.cri.v1.runtime"]
# If oom_score_adj may not be lowered, no sandbox would start without this.
restrict_oom_score_adj = true
netns_mounts_under_state_dir = true

[plugins."io.containerd.cri.v1.runtime".cni]
bin_dirs = [${text(programs.containerd)}]
conf_dir = ${text(cniDir(node))}
use_internal_loopback = true

[plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runc]
runtime_type = "io.containerd.runc.v2"

[plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runc.options]
BinaryName = ${text(findProgram("runc") ?? "runc")}
Root = ${text(join(node.runDir, "runc"))}
`;
}

/**
 * Each pod has its own link to the node, and all packets are routed. With a bridge, Services would need the kernel's
 * br_netfilter, which may not exist.
 */
function podNetwork({ options }: Context, node: ClusterNode): object {
    const everywhere = node.podRange.includes(":") ? "::/0" : "0.0.0.0/0";
    return {
        cniVersion: "1.0.0",
        name: "pods",
        plugins: [
            {
                type: "ptp",
                ipMasq: false,
                mtu: options.mtu,
                ipam: {
                    type: "host-local",
                    dataDir: join(cniDir(node), "addresses"),
                    ranges: [[{ subnet: node.podRange }]],
                    routes: [{ dst: everywhere }],
                },
            },
            { type: "portmap", capabilities: { portMappings: true } },
        ],
    };
}

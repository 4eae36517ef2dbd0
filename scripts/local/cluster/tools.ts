import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { clusterDir, nodeBinDir, root, stateDir } from "../paths";
import { adminKubeconfig, type Context } from "./folders";
import { insideNetwork } from "./network";
import { ctrOf } from "./nodes/ctr";
import { type ClusterNode, hasSeveral, runningNodes } from "./nodes/place";

export const toolsDir = join(clusterDir, "bin");

type Tools = Readonly<Record<string, readonly string[]>>;

/**
 * Writes programs for users. All use this cluster, independent of the user's kubeconfig. Each of several nodes has a
 * folder with its own `ctr` and `in-node`.
 */
export function writeTools(context: Context): void {
    const nodes = runningNodes(context);
    const [first] = nodes;
    rmSync(toolsDir, { recursive: true, force: true });
    write(toolsDir, {
        kubectl: ["env", `KUBECONFIG=${adminKubeconfig}`, join(context.programs.kubernetes, "kubernetes"), "kubectl"],
        ...(first === undefined ? {} : nodeTools(context, first)),
    });
    if (hasSeveral(context)) {
        const cli = [join(nodeBinDir, "tsx"), join(root, "scripts", "cli.ts")];
        write(toolsDir, {
            nodes: [
                "env",
                `PATH=${nodeBinDir}:/usr/sbin:/usr/bin:/sbin:/bin`,
                `FLUX_MINICLUSTER_STATE=${stateDir}`,
                ...cli,
                "nodes",
            ],
        });
        nodes.forEach((node) => write(join(toolsDir, node.name), nodeTools(context, node)));
    }
}

function nodeTools(context: Context, node: ClusterNode): Tools {
    const [enter, into] = insideNetwork(node.network)("");
    return {
        ctr: ctrOf(context, node),
        "in-node": [enter, ...into.slice(0, -1)],
    };
}

function write(folder: string, tools: Tools): void {
    mkdirSync(folder, { recursive: true });
    for (const [name, words] of Object.entries(tools)) {
        writeFileSync(join(folder, name), `#!/bin/sh\nexec ${words.map(quote).join(" ")} "$@"\n`, { mode: 0o755 });
    }
}

const quote = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

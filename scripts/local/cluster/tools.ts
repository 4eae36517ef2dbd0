import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { clusterDir, nodeBinDir, root, stateDir } from "../paths";
import { pathWith } from "../program";
import { adminKubeconfig, type Context } from "./folders";
import { insideNetwork } from "./network";
import { ctrOf } from "./nodes/ctr";
import { type ClusterNode, hasSeveral, runningNodes } from "./nodes/place";

export const toolsDir = join(clusterDir, "bin");

/** The lines of a shell script by program. */
type Tools = Readonly<Record<string, readonly string[]>>;

/**
 * Writes programs for users. All use this cluster, independent of the user's kubeconfig. Each of several nodes has a
 * folder with its own `ctr` and `in-node`.
 */
export function writeTools(context: Context): void {
    const nodes = runningNodes(context);
    const [first] = nodes;
    rmSync(toolsDir, { recursive: true, force: true });
    const kubectl = kubectlTool(context.programs.kubectl, [...COMMANDS, "build-kubectl"]);
    write(toolsDir, { kubectl, ...(first === undefined ? {} : nodeTools(context, first)) });
    if (hasSeveral(context)) {
        write(toolsDir, { nodes: [call([...COMMANDS, "nodes"])] });
        nodes.forEach((node) => write(join(toolsDir, node.name), nodeTools(context, node)));
    }
}

/** The commands of this folder, for this cluster. */
const COMMANDS = [
    "env",
    `PATH=${pathWith(nodeBinDir)}`,
    `FLUX_MINICLUSTER_STATE=${stateDir}`,
    join(nodeBinDir, "tsx"),
    join(root, "scripts", "cli.ts"),
];

/** Calls the kubectl of a folder. If it isn't there, a command builds it, and prints its folder. */
export function kubectlTool(folder: string, build: readonly string[]): readonly string[] {
    return [
        `folder=${quote(folder)}`,
        `[ -e "$folder/kubectl" ] || folder=$(${build.map(quote).join(" ")}) || exit`,
        `exec env ${quote(`KUBECONFIG=${adminKubeconfig}`)} "$folder/kubectl" "$@"`,
    ];
}

function nodeTools(context: Context, node: ClusterNode): Tools {
    const [enter, into] = insideNetwork(node.network)("");
    return {
        ctr: [call(ctrOf(context, node))],
        "in-node": [call([enter, ...into.slice(0, -1)])],
    };
}

/** Writes a script for each tool. */
export function write(folder: string, tools: Tools): void {
    mkdirSync(folder, { recursive: true });
    for (const [name, lines] of Object.entries(tools)) {
        writeFileSync(join(folder, name), ["#!/bin/sh", ...lines, ""].join("\n"), { mode: 0o755 });
    }
}

const call = (words: readonly string[]): string => `exec ${words.map(quote).join(" ")} "$@"`;

const quote = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

import { join } from "node:path";

import { run } from "../../run";
import type { Context } from "../folders";
import { socket, type ClusterNode } from "./place";

type Programs = Pick<Context, "programs">;

/** The command line of containerd's client for a node. */
export function ctrOf({ programs }: Programs, node: ClusterNode): string[] {
    return [join(programs.containerd, "ctr"), "--address", socket(node), "--namespace", "k8s.io"];
}

/** Runs containerd's client on a node. */
export function ctr(context: Programs, node: ClusterNode, ...args: string[]): Promise<string> {
    const [program = "", ...words] = ctrOf(context, node);
    return run(program, [...words, ...args]);
}

/** The digests of the images that a node has, by name. Kubernetes adds a name for each id of an image. */
export async function imagesOf(context: Programs, node: ClusterNode): Promise<ReadonlyMap<string, string>> {
    const lines = (await ctr(context, node, "images", "ls")).trim().split("\n").slice(1);
    const columns = lines.map((line) => line.split(/\s+/));
    const named = columns.filter(([name = ""]) => !name.startsWith("sha256:"));
    return new Map(named.map(([name = "", , digest = ""]) => [name, digest]));
}

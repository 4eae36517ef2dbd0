import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { clusterDir } from "../paths";
import { adminKubeconfig, socket, type Context } from "./folders";
import { insideNetwork } from "./network";

export const toolsDir = join(clusterDir, "bin");

/** Writes kubectl and ctr for users: both use this cluster, independent of the user's kubeconfig. */
export function writeTools({ programs, site }: Context): void {
    mkdirSync(toolsDir, { recursive: true });
    const [enter, into] = insideNetwork(site)("");
    const tools: Record<string, string[]> = {
        kubectl: ["env", `KUBECONFIG=${adminKubeconfig}`, join(programs.kubernetes, "kubernetes"), "kubectl"],
        ctr: [join(programs.containerd, "ctr"), "--address", socket(site, "containerd"), "--namespace", "k8s.io"],
        "in-node": [enter, ...into.slice(0, -1)],
    };
    for (const [name, words] of Object.entries(tools)) {
        writeFileSync(join(toolsDir, name), `#!/bin/sh\nexec ${words.map(quote).join(" ")} "$@"\n`, { mode: 0o755 });
    }
}

const quote = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

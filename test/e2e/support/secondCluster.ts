import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { ClusterRecord } from "../../../scripts/local/cluster/record";
import { nodeBinDir, root } from "../../../scripts/local/paths";
import { isAlive } from "../../../scripts/local/processes";
import { run } from "../../../scripts/local/run";

/**
 * A second local cluster, like that of another clone on the machine. Tests use it through commands. The path of its
 * folder is longer than the path of a socket may be.
 */
export class SecondCluster {
    private readonly folder = mkdtempSync(join(tmpdir(), "flux-minicluster-"));
    readonly state = join(this.folder, "a-rather-long-name".repeat(7), "state");

    /** Runs the command behind `make cluster` or `make cluster-down`. */
    cli(command: "up" | "down", environment: NodeJS.ProcessEnv = {}): Promise<string> {
        return this.command([command], environment);
    }

    /** Makes the images of an archive available to pods on all nodes. */
    async importImage(archive: string): Promise<void> {
        await this.command(["import", archive]);
    }

    /** Changes the nodes of a cluster that was started with NODES. */
    async nodes(...words: readonly string[]): Promise<string> {
        return (await this.command(["nodes", ...words])).trim();
    }

    private command(words: readonly string[], environment: NodeJS.ProcessEnv = {}): Promise<string> {
        return run(join(nodeBinDir, "tsx"), [join(root, "scripts", "cli.ts"), ...words], {
            env: { ...process.env, ...environment, FLUX_MINICLUSTER_STATE: this.state },
        });
    }

    kubectl(...args: string[]): Promise<string> {
        return run(join(this.state, "cluster", "bin", "kubectl"), args);
    }

    /** Process ids by server, undefined for a dead server. */
    servers(): Record<string, number | undefined> {
        const { processes } = JSON.parse(
            readFileSync(join(this.state, "cluster", "cluster.json"), "utf8"),
        ) as ClusterRecord;
        return Object.fromEntries(
            processes.map((process) => [process.server, isAlive(process) ? process.pid : undefined]),
        );
    }

    async remove(): Promise<void> {
        await this.cli("down");
        rmSync(this.folder, { recursive: true });
    }
}

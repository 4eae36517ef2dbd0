import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

import { ARCHIVES } from "./archives";
import { root } from "../../../scripts/local/paths";
import { ChangingCluster } from "./changing";
import type { TestNamespace } from "./namespace";
import { until } from "./until";

const main = join(root, "dist", "cli", "main.js");

/** A cluster that sleeps after 10 s without jobs. */
export class SleepingCluster extends ChangingCluster {
    constructor(namespace: TestNamespace, args: ChangingCluster["args"] = {}) {
        super(namespace, "sleeps", {
            size: 1,
            maxSize: 2,
            elastic: { cooldown: 5, sleepAfter: 10 },
            archive: { hostPath: ARCHIVES, folder: namespace.name },
            resources: { limits: { cpu: "1" }, requests: { cpu: "10m" } },
            ...args,
        });
    }

    /** Waits until it sleeps. */
    asleep(): Promise<true> {
        return until("the cluster sleeps", async () => {
            const { spec } = await this.job();
            const pods = await this.namespace.pods(this.name);
            return spec?.suspend && pods.length === 0 ? true : undefined;
        });
    }

    /** Runs a command of `minicluster`. */
    command(...words: string[]): Promise<{ stdout: string; stderr: string }> {
        return promisify(execFile)(process.execPath, [main, "-c", this.name, ...words], {
            env: { ...process.env, KUBECONFIG: this.namespace.kubeconfig },
        });
    }
}

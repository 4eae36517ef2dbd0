import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

import { root } from "../../../scripts/local/paths";
import { labelsOf, leadSelector } from "../../../provider/contract/labels";
import { type FakeApi, useApi } from "./fakeApi";

/** The built program, as users run it. The build bundles the Kubernetes client, which then loads ten times as fast. */
const main = join(root, "dist", "cli", "main.js");

/** The program, with an API server that has the cluster `lammps` in the namespace `hpc`. */
export class MainProgram {
    /** Is its first folder of programs, and has its kubeconfig. */
    folder = "";

    constructor(readonly api: FakeApi) {}

    prepare(): void {
        this.folder = mkdtempSync(join(tmpdir(), "minicluster-"));
        writeFileSync(join(this.folder, "config"), this.api.kubeconfig);
        this.api.put("jobs", {
            metadata: { name: "lammps", uid: "job-uid", labels: labelsOf("lammps") },
            spec: { parallelism: 1 },
            status: { ready: 1 },
        });
        const labels = { "batch.kubernetes.io/job-name": "lammps", "batch.kubernetes.io/job-completion-index": "0" };
        this.api.put("pods", {
            metadata: { name: "lammps-0-x", labels, annotations: labels, ownerReferences: [{ uid: "job-uid" }] },
            spec: { containers: [] },
            status: { phase: "Running" },
        });
    }

    clear(): void {
        rmSync(this.folder, { recursive: true });
    }

    makeReady(): void {
        const pod = this.api.get("pods", "lammps-0-x")!;
        const conditions = [{ type: "Ready", status: "True", lastTransitionTime: new Date().toISOString() }];
        const labels = { ...pod.metadata.labels, ...leadSelector("lammps") };
        this.api.put("pods", {
            ...pod,
            metadata: { ...pod.metadata, labels },
            status: { phase: "Running", conditions },
        });
    }

    start(...words: string[]) {
        const env = {
            ...process.env,
            npm_command: "",
            KUBECONFIG: join(this.folder, "config"),
            PATH: `${this.folder}${delimiter}${process.env.PATH}`,
        };
        return spawn(process.execPath, [main, ...words], { cwd: root, env, stdio: ["ignore", "pipe", "pipe"] });
    }
}

/** Waits for the end of a program; returns its exit code or signal, and what it has printed. */
export async function end(child: ReturnType<MainProgram["start"]>) {
    const [stdout, stderr, [code, signal]] = await Promise.all([
        child.stdout.toArray(),
        child.stderr.toArray(),
        once(child, "close"),
    ]);
    const texts = { stdout: Buffer.concat(stdout).toString(), stderr: Buffer.concat(stderr).toString() };
    return { code: (code ?? signal) as number | string, ...texts };
}

export function useMainProgram(): MainProgram {
    const program = new MainProgram(useApi());
    beforeEach(() => program.prepare());
    afterEach(() => program.clear());
    return program;
}

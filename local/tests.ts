import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { delimiter, join } from "node:path";

import { runVisibly } from "./child";
import { clusterUp } from "./cluster";
import { compile } from "./compile";
import { buildImages } from "./images";
import { nodeBinDir } from "./paths";
import { toolchain } from "./toolchain";

/** Runs all that `make test` promises, and closes with the counts of all its parts. */
export function runTests(): Promise<boolean> {
    return counted(async (environment) => {
        // A type error or a broken unit makes the long part pointless.
        if (!(await npmTest(environment))) {
            console.log("npm test failed, so the end-to-end tests were not run.");
            return false;
        }
        return runSuites("e2e", environment);
    });
}

/** Some of the long suites by themselves. */
export function runE2e(suites: Suites): Promise<boolean> {
    return counted(async (environment) => {
        await compile();
        return runSuites(suites, environment);
    });
}

/** Each has a configuration of its own; what is in `alone` uses all of the machine, or its network. */
const SUITES = { e2e: ["e2e", "alone"], faults: ["faults"] } as const;

type Suites = keyof typeof SUITES;

/** Mocha on the real engine and our own cluster; the suites ask for the cluster themselves. */
async function runSuites(suites: Suites, environment: NodeJS.ProcessEnv): Promise<boolean> {
    const { env } = await toolchain();
    // Where nothing is built yet this takes half an hour, which no test's timeout allows for.
    await clusterUp();
    await buildImages();
    const grep = process.env["GREP"];
    let passed = true;
    for (const suite of SUITES[suites]) {
        const args = ["--config", `.mocharc.${suite}.json`, "--jobs", String(jobs()), ...(grep ? ["--grep", grep] : [])];
        passed = (await succeeds(join(nodeBinDir, "mocha"), args, { ...env, ...environment })) && passed;
    }
    return passed;
}

/** Files at a time, where a suite allows for more than one. More than four were never tried on one control plane. */
function jobs(): number {
    return Math.min(Math.max(availableParallelism(), 2), 4);
}

async function counted(action: (environment: NodeJS.ProcessEnv) => Promise<boolean>): Promise<boolean> {
    const folder = mkdtempSync(join(tmpdir(), "flux-minicluster-"));
    const counts = join(folder, "counts");
    try {
        const passed = await action({ TEST_COUNTS: counts });
        console.log(`\n${closingLine(counts)}`);
        return passed;
    } finally {
        rmSync(folder, { recursive: true });
    }
}

export function runUnit(): Promise<boolean> {
    return succeeds("npm", ["run", "--silent", "unit"], node24());
}

const npmTest = (environment: NodeJS.ProcessEnv): Promise<boolean> => succeeds("npm", ["test"], { ...node24(), ...environment });

const node24 = (): NodeJS.ProcessEnv => ({ PATH: `${nodeBinDir}${delimiter}${process.env["PATH"] ?? ""}` });

/** A KUBECONFIG that happens to be set is not for tests. */
const succeeds = (command: string, args: readonly string[], environment: NodeJS.ProcessEnv): Promise<boolean> =>
    runVisibly(command, args, { ...environment, KUBECONFIG: undefined });

interface Counts {
    readonly passed: number;
    readonly failed: number;
    readonly skipped: number;
}

/** The one line that CI reads. */
export function closingLine(file: string): string {
    const lines = existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
    const all = lines.filter(Boolean).map((line) => JSON.parse(line) as Counts);
    const sum = (key: keyof Counts): number => all.reduce((total, counts) => total + counts[key], 0);
    const skipped = sum("skipped");
    return `${sum("passed")} passed, ${sum("failed")} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
}

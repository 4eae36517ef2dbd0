import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

import { runVisibly } from "./child";
import { clusterUp } from "./cluster";
import { compile } from "./compile";
import { buildImages } from "./images";
import { nodeBinDir } from "./paths";
import { toolchain } from "./toolchain";

/** Runs all that `make test` promises, and closes with the counts of both parts. */
export async function runTests(): Promise<boolean> {
    const folder = mkdtempSync(join(tmpdir(), "flux-minicluster-"));
    const counts = join(folder, "counts");
    const environment = { TEST_COUNTS: counts };
    // A type error or a broken unit makes the long part pointless.
    const sound = await npmTest(environment);
    if (!sound) {
        console.log("npm test failed, so the end-to-end tests were not run.");
    }
    const passed = sound && (await runMocha("e2e", environment));
    console.log(`\n${closingLine(counts)}`);
    rmSync(folder, { recursive: true });
    return passed;
}

/** One of the long suites by itself. */
export async function runE2e(suite: Suite): Promise<boolean> {
    await compile();
    return runMocha(suite);
}

type Suite = "e2e" | "faults";

/** Mocha on the real engine and our own cluster; the suites ask for the cluster themselves. */
async function runMocha(suite: Suite, environment: NodeJS.ProcessEnv = {}): Promise<boolean> {
    const { env } = await toolchain();
    // Where nothing is built yet this takes half an hour, which no test's timeout allows for.
    await clusterUp();
    await buildImages();
    const grep = process.env["GREP"];
    const args = ["--config", `.mocharc.${suite}.json`, ...(grep ? ["--grep", grep] : [])];
    return succeeds(join(nodeBinDir, "mocha"), args, { ...env, ...environment });
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

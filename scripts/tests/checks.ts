import { join } from "node:path";

import { type Ending, runQuietly, runVisibly } from "../local/child";
import { ensurePrograms, lintPrograms } from "../local/packages";
import { nodeBinDir } from "../local/paths";
import { withSecondTry } from "./again";
import { phase, recordFailure } from "./measure";
import { durations, filesOf, lastFiles, SUITES } from "./suites";
import { FILE_CHECKS, type FileCheck, hashOfFiles, hasPassed, keepVerdict } from "./verdicts";

/** Of generated cases, `make test` tries some; `make unit` and PART=arguments try all. */
const FEWER_CASES = { ARGUMENT_RUNS: process.env["ARGUMENT_RUNS"] ?? "2500" };

/**
 * Runs the checks that need no cluster; each prints its output when it has ended. True if all pass. The model of the
 * provider is not one of them: it runs beside the end-to-end tests.
 */
export async function runChecks(environment: NodeJS.ProcessEnv): Promise<boolean> {
    await ensurePrograms(lintPrograms);
    const fewer = { ...FEWER_CASES, ...environment };
    const [texts, units] = await Promise.all([
        runTextChecks(environment),
        withSecondTry(
            ["test/unit"],
            () => reported("unit", () => runQuietly(join(nodeBinDir, "mocha"), unitTests(), fewer)),
            (files, env) => runAlone(files, { ...fewer, ...env }),
        ),
    ]);
    return texts && units;
}

/** The words for mocha, with the longest file first. Their durations are in the profile of `make test`. */
function unitTests(): string[] {
    const { jobs } = SUITES.unit;
    return ["--parallel", "--jobs", String(jobs), ...filesOf(SUITES.unit, durations(lastFiles("e2e")))];
}

/** Runs some files of unit tests, one after the other. */
const runAlone = (files: readonly string[], environment: NodeJS.ProcessEnv): Promise<boolean> =>
    runVisibly(join(nodeBinDir, "mocha"), files, environment);

/** Runs one check after the other, because the unit tests use the second core. */
async function runTextChecks(environment: NodeJS.ProcessEnv): Promise<boolean> {
    let passed = true;
    for (const name of Object.keys(FILE_CHECKS) as FileCheck[]) {
        passed = (await checkOnce(name, environment)) && passed;
    }
    return passed;
}

/** Runs a check unless it has passed on the same files. */
async function checkOnce(name: FileCheck, environment: NodeJS.ProcessEnv): Promise<boolean> {
    const files = await hashOfFiles(name);
    if (hasPassed(name, files)) {
        console.log(`${name}: passed before on the same files`);
        return true;
    }
    const passed = await check(name, environment);
    keepVerdict(name, files, passed);
    return passed;
}

/** Runs one of the scripts in package.json. */
export function check(script: FileCheck | "model", environment: NodeJS.ProcessEnv): Promise<boolean> {
    return reported(script, () => runQuietly("npm", ["run", "--silent", script], environment));
}

async function reported(name: string, run: () => Promise<Ending>): Promise<boolean> {
    const { output, succeeded } = await phase(name, run);
    // For the other checks, mocha's reporter records each failed test.
    if (!succeeded && name in FILE_CHECKS) {
        recordFailure(name, output);
    }
    console.log(`${succeeded ? "" : "\n"}${name}: ${succeeded ? "passed" : "FAILED"}\n${output.trimEnd()}`);
    return succeeded;
}

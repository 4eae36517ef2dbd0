import { join } from "node:path";

import { type Ending, runQuietly, runVisibly } from "../local/child";
import { ensurePrograms, lintPrograms } from "../local/packages";
import { nodeBinDir } from "../local/paths";
import { withSecondTry } from "./again";
import { phase, recordFailure } from "./measure";
import { FILE_CHECKS, type FileCheck, hashOfFiles, hasPassed, keepVerdict } from "./verdicts";

/**
 * Runs the checks that need no cluster; each prints its output when it has ended. True if all pass. The model of the
 * provider is not one of them: it runs beside the end-to-end tests.
 */
export async function runChecks(environment: NodeJS.ProcessEnv): Promise<boolean> {
    await ensurePrograms(lintPrograms);
    const [texts, units] = await Promise.all([
        runTextChecks(environment),
        withSecondTry(
            ["test/unit"],
            () => check("unit", environment, ["--ignore", "test/model/**"]),
            (files, env) => runAlone(files, { ...environment, ...env }),
        ),
    ]);
    return texts && units;
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
export async function check(
    script: FileCheck | "model" | "unit",
    environment: NodeJS.ProcessEnv,
    args: readonly string[] = [],
): Promise<boolean> {
    const { output, succeeded }: Ending = await phase(script, () =>
        runQuietly("npm", ["run", "--silent", script, "--", ...args], environment),
    );
    // For the other checks, mocha's reporter records each failed test.
    if (!succeeded && script in FILE_CHECKS) {
        recordFailure(script, output);
    }
    console.log(`${succeeded ? "" : "\n"}${script}: ${succeeded ? "passed" : "FAILED"}\n${output.trimEnd()}`);
    return succeeded;
}

import { type Ending, runQuietly } from "../local/child";
import { ensurePrograms, lintPrograms } from "../local/packages";
import { phase, recordFailure } from "./measure";

/**
 * Runs the checks that need no cluster; each prints its output when it has ended. True if all pass. The model of the
 * provider is not one of them: it runs beside the end-to-end tests.
 */
export async function runChecks(environment: NodeJS.ProcessEnv): Promise<boolean> {
    await ensurePrograms(lintPrograms);
    const [texts, units] = await Promise.all([
        runTextChecks(environment),
        check("unit", environment, ["--ignore", "test/model/**"]),
    ]);
    return texts && units;
}

/** Runs one check after the other, because the unit tests use the second core. */
async function runTextChecks(environment: NodeJS.ProcessEnv): Promise<boolean> {
    const typed = await check("typecheck", environment);
    return (await check("lint", environment)) && typed;
}

/** Runs one of the scripts in package.json. */
export async function check(
    script: "lint" | "model" | "typecheck" | "unit",
    environment: NodeJS.ProcessEnv,
    args: readonly string[] = [],
): Promise<boolean> {
    const { output, succeeded }: Ending = await phase(script, () =>
        runQuietly("npm", ["run", "--silent", script, "--", ...args], environment),
    );
    // For the other checks, mocha's reporter records each failed test.
    if (!succeeded && (script === "lint" || script === "typecheck")) {
        recordFailure(script, output);
    }
    console.log(`${succeeded ? "" : "\n"}${script}: ${succeeded ? "passed" : "FAILED"}\n${output.trimEnd()}`);
    return succeeded;
}

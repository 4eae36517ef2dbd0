import { spawnSync } from "node:child_process";
import { availableParallelism } from "node:os";

/** The variable with the factor. A run measures once, and its processes inherit it. */
const VARIABLE = "TEST_LIMIT_FACTOR";

/** The largest factor, so that a true hang still ends a run. */
export const LARGEST_FACTOR = 6;

/** Seconds of the probe on a quiet machine with two cores, such as CI's. */
const QUIET_SECONDS = 0.25;

/** Starts processes and uses the CPU on two cores, as a test run does. */
const PROBE = `
work() {
    local count
    for count in {1..30}; do /bin/true; done
    for ((count = 0; count < 75000; count++)); do :; done
}
work & work & wait
`;

let factor: number | undefined;

/** How much longer this machine takes for a test than a quiet machine with two cores: 1 to 6. */
export function limitFactor(environment: NodeJS.ProcessEnv = process.env): number {
    factor ??= Number((environment[VARIABLE] ??= String(factorOf(probe()))));
    return factor;
}

/** The factor of a machine on which the probe takes so many seconds. */
export function factorOf(seconds: number): number {
    return Math.min(LARGEST_FACTOR, Math.max(1, Math.round((10 * seconds) / QUIET_SECONDS) / 10));
}

/**
 * The limit of a wait that takes less than so many seconds on a quiet machine. It only catches what hangs: no test
 * fails because the machine is slow.
 */
export function limit(seconds: number): number {
    return Math.round(seconds * limitFactor());
}

/** The factor in words, for the beginning of a run. */
export const describeLimits = (): string =>
    `Limits of tests: ${limitFactor()} times those of a quiet machine with two cores (measured on ${availableParallelism()}).`;

function probe(): number {
    const begun = process.hrtime.bigint();
    spawnSync("bash", ["-c", PROBE], { stdio: "ignore" });
    return Number(process.hrtime.bigint() - begun) / 1e9;
}

import { limit } from "../../../../scripts/tests/limits";

/**
 * Grace period for clusters that end during a job. If the job is not cancelled first, the end takes 27 s and the pods
 * are killed. A slow machine gets more.
 */
export const GRACE = { terminationGracePeriodSeconds: limit(25) };

/** The most seconds of an orderly end. A quiet machine needs less than 6, which FLUX_TEST_SECONDS=6 requires. */
export const LIMIT = Number(process.env["FLUX_TEST_SECONDS"] ?? GRACE.terminationGracePeriodSeconds);

/** Seconds from SIGTERM to SIGKILL for the tasks of a cancelled job: Flux's default, see flux-config-exec(5). */
export const KILL_TIMEOUT = 5;

/** For clusters that end under a job: jobs that aren't cancelled first take 27 s, and their pods are ended by force. */
export const GRACE = { terminationGracePeriodSeconds: 25 };

/** Seconds of an orderly end. A quiet machine needs less than 6, which FLUX_TEST_SECONDS=6 asks for. */
export const LIMIT = Number(process.env["FLUX_TEST_SECONDS"] ?? GRACE.terminationGracePeriodSeconds);

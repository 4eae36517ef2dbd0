/*
 * What this process and the programs in the lead agree on. A test compares it with agent/protocol.py and job.sh.
 */

/** Exit code for a job that Flux doesn't know. */
export const UNKNOWN_JOB = 64;
/** Exit code if the broker doesn't answer. */
export const NO_BROKER = 65;
/** Exit code for a job that runs and may not be cancelled. */
export const RUNNING = 66;
/** Exit code for a nonce that an array has. */
export const ARRAY = 67;
/** Exit code for a job whose code the lead doesn't have. */
export const NO_CODE = 68;
/** Exit code of the agent if the lead has no place at the moment, which is an answer too. */
export const BUSY = 75;
/** Exit code of the agent in an image without Flux' Python bindings. */
export const WITHOUT_BINDINGS = 78;

/** Seconds that a cancelled job has to end; Flux kills it before they are over. */
export const END_SECONDS = 60;
/** Seconds after which a call submits no more elements of an array. */
export const SUBMISSION_SECONDS = 12;
/** Seconds without a line after which the agent and its client give up their connection. */
export const SILENCE_SECONDS = 60;
/** Default of `urgency`: that of Flux. */
export const URGENCY = 16;

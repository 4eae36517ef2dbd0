/** A mistake in the command line; the exit code is 2. */
export class UsageError extends Error {
    /** The command whose help tells more. */
    command?: string;
}

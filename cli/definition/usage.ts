/** A mistake in the command line; the exit code is 2. */
export class UsageError extends Error {
    /** The command whose help tells more. */
    command?: string;
}

/** The same error; a mistake in the command line belongs to this command. */
export function ofCommand(error: unknown, command: string): unknown {
    return error instanceof UsageError ? Object.assign(error, { command }) : error;
}

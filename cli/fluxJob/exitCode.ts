const MEANINGS: Readonly<Record<number, string>> = {
    126: "the program can't be executed",
    127: "the program was not found",
    134: "SIGABRT",
    137: "SIGKILL; the kernel may have killed it for its memory",
    139: "SIGSEGV",
    142: "SIGALRM",
    143: "SIGTERM",
};

/** What an exit code mostly means, in brackets. */
export function meaning(exitCode: number): string {
    const text = MEANINGS[exitCode] ?? (exitCode > 128 ? `signal ${exitCode - 128}` : undefined);
    return text === undefined ? "" : ` (${text})`;
}

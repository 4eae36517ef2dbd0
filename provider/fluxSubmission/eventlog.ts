import type { JobRecord } from "./resource";

/** What the events of a job tell. */
export type JobProgress = Omit<JobRecord, "output"> & {
    /** All is done with it: its output is complete and its nodes are free. */
    readonly over: boolean;
};

interface JobEvent {
    readonly name: string;
    readonly context?: Readonly<Record<string, any>>;
}

/**
 * How far a job has come, by its event log, one JSON object a line.
 * @see https://flux-framework.readthedocs.io/projects/flux-rfc/en/latest/spec_21.html
 */
export function readEventlog(text: string): JobProgress {
    const events = text
        .split("\n")
        .filter((line) => line.startsWith("{"))
        .map((line) => JSON.parse(line) as JobEvent);
    const find = (name: string) => events.find((event) => event.name === name);
    const fatal = events.find(({ context, name }) => name === "exception" && context?.severity === 0);
    const finish = find("finish");
    const over = find("clean") !== undefined;
    if (!over) {
        return { phase: find("start") === undefined ? "pending" : "running", over };
    }
    const exitCode = finish === undefined ? undefined : exitCodeOf(Number(finish.context?.status));
    const reason = reasonOf(exitCode, fatal?.context);
    return { phase: reason === undefined ? "succeeded" : "failed", exitCode, reason, over };
}

/** Of a wait status, as waitpid gives it: what a shell would say. */
function exitCodeOf(status: number): number {
    const signal = status & 0x7f;
    return signal === 0 ? status >> 8 : 128 + signal;
}

function reasonOf(exitCode: number | undefined, exception: JobEvent["context"]): string | undefined {
    if (exception === undefined) {
        return exitCode === 0 ? undefined : `exit code ${exitCode}`;
    }
    const note = exception.note ? `: ${exception.note}` : "";
    switch (exception.type) {
        case "cancel":
            return `it was cancelled${note}`;
        case "timeout":
            return "it reached its time limit (timeLimit is the argument for it)";
        default:
            return `${exception.type}${note}`;
    }
}

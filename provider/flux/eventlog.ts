import type { Json } from "../contract/object";
import { type ProgramProgress, readProgramProgress } from "../observe/live/progress";
import type { JobPhase, Run } from "./job";

/** A job's progress, by its events. */
export interface JobProgress {
    readonly phase: JobPhase;
    /** Why it failed. */
    readonly reason?: string;
    /** Highest exit code of its tasks; undefined while they run, and if they never ran. */
    readonly exitCode?: number;
    /** The job is finished: its output is complete and its nodes are free. */
    readonly over: boolean;
    /** How far its program has said it is. */
    readonly told?: ProgramProgress;
    /** When a finished job was submitted, and when its tasks started and ended, in seconds since 1970. */
    readonly times?: { readonly submitted?: number; readonly started?: number; readonly ended?: number };
}

interface JobEvent {
    readonly name: string;
    /** Seconds since 1970. */
    readonly timestamp?: number;
    readonly context?: Readonly<Record<string, Json>>;
}

/**
 * Reads a job's progress from its event log, which has one JSON object per line.
 * @see https://flux-framework.readthedocs.io/projects/flux-rfc/en/latest/spec_21.html
 */
export function readEventlog(text: string): JobProgress {
    const events = eventsOf(text);
    const find = (name: string) => events.find((event) => event.name === name);
    const fatal = events.find(({ context, name }) => name === "exception" && context?.severity === 0);
    const finish = find("finish");
    const over = find("clean") !== undefined;
    const told = toldIn(events);
    if (!over) {
        return { phase: find("start") === undefined ? "pending" : "running", over, ...told };
    }
    const exitCode = finish === undefined ? undefined : exitCodeOf(Number(finish.context?.status));
    const reason = reasonOf(exitCode, fatal?.context);
    const at = (name: string) => find(name)?.timestamp;
    const times = { submitted: at("submit"), started: at("start"), ended: at("finish") ?? at("clean") };
    return { phase: reason === undefined ? "succeeded" : "failed", exitCode, reason, over, times, ...told };
}

/** The last memo of progress.sh. Flux makes a number of a text that is one. */
function toldIn(events: readonly JobEvent[]): Pick<JobProgress, "told"> {
    const memo = events.findLast(({ context, name }) => name === "memo" && context?.progress !== undefined);
    const told = memo && readProgramProgress(String(memo.context?.progress));
    return told === undefined ? {} : { told };
}

/** The work of a job whose tasks run; undefined if they haven't started, or have finished. */
export function readRun(text: string): Run | undefined {
    const events = eventsOf(text);
    const start = events.find(({ name }) => name === "start");
    const isOver = events.some(({ name }) => name === "finish" || name === "clean");
    return start === undefined || isOver ? undefined : { since: start.timestamp };
}

function eventsOf(text: string): JobEvent[] {
    const lines = text.split("\n").filter((line) => line.startsWith("{"));
    return lines.map((line) => JSON.parse(line) as JobEvent);
}

/** Converts a wait status of waitpid into the exit code that a shell reports. */
export function exitCodeOf(status: number): number {
    const signal = status & 0x7f;
    return signal === 0 ? status >> 8 : 128 + signal;
}

/** Why a job has failed; undefined if it has succeeded. */
export function reasonOf(exitCode: number | undefined, exception: JobEvent["context"]): string | undefined {
    if (exception === undefined) {
        return exitCode === 0 ? undefined : `exit code ${exitCode}`;
    }
    const note = exception.note ? `: ${exception.note}` : "";
    switch (exception.type) {
        case "cancel":
            return `it was cancelled${note}`;
        case "dependency":
            return `a job of after did not end as required${note}; pulumi up --refresh submits both again`;
        case "timeout":
            return "it reached its time limit; raise timeLimit";
        default:
            return `${exception.type}${note}`;
    }
}

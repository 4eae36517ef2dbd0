import { describeSeconds } from "../../provider/contract/quantity";
import { exitCodeOf } from "../../provider/flux/eventlog";
import { meaning } from "../fluxJob/exitCode";
import { type Facts, find, type JobEvent, type Part } from "./facts";

/** How a job has ended, or how it runs. */
export function explainRun(facts: Facts, now: number): Part & { readonly exitCode: number | null } {
    const { events } = facts;
    const finish = find(events, "finish");
    const exitCode = finish === undefined ? null : exitCodeOf(Number(finish.context?.status));
    if (find(events, "clean") === undefined) {
        return { ...stillThere(events, now), exitCode };
    }
    const fatal = events.find(({ context, name }) => name === "exception" && context?.severity === 0);
    const part = fatal === undefined ? byExitCode(exitCode ?? 1) : byException(fatal, facts);
    const start = find(events, "start");
    const ran =
        start === undefined || finish === undefined
            ? ["Its tasks never ran."]
            : [`Its tasks ran for ${describeSeconds(finish.timestamp - start.timestamp)}.`];
    return { reason: part.reason, sentences: [...part.sentences, ...ran], exitCode };
}

function stillThere(events: readonly JobEvent[], now: number): Part {
    const finish = find(events, "finish");
    if (finish !== undefined) {
        const description = events.findLast(({ name }) => name === "epilog-start")?.context?.description as
            | string
            | undefined;
        const what = description === undefined ? "gives back its resources" : `waits for the epilog ${description}`;
        return { reason: "ending", sentences: [`Its tasks have ended, and it ${what}.`] };
    }
    const start = find(events, "start");
    return { reason: "running", sentences: [`It runs, for ${describeSeconds(now - (start?.timestamp ?? now))}.`] };
}

function byExitCode(exitCode: number): Part {
    return exitCode === 0
        ? { reason: "succeeded", sentences: ["It has succeeded."] }
        : { reason: "failed", sentences: [`It has failed with exit code ${exitCode}${meaning(exitCode)}.`] };
}

function byException({ context = {} }: JobEvent, { wish }: Facts): Part {
    const type = String(context.type);
    const note = context.note ? `: ${String(context.note)}` : "";
    switch (type) {
        case "cancel":
            return { reason: "cancelled", sentences: [`It was cancelled${note}.`] };
        case "alloc":
            return { reason: "refused", sentences: [`The scheduler refused it${note}.`] };
        case "timeout": {
            const limit = wish.duration ? ` of ${describeSeconds(wish.duration)}` : "";
            return { reason: "timeout", sentences: [`It reached its time limit${limit}.`] };
        }
        default:
            return { reason: "exception", sentences: [`It ended with an exception of Flux, ${type}${note}.`] };
    }
}

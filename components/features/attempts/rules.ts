import { OnRankLoss, reruns } from "./lossPolicy";
import { validateAtLeast } from "../../rules/atLeast";
import type { Problem } from "../../rules/problem";
import { validateSignalName } from "../../runOptions/signal";
import type { MiniClusterSpec } from "../../spec";

/** Seconds of a pod's end besides the time of the command: the notice, and 5 s from SIGTERM to SIGKILL. */
const END_SECONDS = 10;

export function validateAttempts(spec: MiniClusterSpec): Problem[] {
    return [...validateCommand(spec), ...validateRerun(spec), ...validateContinue(spec), ...validateCheckpoint(spec)];
}

/** Only a command that the lead runs by Flux can be started again. */
function validateCommand(spec: MiniClusterSpec): Problem[] {
    const { checkpoint, launcher, mode, onRankLoss } = spec;
    if (mode === "ephemeral" && !launcher) {
        return [];
    }
    const why = launcher
        ? "with launcher the command submits its own jobs, and decides on them"
        : "there is no command";
    const cure = launcher ? "Remove it, or remove launcher." : "Remove it, or give a command.";
    return [
        ...(reruns(spec) ? [{ property: "onRankLoss", reason: `is "${onRankLoss}", but ${why}. ${cure}` }] : []),
        ...(checkpoint === undefined ? [] : [{ property: "checkpoint", reason: `is given, but ${why}. ${cure}` }]),
    ];
}

/** Refuses a size, for example a lowered one, below the number of ranks that each attempt waits for. */
function validateRerun({ maxSize, nodes, onRankLoss, size }: MiniClusterSpec): Problem[] {
    const need = nodes ?? maxSize;
    if (onRankLoss !== OnRankLoss.Rerun || need <= size) {
        return [];
    }
    const limit = nodes === undefined ? "maxSize" : "nodes";
    const reason = `is "rerun", but ${limit} ${need} is above size ${size}; each attempt waits for as many ranks as the first one had.`;
    return [{ property: "onRankLoss", reason: `${reason} Set ${limit} to at most size, or use "continue".` }];
}

/** Refuses a command that can't run on fewer ranks. */
function validateContinue({ minSize, nodes, onRankLoss, size }: MiniClusterSpec): Problem[] {
    if (onRankLoss !== OnRankLoss.Continue) {
        return [];
    }
    const property = "onRankLoss";
    const problems: Problem[] = [];
    if (minSize >= size) {
        const reason = `is "continue", but minSize ${minSize} is not below size ${size}, so that the command can't go on with fewer ranks.`;
        problems.push({ property, reason: `${reason} Lower minSize, or use "rerun".` });
    }
    if (nodes !== undefined) {
        const reason = `is "continue", but nodes is ${nodes}; then the command can't go on with fewer ranks.`;
        problems.push({ property, reason: `${reason} Remove nodes, or use "rerun".` });
    }
    return problems;
}

function validateCheckpoint(spec: MiniClusterSpec): Problem[] {
    const { checkpoint, terminationGracePeriodSeconds: grace, timeouts } = spec;
    if (checkpoint === undefined) {
        return [];
    }
    const { seconds, signal } = checkpoint;
    const problems = [
        ...validateSignalName("checkpoint.signal", signal),
        ...validateAtLeast([["checkpoint.seconds", seconds, 1]]),
    ];
    const least = seconds + END_SECONDS;
    if (grace < least) {
        const reason = `is ${grace}; it must be at least ${least}: checkpoint.seconds ${seconds}, and ${END_SECONDS} for the end itself.`;
        problems.push({ property: "terminationGracePeriodSeconds", reason: `${reason} Raise it, or leave it out.` });
    }
    if (timeouts.delete <= grace) {
        const reason = `is ${timeouts.delete}, but a pod may take ${grace} seconds to end.`;
        const cure = "Raise it above that, or lower checkpoint.seconds.";
        problems.push({ property: "timeouts.delete", reason: `${reason} ${cure}` });
    }
    return problems;
}

import type { RunOptions } from "../../../provider/contract/runOptions";
import type { Problem } from "../../rules/problem";
import type { MiniClusterSpec } from "../../spec";
import { extraTable, isTable, type Table } from "./extraConfig";

const PROPERTY = "broker.extraConfig";

/** The names of the queues, sorted. */
export function queuesOf(spec: MiniClusterSpec): string[] {
    const { queues } = extraTable(spec) ?? {};
    return isTable(queues) ? Object.keys(queues).sort() : [];
}

/** Names that the script which starts the queues can pass on as words. */
const QUEUE = /^[A-Za-z0-9][-A-Za-z0-9_]*$/;

export function validateQueues(spec: MiniClusterSpec): Problem[] {
    return queuesOf(spec).flatMap((name) => {
        const reason = `has the queue "${name}". Use letters, digits, '-' and '_' for a queue's name.`;
        return QUEUE.test(name) ? [] : [{ property: PROPERTY, reason }];
    });
}

/** Judges the queue of the command, if Flux runs it as a job. */
export function validateCommandsQueue(spec: MiniClusterSpec): Problem[] {
    return spec.mode === "ephemeral" && !spec.launcher ? validateFluxQueue(spec, spec) : [];
}

/** Refuses a queue that the cluster doesn't have, and none if the cluster has queues but no default one. */
export function validateFluxQueue({ fluxQueue }: RunOptions, spec: MiniClusterSpec): Problem[] {
    const table = extraTable(spec);
    // The user's own broker.toml may have queues. An empty name, and a text that isn't TOML, are other problems.
    if (spec.broker.config !== undefined || table === undefined || fluxQueue === "") {
        return [];
    }
    const reason = fluxQueue === undefined ? whyMissing(spec, table) : whyUnknown(spec, fluxQueue);
    return reason === undefined ? [] : [{ property: "fluxQueue", reason }];
}

function whyMissing(spec: MiniClusterSpec, table: Table): string | undefined {
    if (queuesOf(spec).length === 0 || hasDefaultQueue(table)) {
        return undefined;
    }
    const cure = "Give it, or set policy.jobspec.defaults.system.queue there.";
    return `is missing, but ${PROPERTY} has ${shownQueues(spec)} and no default. ${cure}`;
}

function whyUnknown(spec: MiniClusterSpec, queue: string): string | undefined {
    const queues = queuesOf(spec);
    if (queues.length === 0) {
        return `is "${queue}", but the cluster has no queues. Add it to ${PROPERTY}, or remove it here.`;
    }
    const reason = `is "${queue}", but ${PROPERTY} has ${shownQueues(spec)}. Change one of them.`;
    return queues.includes(queue) ? undefined : reason;
}

function shownQueues(spec: MiniClusterSpec): string {
    const queues = queuesOf(spec);
    return queues.length === 1 ? `the queue ${queues[0]}` : `the queues ${queues.join(", ")}`;
}

function hasDefaultQueue(table: Table): boolean {
    let at: unknown = table;
    for (const key of ["policy", "jobspec", "defaults", "system", "queue"]) {
        at = isTable(at) ? at[key] : undefined;
    }
    return at !== undefined;
}

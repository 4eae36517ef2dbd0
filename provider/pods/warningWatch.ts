import type { CoreV1Event } from "@kubernetes/client-node";

import type { Kube } from "../kube/client";
import { hasCode } from "../kube/failure";
import { watchList } from "../kube/watch";
import type { Observation } from "./observation";

export interface WarningWatch {
    readonly namespace: string;
    /** Selects Events beside their type. */
    readonly fieldSelector?: string;
    /** True for an Event about an object of the wait: the namespace may have Events of thousands of other objects. */
    concerns(event: CoreV1Event): boolean;
    /** Prints a line. */
    report(line: string): void;
}

/**
 * Watches Kubernetes' warnings until the signal aborts. A wait doesn't need them: without the right to read Events, it
 * reports that once.
 */
export async function watchWarnings(
    kube: Kube,
    { concerns, fieldSelector, namespace, report }: WarningWatch,
    seen: Observation,
    look: () => void,
    signal: AbortSignal,
): Promise<void> {
    const selected = [...(fieldSelector === undefined ? [] : [fieldSelector]), "type=Warning"].join(",");
    let isFirst = true;
    const add = (events: readonly CoreV1Event[], listed = false) => {
        const ours = events.filter(concerns);
        ours.forEach((event) => seen.addWarning(event, Date.now(), listed));
        if (ours.length > 0) {
            look();
        }
    };
    const list = (events: readonly CoreV1Event[]) => {
        add(events, isFirst);
        isFirst = false;
    };
    const handler = { listed: list, present: (event: CoreV1Event) => add([event]), gone: () => undefined };
    try {
        await watchList<CoreV1Event>(kube, { kind: "events", namespace, fieldSelector: selected }, handler, signal);
    } catch (error) {
        if (!hasCode(error, 403)) {
            throw error;
        }
        report(
            "Kubernetes' Events can't be read, so causes may be missing: the right to list and watch events is needed",
        );
    }
}

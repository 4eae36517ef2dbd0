import type { CoreV1Event } from "@kubernetes/client-node";

import type { Kube } from "../../kubernetes/client";
import { hasCode } from "../../kubernetes/failures/failure";
import { watchList, type WatchHandler, type WatchRequest } from "../../kubernetes/watch";
import type { Observation } from "./observation";

export interface WarningWatch {
    readonly namespace: string;
    /** Selects Events beside their type or reason. */
    readonly fieldSelector?: string;
    /** True for an Event about an object of the wait: the namespace may have Events of thousands of other objects. */
    concerns(event: CoreV1Event): boolean;
    /** Prints a line. */
    report(line: string): void;
}

/**
 * Watches Kubernetes' warnings until the signal aborts, and the starts of pulls: earlier warnings are over then.
 * A wait doesn't need them: without the right to read Events, it reports that once.
 */
export async function watchWarnings(
    kube: Kube,
    watch: WarningWatch,
    seen: Observation,
    look: () => void,
    signal: AbortSignal,
): Promise<void> {
    const warned: Reader = (event, isFirst) => seen.addWarning(event, kube.now().getTime(), isFirst);
    const pulled: Reader = (event) => seen.addPull(event, kube.now().getTime());
    try {
        await Promise.all([
            watchList(kube, requestFor(watch, "type=Warning"), eventHandler(watch, warned, look), signal),
            watchList(kube, requestFor(watch, "reason=Pulling"), eventHandler(watch, pulled, look), signal),
        ]);
    } catch (error) {
        if (!hasCode(error, 403)) {
            throw error;
        }
        watch.report(
            "Kubernetes' Events can't be read, so causes may be missing: the right to list and watch events is needed",
        );
    }
}

/** Reads an Event; `isFirst` is true for those of the first list. */
type Reader = (event: CoreV1Event, isFirst: boolean) => void;

function requestFor({ fieldSelector, namespace }: WarningWatch, selector: string): WatchRequest {
    const selectors = fieldSelector === undefined ? [selector] : [fieldSelector, selector];
    return { kind: "events", namespace, fieldSelector: selectors.join(",") };
}

function eventHandler({ concerns }: WarningWatch, read: Reader, look: () => void): WatchHandler<CoreV1Event> {
    let isFirst = true;
    const readAll = (events: readonly CoreV1Event[], isListed: boolean) => {
        const ours = events.filter(concerns);
        ours.forEach((event) => read(event, isListed));
        if (ours.length > 0) {
            look();
        }
    };
    const listed = (events: readonly CoreV1Event[]) => {
        readAll(events, isFirst);
        isFirst = false;
    };
    return { listed, present: (event) => readAll([event], false), gone: () => undefined };
}

import type { Kube } from "./client";
import * as k8s from "./clientNode";
import { hasCode, isTransient } from "./failures/failure";
import { pause } from "./pause";
import { pauseAfter } from "./retry";

/** The objects to watch. */
export interface WatchRequest {
    readonly kind: "events" | "jobs" | "pods" | "workloads";
    /** Of Kueue's API, for workloads. */
    readonly version?: string;
    readonly namespace: string;
    readonly labelSelector?: string;
    readonly fieldSelector?: string;
}

export interface WatchHandler<T> {
    /** An object was added or changed. */
    present(object: T): void;
    gone(object: T): void;
    /** A list has been read completely; an object that isn't in it doesn't exist any more. */
    listed(objects: readonly T[]): void;
    /** The API server doesn't answer (with the error), or answers again (with undefined). */
    reachable?(error: unknown): void;
}

export const KUEUE = "kueue.x-k8s.io";
/** Largest number of objects in one answer of the API server. */
const PAGE = 500;
/** Milliseconds between tries while the API server can't be reached. */
const PAUSE = 500;
/** Milliseconds; a watch that ends sooner counts as ended at once. */
const BRIEF = 1000;
/** So many times the time for an answer, a watch may be silent: 75 s. The API server sends a bookmark each minute. */
const SILENCE = 5;
type Meta = k8s.KubernetesObject;

/**
 * Lists objects in pages, then watches them until the signal aborts. Continues after a broken connection, and lists
 * again if the API server doesn't have the version any more, and after a watch without an answer or a sign of life: a proxy
 * may keep what the API server sends, and let lists through. Rejects only for an error that can't pass, such as a missing
 * right. A busy API server ends watches whose events it can't send, but keeps the events: the next watch starts at once.
 */
export async function watchList<T extends Meta>(
    kube: Kube,
    request: WatchRequest,
    handler: WatchHandler<T>,
    signal: AbortSignal,
): Promise<void> {
    let version: string | undefined;
    let isAnswered = false;
    let isRenewed = false;
    const answered = () => {
        isRenewed = false;
        if (!isAnswered) {
            isAnswered = true;
            handler.reachable?.(undefined);
        }
    };
    while (!signal.aborted) {
        let requestedAt = performance.now();
        try {
            if (version === undefined) {
                version = await list(kube, request, handler);
                answered();
                requestedAt = performance.now();
            }
            version = await watchOnce(kube, request, { ...handler, reachable: answered }, version, signal);
        } catch (error) {
            if (hasCode(error, 410)) {
                version = undefined;
            } else if (isTransient(error)) {
                isAnswered = false;
                handler.reachable?.(error);
            } else if (!hasCode(error, 401) || isRenewed || !kube.refused(requestedAt)) {
                throw error;
            } else {
                isRenewed = true;
            }
            await pause(pauseAfter(error, PAUSE), signal);
        }
    }
}

async function list<T extends Meta>(kube: Kube, request: WatchRequest, handler: WatchHandler<T>): Promise<string> {
    const objects: T[] = [];
    let next: string | undefined;
    for (;;) {
        const page = await get<T>(kube, request, next);
        objects.push(...page.items);
        next = page.metadata._continue;
        if (next === undefined || next === "") {
            handler.listed(objects);
            return page.metadata.resourceVersion;
        }
    }
}

interface Page<T> {
    readonly items: readonly T[];
    readonly metadata: { readonly _continue?: string; readonly resourceVersion: string };
}

async function get<T>(kube: Kube, request: WatchRequest, next: string | undefined): Promise<Page<T>> {
    const { kind, version = "", ...selection } = request;
    const query = { ...selection, limit: PAGE, _continue: next };
    switch (kind) {
        case "events":
            return (await kube.core.listNamespacedEvent(query)) as unknown as Page<T>;
        case "jobs":
            return (await kube.batch.listNamespacedJob(query)) as unknown as Page<T>;
        case "pods":
            return (await kube.core.listNamespacedPod(query)) as unknown as Page<T>;
        case "workloads":
            return (await kube.custom.listNamespacedCustomObject({
                ...query,
                group: KUEUE,
                version,
                plural: kind,
            })) as Page<T>;
    }
}

function pathOf({ kind, namespace, version }: WatchRequest): string {
    const groups: Partial<Record<WatchRequest["kind"], string>> = {
        jobs: "/apis/batch/v1",
        workloads: `/apis/${KUEUE}/${version}`,
    };
    return `${groups[kind] ?? "/api/v1"}/namespaces/${namespace}/${kind}`;
}

/**
 * Watches once. Returns undefined if the objects must be listed. That, and a pause, come after a watch that ended at once
 * without an event: a proxy may answer watches in place of the API server.
 */
async function watchOnce<T extends Meta>(
    kube: Kube,
    request: WatchRequest,
    handler: WatchHandler<T>,
    from: string,
    signal: AbortSignal,
): Promise<string | undefined> {
    const begun = performance.now();
    const version = await watch(kube, request, handler, from, signal);
    if (version !== from || performance.now() - begun >= BRIEF || signal.aborted) {
        return version;
    }
    await pause(PAUSE, signal);
    return undefined;
}

/** Watches from a version on until the connection ends; returns the version at which to continue, if it is known. */
function watch<T extends Meta>(
    kube: Kube,
    request: WatchRequest,
    handler: WatchHandler<T>,
    from: string,
    signal: AbortSignal,
): Promise<string | undefined> {
    return new Promise((resolve, reject) => {
        let version: string | undefined = from;
        let failure: unknown;
        let isAnswered = false;
        const over = new AbortController();
        const receive = (type: string, object: T) => {
            if (over.signal.aborted) {
                return;
            }
            expect();
            if (type === "ERROR") {
                failure = Object.assign(new Error("watch failed"), {
                    code: (object as { code?: number }).code,
                    body: object,
                });
                return;
            }
            version = object.metadata?.resourceVersion ?? version;
            if (type === "DELETED") {
                handler.gone(object);
            } else if (type !== "BOOKMARK") {
                handler.present(object);
            }
        };
        const { fieldSelector, labelSelector } = request;
        const query = {
            fieldSelector,
            labelSelector,
            resourceVersion: from,
            allowWatchBookmarks: true,
            timeoutSeconds: 290,
        };
        const done = (error: unknown) => {
            clearTimeout(timer);
            over.abort();
            const reason = failure ?? withCode(error, request);
            const ended = reason === undefined || (isAnswered && isEnd(reason)) || signal.aborted;
            if (ended) {
                resolve(version);
            } else {
                reject(reason);
            }
        };
        const silent = () => {
            version = undefined;
            done(undefined);
        };
        const answerTime = kube.patience.seconds * 1000;
        let timer = setTimeout(silent, answerTime);
        const expect = () => {
            clearTimeout(timer);
            // The API server sends no bookmarks of events.
            timer = request.kind === "events" ? timer : setTimeout(silent, SILENCE * answerTime);
        };
        new k8s.Watch(kube.config).watch(pathOf(request), query, receive, done).then(
            (controller) => {
                const stop = () => controller.abort();
                over.signal.addEventListener("abort", stop, { once: true });
                if (over.signal.aborted) {
                    stop();
                    return;
                }
                isAnswered = true;
                expect();
                handler.reachable?.(undefined);
            },
            (error: unknown) => done(error),
        );
        // Also ends a watch without an answer yet. The listener is removed with its watch, because a wait has many.
        const leave = () => done(undefined);
        signal.addEventListener("abort", leave, { once: true, signal: over.signal });
        if (signal.aborted) {
            leave();
        }
    });
}

/** True for the regular end of a quiet or long watch, after which the next watch starts. */
function isEnd(error: unknown): boolean {
    return ["AbortError", "TimeoutError"].includes((error as Error).name);
}

/** Adds a message to the error of a refused watch, of which the client gives only the HTTP status. */
function withCode(error: unknown, { kind, namespace }: WatchRequest): unknown {
    if (error === null || error === undefined) {
        return undefined;
    }
    const { message, statusCode } = error as { message: string; statusCode?: number };
    const body = { message: `cannot watch ${kind} in the namespace "${namespace}": ${message}` };
    return statusCode === undefined ? error : Object.assign(error as Error, { code: statusCode, body });
}

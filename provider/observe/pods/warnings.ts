import type { CoreV1Event, V1ObjectMeta } from "@kubernetes/client-node";

import { plainText } from "./plainText";

/** A warning of Kubernetes about one object. */
export interface Warning {
    readonly reason: string;
    /** One line, without secrets. */
    readonly message: string;
    /** The message of the first of these warnings: later ones may differ in numbers. */
    readonly first: string;
    /** Milliseconds since 1970: when it was first seen, or first seen again after its cause was over. */
    readonly at: number;
    /** When Kubernetes reported it last, by the clock of the program that wrote the Event. */
    readonly last: number;
    /** The program that wrote the Event; empty if the Event doesn't say so. */
    readonly source: string;
    /** From before the wait, and not repeated since: the user may have solved the problem. */
    readonly old: boolean;
}

/** The kind of the only objects that are known by their name. */
const CLAIM = "PersistentVolumeClaim";
/**
 * Milliseconds after which a warning that wasn't repeated is over if others were: a kubelet tries each step again within
 * 122 seconds.
 */
const STALE = 150_000;
/** Milliseconds by which an Event of the first list may be older than the wait. Clocks differ. */
const RECENT = 15_000;

/** The warnings of Kubernetes about the Job, its pods and their claims, from Events. */
export class Warnings {
    /** By object, then by reason and words: two volumes of a pod have warnings with the same reason. */
    private readonly known = new Map<string, Map<string, Warning>>();
    /** Version of each Event that was read, by the Event's UID. */
    private readonly versions = new Map<string, string | undefined>();

    /** `listed` is true for Events of the first list. */
    add(event: CoreV1Event, now: number, listed = false): void {
        if (this.hasRead(event.metadata)) {
            return;
        }
        const { involvedObject } = event;
        const object = involvedObject.kind === CLAIM ? claimKey(involvedObject.name ?? "") : (involvedObject.uid ?? "");
        const about = this.known.get(object) ?? new Map<string, Warning>();
        const warning = readWarning(event, now);
        const key = `${warning.reason} ${wordsOf(warning.message)}`;
        const { at, first } = about.get(key) ?? warning;
        about.delete(key);
        const old = listed && warning.last < now - RECENT;
        this.known.set(object, about.set(key, { ...warning, at, first, old }));
    }

    /** Forgets the warnings about an object, or those of one reason: their cause is over. */
    end(object: string, reason?: string): void {
        const about = this.known.get(object);
        if (reason === undefined) {
            this.known.delete(object);
        } else if (about !== undefined) {
            const rest = [...about].filter(([, warning]) => warning.reason !== reason);
            this.known.set(object, new Map(rest));
        }
    }

    /** The warnings about an object that are still repeated, the newest first. */
    of(object: string): Warning[] {
        const all = [...(this.known.get(object)?.values() ?? [])].reverse();
        // Of one program, because the clocks of two nodes may differ by more.
        const newest = (of: string) => Math.max(...all.filter(({ source }) => source === of).map(({ last }) => last));
        return all
            .filter(({ last, source }) => last > newest(source) - STALE)
            .sort((a, b) => b.at - a.at || b.last - a.last);
    }

    /** True for an Event that was read before: each new list repeats the Events of the previous list. */
    private hasRead({ resourceVersion, uid }: V1ObjectMeta): boolean {
        const known = uid !== undefined && this.versions.get(uid) === resourceVersion;
        if (uid !== undefined) {
            this.versions.set(uid, resourceVersion);
        }
        return known;
    }
}

/** The key of a claim: the pods know its name only. */
export function claimKey(name: string): string {
    return `claim ${name}`;
}

/** A text without numbers and ids, in which two tries of the same step differ. */
function wordsOf(text: string): string {
    return text.replace(/[0-9a-f-]*\d[0-9a-f-]*/gi, "0");
}

function readWarning(event: CoreV1Event, now: number): Warning {
    const { message = "", reason = "", reportingComponent = "", source } = event;
    const text = plainText(message);
    return {
        reason,
        message: text,
        first: text,
        at: now,
        last: lastTimeOf(event) ?? now,
        source: source?.component || reportingComponent,
        old: false,
    };
}

/** When the event was last. The two APIs for Events have different fields, and null in those of the other one. */
export function lastTimeOf({ eventTime, lastTimestamp, series }: CoreV1Event): number | undefined {
    const last = series?.lastObservedTime ?? lastTimestamp ?? eventTime;
    return last === undefined || last === null ? undefined : new Date(last).getTime();
}

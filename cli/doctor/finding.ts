import { plainCure } from "../../provider/observe/causes/pods";

/** `unchecked` is a check that an earlier failure, or a missing right, has prevented. */
export type Level = "fail" | "ok" | "unchecked" | "warn";

/** The result of one check. */
export interface Finding {
    readonly level: Level;
    /** A sentence or a part of one, with names and values. */
    readonly text: string;
    /** What the user can do. */
    readonly cure?: string;
}

export function ok(text: string): Finding {
    return { level: "ok", text };
}

export function warn(text: string, cure?: string): Finding {
    return { level: "warn", text, cure: plain(cure) };
}

export function fail(text: string, cure?: string): Finding {
    return { level: "fail", text, cure: plain(cure) };
}

export function unchecked(text: string, cure?: string): Finding {
    return { level: "unchecked", text, cure: plain(cure) };
}

function plain(cure: string | undefined): string | undefined {
    return cure === undefined ? undefined : plainCure(cure);
}

/** The first few findings, and how many others there are. */
export function firstOf(findings: readonly Finding[], most = 5): Finding[] {
    const more = findings.length - most;
    return more <= 0 ? [...findings] : [...findings.slice(0, most), warn(`and ${more} more like these`)];
}

/** Behind the first one of things that have the same problem. */
export function andOthers(count: number): string {
    return count === 0 ? "" : ` and ${count} other${count === 1 ? "" : "s"}`;
}

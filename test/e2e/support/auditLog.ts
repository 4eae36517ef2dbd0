import { closeSync, openSync, readSync } from "node:fs";

import { auditLog } from "../../../scripts/local/cluster/servers/apiserver";

/** A request in the API server's audit log. */
export interface ApiRequest {
    readonly verb: string;
    /** Path and query. */
    readonly uri: string;
    readonly resource: string;
    readonly apiGroup: string;
    /** HTTP status. */
    readonly code: number;
}

interface AuditEvent {
    readonly auditID: string;
    readonly objectRef?: { readonly apiGroup?: string; readonly resource?: string; readonly subresource?: string };
    readonly requestURI: string;
    readonly responseStatus?: { readonly code?: number };
    readonly user: { readonly username: string };
    readonly verb: string;
}

/** Every request of a user since the start of the log, in the order of arrival. A watch is one request. */
export function requestsOf(username: string, log = auditLog): ApiRequest[] {
    const events = linesWith(username, log).map((line) => JSON.parse(line) as AuditEvent);
    const own = events.filter(({ user }) => user.username === username);
    const first = new Map<string, AuditEvent>();
    for (const event of own) {
        first.set(event.auditID, event);
    }
    return [...first.values()].map(({ objectRef, requestURI, responseStatus, verb }) => ({
        verb,
        uri: requestURI,
        apiGroup: objectRef?.apiGroup ?? "",
        resource: [objectRef?.resource, objectRef?.subresource].filter(Boolean).join("/"),
        code: responseStatus?.code ?? 0,
    }));
}

/** Bytes of a part of the log. Thousands of pods fill it with more bytes than a string can have. */
const PART = 2 ** 26;

/** The complete lines of the log that contain a text. */
function linesWith(text: string, log: string): string[] {
    const file = openSync(log, "r");
    const buffer = Buffer.alloc(PART);
    const found: string[] = [];
    try {
        for (let position = 0; ; ) {
            const end = buffer.subarray(0, readSync(file, buffer, 0, PART, position)).lastIndexOf("\n") + 1;
            if (end === 0) {
                return found;
            }
            const lines = buffer.toString("utf8", 0, end).split("\n");
            found.push(...lines.filter((line) => line.includes(text)));
            position += end;
        }
    } finally {
        closeSync(file);
    }
}

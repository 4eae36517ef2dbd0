import { readFileSync } from "node:fs";

import { auditLog } from "../../../local/cluster/servers/apiserver";

/** A request as the API server saw it. */
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

/** Every request that somebody has ever made, in the order of their arrival. A watch is one request. */
export function requestsOf(username: string): ApiRequest[] {
    const lines = readFileSync(auditLog, "utf8").split("\n");
    const events = lines.filter((line) => line.includes(username)).map((line) => JSON.parse(line) as AuditEvent);
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

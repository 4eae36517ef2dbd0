import { validateObjectName } from "../../rules/names";
import type { Problem } from "../../rules/problem";
import type { MiniClusterSpec } from "../../spec";

/** Refuses two sources of the key, and an invalid name of its Secret. */
export function validateKey({ certificateSecret, key, keygen }: MiniClusterSpec): Problem[] {
    const problems: Problem[] = [];
    if (key === "certificate" && certificateSecret !== undefined) {
        const reason = `is "${certificateSecret}", but certificate is given too. Remove one of them.`;
        problems.push({ property: "certificateSecret", reason });
    }
    if (keygen !== undefined && (key === "certificate" || key === "secret")) {
        const own = key === "secret" ? "certificateSecret" : "certificate";
        problems.push({
            property: "keygen",
            reason: `is "${keygen}", but ${own} already gives a key. Remove one of them.`,
        });
    }
    return [...problems, ...validateObjectName("certificateSecret", certificateSecret)];
}

import { validateObjectName } from "../../rules/names";
import type { Problem } from "../../rules/problem";
import type { MiniClusterSpec } from "../../spec";

/** What is wrong with where the key comes from. */
export function validateKey({ certificateSecret, key, keygen }: MiniClusterSpec): Problem[] {
    const problems: Problem[] = [];
    if (key === "certificate" && certificateSecret !== undefined) {
        const reason = `is "${certificateSecret}", but certificate is given as well. Give one of them.`;
        problems.push({ property: "certificateSecret", reason });
    }
    if (keygen !== undefined && (key === "certificate" || key === "secret")) {
        const own = key === "secret" ? "certificateSecret" : "certificate";
        problems.push({
            property: "keygen",
            reason: `is "${keygen}", but ${own} gives a key already. Remove one of them.`,
        });
    }
    return [...problems, ...validateObjectName("certificateSecret", certificateSecret)];
}

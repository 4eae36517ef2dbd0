import type { Problem } from "./problem";
import type { MiniClusterSpec } from "./spec";

/** What is wrong with where the key comes from. */
export function validateKey({ certificateSecret, key, keygen }: MiniClusterSpec): Problem[] {
    const problems: Problem[] = [];
    if (key === "certificate" && certificateSecret !== undefined) {
        const reason = `is "${certificateSecret}", but certificate is given as well. Give one of them.`;
        problems.push({ property: "certificateSecret", reason });
    }
    if (keygen !== undefined && (key === "certificate" || key === "secret")) {
        const own = key === "secret" ? "certificateSecret" : "certificate";
        problems.push({ property: "keygen", reason: `is "${keygen}", but ${own} gives a key already. Remove one of them.` });
    }
    return problems;
}

/** What is wrong with the MUNGE key. */
export function validateMunge({ munge }: MiniClusterSpec): Problem[] {
    const property = "mungeSecret";
    if (munge?.enabled === false) {
        return [{ property, reason: `is "${munge.secret}", but munge is false. Remove one of them.` }];
    }
    return munge?.secret === "" ? [{ property, reason: "is empty; give the name of a Secret, or munge: true for a new key." }] : [];
}

import { validateObjectName } from "../../rules/names";
import { broken, type Problem } from "../../rules/problem";
import type { MiniClusterSpec } from "../../spec";

/** Refuses two sources of the key, and an invalid name of its Secret. */
export function validateKey({ certificateSecret, key, keygen }: MiniClusterSpec): Problem[] {
    const isTwice = key === "certificate" && certificateSecret !== undefined;
    const isUseless = keygen !== undefined && (key === "certificate" || key === "secret");
    const own = key === "secret" ? "certificateSecret" : "certificate";
    return [
        ...broken([
            [
                isTwice,
                "certificateSecret",
                `is "${certificateSecret}", but certificate is given too. Remove one of them.`,
            ],
            [isUseless, "keygen", `is "${keygen}", but ${own} already gives a key. Remove one of them.`],
        ]),
        ...validateObjectName("certificateSecret", certificateSecret),
    ];
}

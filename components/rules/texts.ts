import type { MiniClusterSpec } from "../spec";
import type { Problem } from "./problem";

/**
 * Largest size of all arguments in bytes. They go into the Job or the ConfigMap, together with the scripts. The API
 * server accepts about 1 MiB for each.
 */
const MOST_TEXT = 800_000;

/** Refuses more text than the Job and the ConfigMap can hold. */
export function validateTexts(spec: MiniClusterSpec): Problem[] {
    const sizes = Object.entries(spec).map(([property, value]) => ({
        property,
        bytes: Buffer.byteLength(JSON.stringify(value) ?? ""),
    }));
    const total = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
    if (total <= MOST_TEXT) {
        return [];
    }
    const { bytes, property } = sizes.reduce((most, next) => (next.bytes > most.bytes ? next : most));
    const limit = `all arguments together may have up to ${MOST_TEXT}, because Kubernetes objects can't hold more`;
    return [{ property, reason: `has ${bytes} bytes; ${limit}. Give it as a file in a volume.` }];
}

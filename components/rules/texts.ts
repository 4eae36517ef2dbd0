import type { MiniClusterSpec } from "../spec";
import type { Problem } from "./problem";

/** Bytes of all that is in the Job or the ConfigMap, where the API server takes about 1 MiB; the scripts are in there too. */
const MOST_TEXT = 800_000;

/** More text than the objects of a cluster can hold. */
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
    const reason = `has ${bytes} bytes; all arguments together may have ${MOST_TEXT}, which Kubernetes can hold. Give it as a file in a volume.`;
    return [{ property, reason }];
}

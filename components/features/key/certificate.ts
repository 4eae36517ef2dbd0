import { CERTIFICATE_FILE, CURVE_DIR, MADE_CURVE_DIR } from "../../parts/paths";
import type { MiniClusterSpec } from "../../spec";
import { Keygen } from "./keygen";

/** True if the pods make the CURVE key themselves. */
export function isMadeInPods(spec: MiniClusterSpec): boolean {
    return spec.key === Keygen.InitContainer;
}

/** Path of the certificate in the Flux container. */
export function certificatePath(spec: MiniClusterSpec): string {
    return `${isMadeInPods(spec) ? MADE_CURVE_DIR : CURVE_DIR}/${CERTIFICATE_FILE}`;
}

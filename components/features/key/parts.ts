import { createHash } from "node:crypto";

import { namesOf } from "../../../provider/contract/names";
import { CERTIFICATE_FILE, CURVE_DIR, MADE_CURVE_DIR } from "../../parts/paths";
import type { Mount } from "../../parts/mount";
import { secretVolume } from "../../parts/secretVolume";
import { tokenMount } from "../../parts/tokenMount";
import type { MiniClusterSpec } from "../../spec";
import { Keygen } from "./keygen";

/** The mount of the certificate in the Flux container. */
export function certificateMount(spec: MiniClusterSpec): Mount {
    if (isMadeInPods(spec)) {
        return {
            mountPath: MADE_CURVE_DIR,
            readOnly: true,
            volume: { name: "flux-curve", emptyDir: { medium: "Memory" } },
        };
    }
    const secretName = spec.certificateSecret ?? namesOf(spec.name).secret;
    const volume = secretVolume(spec, { files: [CERTIFICATE_FILE], name: "flux-curve", secretName });
    return { mountPath: CURVE_DIR, readOnly: true, volume };
}

/** A token of the pod's service account, mounted only in the container that makes the key. */
export const TOKEN_MOUNT = tokenMount("flux-token");

/**
 * Name of the Secret that the lead fills. Each value of `rotate` has another name, so that a pod never uses the old key
 * instead of the new one.
 */
export function madeKeySecret(spec: MiniClusterSpec): string {
    const { key } = namesOf(spec.name);
    const { rotate } = spec;
    return rotate === undefined ? key : `${key}-${createHash("sha256").update(rotate).digest("hex").slice(0, 8)}`;
}

/** True if the pods make the CURVE key themselves. */
export function isMadeInPods(spec: MiniClusterSpec): boolean {
    return spec.key === Keygen.InitContainer;
}

/** Path of the certificate in the Flux container. */
export function certificatePath(spec: MiniClusterSpec): string {
    return `${isMadeInPods(spec) ? MADE_CURVE_DIR : CURVE_DIR}/${CERTIFICATE_FILE}`;
}

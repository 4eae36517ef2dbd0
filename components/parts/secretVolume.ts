import type { MiniClusterSpec } from "../spec";
import type { Mount } from "./mount";

/**
 * A volume with some files of a Secret, which only containers that mount it can see. Its files belong to root. With
 * `fsGroup`, Kubernetes gives them to that group, so that the mode 0400 becomes 0440. Without it, the image's user may
 * be any user, so every user of these containers may read the files. A default `fsGroup` would also change the owner
 * of the user's own volumes.
 */
export function secretVolume(
    spec: MiniClusterSpec,
    {
        files,
        name,
        secretName,
    }: { readonly files: readonly string[]; readonly name: string; readonly secretName: string },
): Mount["volume"] {
    const defaultMode = spec.podSecurityContext.fsGroup === undefined ? 0o444 : 0o400;
    return { name, secret: { secretName, defaultMode, items: files.map((key) => ({ key, path: key })) } };
}

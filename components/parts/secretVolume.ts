import type { MiniClusterSpec } from "../spec";
import type { Mount } from "./mount";

/**
 * A volume with some files of a Secret, which only containers that mount it can see. Its files belong to root. With
 * `fsGroup`, Kubernetes gives them to that group, so that the mode 0400 becomes 0440. Without it, every user of these
 * containers may read the files, because Kubernetes has no other way to let a user read them. A default `fsGroup` would
 * also change owner and mode of all files in the volumes that the user gives.
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

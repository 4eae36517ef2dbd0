import { namesOf } from "../../provider/contract/names";
import { MUNGE_DIR, MUNGE_KEY, MUNGE_SOCKET_DIR } from "../../provider/contract/paths";
import type { MiniClusterSpec } from "../spec";
import type { Mount } from "./volumes";

/** The folder of munged's socket. The image's own may not be there, or belong to another user. */
const SOCKET_MOUNT: Mount = { mountPath: MUNGE_SOCKET_DIR, volume: { name: "flux-munge-socket", emptyDir: { medium: "Memory" } } };

/** The MUNGE key where munged looks for it, and the folder of its socket. */
export function mungeMounts({ munge, name }: MiniClusterSpec): Mount[] {
    if (munge === undefined) {
        return [];
    }
    const items = [{ key: MUNGE_KEY, path: MUNGE_KEY }];
    const secret = { secretName: munge.secret ?? namesOf(name).secret, defaultMode: 0o400, items };
    // The whole folder, because the image's is mostly closed to all users but one.
    return [
        { mountPath: MUNGE_DIR, readOnly: true, volume: { name: "flux-munge", secret } },
        SOCKET_MOUNT,
    ];
}

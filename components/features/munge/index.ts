import type { Input } from "@pulumi/pulumi";

import { namesOf } from "../../../provider/contract/names";
import { MUNGE_DIR, MUNGE_SOCKET_DIR } from "../../parts/paths";
import type { Mount } from "../../parts/mount";
import { scriptsIn } from "../../parts/scripts";
import { secretVolume } from "../../parts/secretVolume";
import { validateObjectName } from "../../rules/names";
import type { Problem } from "../../rules/problem";
import type { MiniClusterSpec } from "../../spec";
import { type Feature, when } from "../feature";

/** Name of the MUNGE key in Secrets. */
export const MUNGE_KEY = "munge.key";

export interface MungeArguments {
    /**
     * A MUNGE key at /etc/munge/munge.key in every pod, derived from the CURVE key and renewed by `rotate`. If the
     * image has munged, it starts before the hook `pre`, runs as the pod's user and has its socket in /run/munge.
     * @default false, or true if `mungeSecret` is given
     * @see https://github.com/dun/munge/wiki
     */
    munge?: Input<boolean>;
    /**
     * Name of a Secret in the same namespace whose key `munge.key` is the MUNGE key, for a cluster that shares the key
     * with others. When its content changes, change `triggers`.
     * @default none: a key is made
     */
    mungeSecret?: Input<string>;
}

interface MungeSpec {
    readonly enabled: boolean;
    /** Undefined if the key is the cluster's own. */
    readonly secret?: string;
}

export interface Decided {
    /** Undefined without MUNGE. */
    readonly munge?: MungeSpec;
}

export const munge: Feature<MungeArguments, Decided> = {
    decide: ({ munge: enabled, mungeSecret: secret }) => ({
        munge: enabled || secret !== undefined ? { enabled: enabled ?? true, secret } : undefined,
    }),

    problems: validateMunge,

    ...when(({ munge: given }) => given, {
        files: () => scriptsIn(__dirname, "start-munge.sh"),
        parameters: () => ({ mungeKey: `${MUNGE_DIR}/${MUNGE_KEY}` }),
        mounts: mungeMounts,
    }),
};

function validateMunge({ munge: given }: MiniClusterSpec): Problem[] {
    const property = "mungeSecret";
    if (given?.enabled === false) {
        return [
            { property, reason: `is "${given.secret}", but munge is false. Remove one of them.` },
            ...validateObjectName(property, given.secret || undefined),
        ];
    }
    return given?.secret === ""
        ? [{ property, reason: "is empty; give the name of a Secret, or munge: true for a new key." }]
        : validateObjectName(property, given?.secret);
}

/** The directory of munged's socket. The image may not have it, or another user may own it there. */
const SOCKET_MOUNT: Mount = {
    argument: "munge",
    mountPath: MUNGE_SOCKET_DIR,
    volume: { name: "flux-munge-socket", emptyDir: { medium: "Memory" } },
};

/** The mounts of the MUNGE key, where munged looks for it, and of the socket's directory. */
function mungeMounts({ secret }: MungeSpec, spec: MiniClusterSpec): Mount[] {
    const secretName = secret ?? namesOf(spec.name).secret;
    const volume = secretVolume(spec, { files: [MUNGE_KEY], name: "flux-munge", secretName });
    // The mount is the whole directory, because in most images only one user may enter it.
    return [{ argument: "munge", mountPath: MUNGE_DIR, readOnly: true, volume }, SOCKET_MOUNT];
}

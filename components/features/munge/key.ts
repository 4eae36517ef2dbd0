import * as pulumi from "@pulumi/pulumi";

import type { CurveKey } from "../../../provider/curveKey/resource";
import { deriveKey } from "../../children/derivedKey";
import type { MiniClusterSpec } from "../../spec";

/** Bytes: as many as `mungekey` makes. */
const LENGTH = 128;

/** The MUNGE key of a cluster, undefined where it has none of its own. */
export function mungeKey(spec: pulumi.Output<MiniClusterSpec>, key: CurveKey): pulumi.Output<string | undefined> {
    return pulumi
        .all([spec, key.secretKey])
        .apply(([{ munge }, secret]) =>
            munge && munge.secret === undefined ? deriveKey(secret, "munge", "", LENGTH) : undefined,
        );
}

import * as pulumi from "@pulumi/pulumi";

import type { CurveKey } from "../../../provider/curveKey/resource";
import { deriveKey } from "../../children/derivedKey";
import type { MiniClusterSpec } from "../../spec";

/** Length in bytes, as `mungekey` makes it. */
const LENGTH = 128;

/** The MUNGE key that MiniCluster makes; undefined without MUNGE, or if the user gives the key. */
export function mungeKey(spec: pulumi.Output<MiniClusterSpec>, key: CurveKey): pulumi.Output<string | undefined> {
    return pulumi
        .all([spec, key.secretKey])
        .apply(([{ munge }, secret]) =>
            munge && munge.secret === undefined ? deriveKey(secret, "munge", "", LENGTH) : undefined,
        );
}

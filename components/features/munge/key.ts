import * as pulumi from "@pulumi/pulumi";

import type { CurveKey } from "../../../provider/curveKey/resource";
import { deriveKey } from "../../children/derivedKey";
import type { LaterSpec } from "../../children/laterSpec";

/** Length in bytes, as `mungekey` makes it. */
const LENGTH = 128;

/** The MUNGE key that MiniCluster makes; undefined without MUNGE, or if the user gives the key. */
export function mungeKey(spec: LaterSpec, key: CurveKey): pulumi.Output<string | undefined> {
    const isMade = spec.apply(({ munge }) => munge !== undefined && munge.secret === undefined);
    return pulumi
        .all([isMade, key.secretKey])
        .apply(([made, secret]) => (made ? deriveKey(secret, "munge", "", LENGTH) : undefined));
}

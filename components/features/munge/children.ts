import * as pulumi from "@pulumi/pulumi";

import { MUNGE_KEY } from ".";
import type { MakeChildren } from "../../children/children";
import { deriveKey } from "../../children/derivedKey";

/** Length in bytes, as `mungekey` makes it. */
const LENGTH = 128;

/** The MUNGE key, unless the user gives it. */
export const mungeChildren = ((_name, { key, spec }) => {
    const isMade = spec.apply(({ munge }) => munge !== undefined && munge.secret === undefined);
    const secrets = pulumi
        .all([isMade, key.secretKey])
        .apply(
            ([made, secret]): Record<string, string> =>
                made ? { [MUNGE_KEY]: deriveKey(secret, "munge", "", LENGTH) } : {},
        );
    return { secrets };
}) satisfies MakeChildren;

import * as kubernetes from "@pulumi/kubernetes";

import type { MakeChildren } from "../../children/children";
import { placed } from "../../children/family";
import { networkPolicy } from "./policy";

/** The NetworkPolicy. */
export const networkChildren = ((name, family, { args }) => {
    if (!args.networkPolicy) {
        return {};
    }
    const object = placed(({ name: of }) => of, networkPolicy, family);
    return { resources: [new kubernetes.networking.v1.NetworkPolicy(`${name}-policy`, object, family.options)] };
}) satisfies MakeChildren;

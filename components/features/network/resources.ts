import * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";

import { type Family, placed } from "../../children/family";
import type { NetworkArguments } from ".";
import { networkPolicy } from "./policy";

/** Registers the NetworkPolicy. */
export function makeNetworkPolicy(name: string, family: Family, args: NetworkArguments): pulumi.Resource[] {
    if (!args.networkPolicy) {
        return [];
    }
    const object = placed(({ name: of }) => of, networkPolicy, family);
    return [new kubernetes.networking.v1.NetworkPolicy(`${name}-policy`, object, family.options)];
}

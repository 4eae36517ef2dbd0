import type * as pulumi from "@pulumi/pulumi";

import type { MiniClusterArgs } from "../args";
import { makeElasticRights } from "../features/elastic/resources";
import { makeKeyRights } from "../features/key/resources";
import { makeNetworkPolicy } from "../features/network/resources";
import { makeSharedServices } from "../features/services/resources";
import type { Family } from "./family";

/**
 * The features that have Pulumi resources of their own. Each function returns its resources, which may be none. Pulumi
 * must know which resources exist before any Output is known, so the arguments decide on them, not the spec.
 */
const MAKERS = [makeKeyRights, makeElasticRights, makeNetworkPolicy, makeSharedServices];

/** Registers the resources that must exist before the Job. `args` has no null. */
export function resourcesOfFeatures(name: string, family: Family, args: MiniClusterArgs): pulumi.Resource[] {
    return MAKERS.flatMap((make) => make(name, family, args));
}

import type * as pulumi from "@pulumi/pulumi";

import type { SizedBy } from "../../provider/contract/sizedBy";
import type { IndexedJobArgs } from "../../provider/indexedJob/properties";
import type { IndexedJob } from "../../provider/indexedJob/resource";
import type { JobStatusArgs } from "../../provider/jobStatus/properties";
import type { MiniClusterArgs } from "../args";
import type { Access } from "./clusterAccess";
import type { Family, Texts } from "./family";
import type { PlacedSpec } from "../arguments/laterSpec";

/** What a feature makes with Pulumi, besides its parts of the manifests. */
export interface Children {
    /** Its texts in the cluster's Secret. */
    readonly secrets?: Texts;
    /** Given if something else than the arguments decides the size. */
    readonly sizedBy?: SizedBy;
    /** Resources that must exist before the Job. */
    readonly resources?: readonly pulumi.Resource[];
    /** Inputs of the IndexedJob that Pulumi needs before any Output is known, or that the spec doesn't have. */
    readonly job?: Partial<IndexedJobArgs>;
    /** Such inputs of the JobStatus. */
    readonly status?: (job: IndexedJob) => Partial<JobStatusArgs>;
    /** Outputs of the MiniCluster. */
    readonly outputs?: Readonly<Record<string, pulumi.Output<unknown>>>;
}

/**
 * Makes the children of a feature. Pulumi must know which resources exist before any Output is known, so the arguments
 * decide on them, not the spec. `args` has no null.
 */
export type MakeChildren = (name: string, family: Family, surroundings: Surroundings) => Children;

/** What the children of some features need to know. */
export interface Surroundings {
    readonly access: Access;
    readonly args: MiniClusterArgs;
    /** The certificate of the user. */
    readonly certificate?: pulumi.Output<string>;
    /** Secret variables. */
    readonly environment: Texts;
    readonly lead: { readonly [K in "address" | "name" | "uid"]: pulumi.Output<string> };
    readonly namespace: pulumi.Output<string>;
    readonly spec: PlacedSpec;
}

import type { Input } from "@pulumi/pulumi";

import type { ResourcesArgs } from "./args";

/** A container that doesn't run Flux' broker. */
export interface ProgramArgs {
    /** DNS label; not `flux` and not `flux-...`. */
    name: Input<string>;
    /** Container image. */
    image: Input<string>;
    /** Program and arguments; no shell reads them. @default the image's */
    command?: Input<Input<string>[]>;
    /** Environment variables; everybody who may read the Job or the Deployment sees them. @default none */
    environment?: Input<{ [name: string]: Input<string> }>;
    /** Compute resources of the container. @default none */
    resources?: Input<ResourcesArgs>;
    /** A Kubernetes SecurityContext of the container; the broker's isn't given to others. @default none */
    securityContext?: Input<{ [name: string]: any }>;
}

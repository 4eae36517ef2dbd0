import type { types } from "@pulumi/kubernetes";
import type { Input, Unwrap } from "@pulumi/pulumi";

import type { KubernetesObject } from "../../provider/contract/object";
import type { Texts } from "../spec";
import { unixWords } from "./unixText";

/** Compute resources of a pod, in Kubernetes quantities (`"4"`, `"500m"`, `"8Gi"`). */
export interface ResourcesArgs {
    /**
     * Upper limits. A limit of `cpu` is a quota, which can make programs with several threads or tasks much slower:
     * give a request instead.
     * @default none
     */
    limits?: Input<{ [name: string]: Input<string> }>;
    /** What the Kubernetes scheduler reserves. @default the limits */
    requests?: Input<{ [name: string]: Input<string> }>;
}

/** A container that doesn't run a Flux broker. */
export interface ProgramArgs {
    /** Name of the container: a DNS label other than `flux` that doesn't start with `flux-`. */
    name: Input<string>;
    /** Container image. */
    image: Input<string>;
    /** Program and arguments. No shell reads them. @default the image's */
    command?: Input<Input<string>[]>;
    /** Environment variables. Every user who may read the Job or the Deployment sees them. @default none */
    environment?: Input<{ [name: string]: Input<string> }>;
    /** Compute resources of the container. A sidecar's are in addition to the broker's. @default none */
    resources?: Input<ResourcesArgs>;
    /** A Kubernetes SecurityContext of the container. @default none */
    securityContext?: Input<types.input.core.v1.SecurityContext>;
}

/** A program with all defaults. */
export interface ProgramSpec {
    readonly name: string;
    readonly image: string;
    readonly command: readonly string[];
    readonly environment: Texts;
    readonly resources: { readonly limits: Texts; readonly requests: Texts };
    readonly securityContext: KubernetesObject;
}

export function decideProgram({
    command,
    environment,
    image,
    name,
    resources,
    securityContext,
}: Unwrap<ProgramArgs>): ProgramSpec {
    return {
        name,
        image,
        command: unixWords(command ?? []),
        environment: environment ?? {},
        resources: { limits: resources?.limits ?? {}, requests: resources?.requests ?? {} },
        securityContext: securityContext ?? {},
    };
}

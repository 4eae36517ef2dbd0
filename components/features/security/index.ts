import type { Input } from "@pulumi/pulumi";

import { validateObjectName } from "../../rules/names";
import type { Decide } from "../../spec";
import type { Feature } from "../feature";

export interface SecurityArguments {
    /** ServiceAccount of the pods. @default `default` */
    serviceAccountName?: Input<string>;
    /** Give the pods a token of their ServiceAccount. @default false */
    automountServiceAccountToken?: Input<boolean>;
    /** A Kubernetes SecurityContext of the Flux container. @default none */
    securityContext?: Input<{ [name: string]: any }>;
}

export type Decided = Decide<SecurityArguments, "automountServiceAccountToken" | "securityContext">;

declare module "../../spec" {
    interface MiniClusterSpec extends Decided {}
}

export const security: Feature<SecurityArguments, Decided> = {
    decide: ({ automountServiceAccountToken = false, securityContext = {}, serviceAccountName }) => ({
        serviceAccountName, automountServiceAccountToken, securityContext,
    }),

    problems: ({ serviceAccountName }) => validateObjectName("serviceAccountName", serviceAccountName),
    container: ({ securityContext }) => ({ securityContext }),
    pod: ({ automountServiceAccountToken, serviceAccountName }) => ({ automountServiceAccountToken, serviceAccountName }),
};

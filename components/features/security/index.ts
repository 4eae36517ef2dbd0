import type { Input } from "@pulumi/pulumi";

import type { KubernetesObject } from "../../../provider/contract/object";
import { validateObjectName } from "../../rules/names";
import type { Feature } from "../feature";

export interface SecurityArguments {
    /** ServiceAccount of the pods. @default "default" */
    serviceAccountName?: Input<string>;
    /** Give the pods a token of their service account. @default false */
    automountServiceAccountToken?: Input<boolean>;
    /** A Kubernetes SecurityContext of the container. */
    securityContext?: Input<{ [name: string]: any }>;
}

export interface Decided {
    readonly serviceAccountName?: string;
    readonly automountServiceAccountToken: boolean;
    readonly securityContext: KubernetesObject;
}

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

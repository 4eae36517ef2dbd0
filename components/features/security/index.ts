import type { types } from "@pulumi/kubernetes";
import type { Input } from "@pulumi/pulumi";

import { validateObjectName } from "../../rules/names";
import type { Decide } from "../../spec";
import type { Feature } from "../feature";

export interface SecurityArguments {
    /** ServiceAccount of the pods. @default `default` */
    serviceAccountName?: Input<string>;
    /** Give the pods a token of their ServiceAccount. @default false */
    automountServiceAccountToken?: Input<boolean>;
    /**
     * Use the IPC namespace and /dev/shm of the node, so that ranks on one node can exchange data through shared memory
     * of System V and of POSIX. What the tasks leave in it stays on the node, and doesn't count against the pod's memory
     * limit. The pod security standards baseline and restricted forbid it.
     * @default false
     */
    hostIPC?: Input<boolean>;
    /** A Kubernetes SecurityContext of the Flux container. @default none */
    securityContext?: Input<types.input.core.v1.SecurityContext>;
}

export type Decided = Decide<SecurityArguments, "automountServiceAccountToken" | "hostIPC" | "securityContext">;

export const security: Feature<SecurityArguments, Decided> = {
    decide: ({ automountServiceAccountToken = false, hostIPC = false, securityContext = {}, serviceAccountName }) => ({
        serviceAccountName,
        automountServiceAccountToken,
        hostIPC,
        securityContext,
    }),

    problems: ({ serviceAccountName }) => validateObjectName("serviceAccountName", serviceAccountName),
    container: ({ securityContext }) => ({ securityContext }),
    pod: ({ automountServiceAccountToken, hostIPC }) => ({
        automountServiceAccountToken,
        hostIPC: hostIPC || undefined,
    }),
};

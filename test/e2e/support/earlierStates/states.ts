import type { FluxJobArgs, MiniClusterArgs } from "flux-minicluster";

import type { TestNamespace } from "../namespace";

/** The arguments of a state, both for the release that wrote it and for the test that loads it. */
export interface EarlierState {
    readonly args: Omit<MiniClusterArgs, "certificate" | "image">;
    /** The cluster has the user's own certificate. */
    readonly certificate?: true;
    /** A FluxJob on the cluster. */
    readonly job?: Omit<FluxJobArgs, "cluster">;
    /** The update that makes the state fails. */
    readonly fails?: true;
}

/** Name of the user's Secret with a certificate. */
export const CERTIFICATE_SECRET = "users-certificate";

/** Ends a task of the command of the state `running`, which has one on each rank. */
export const END = ["touch", "/tmp/end"];

const bare = { size: 2, restful: { enabled: false } };
const untilEnd = ["sh", "-c", "until [ -e /tmp/end ]; do sleep 0.2; done"];

/** The states by name, which is also the name of the MiniCluster, the stack and the template. */
export const STATES: Readonly<Record<string, EarlierState>> = {
    ephemeral: { args: { size: 2, command: ["hostname"] } },
    running: { args: { size: 2, command: untilEnd, waitFor: "ready" } },
    failed: { args: { command: ["sh", "-c", "exit 7"] }, fails: true },
    // With the RESTful server, which is the default and which other tests switch off.
    persistent: { args: { size: 2, restful: {} } },
    "flux-job": { args: bare, job: { command: ["hostname"] } },
    "flux-array": { args: bare, job: { command: ["hostname"], array: { count: 3 } } },
    elastic: {
        args: {
            ...bare,
            size: 1,
            maxSize: 3,
            elastic: {},
            resources: { limits: { cpu: "1" }, requests: { cpu: "10m" } },
        },
    },
    "rank-loss": { args: { size: 2, command: ["hostname"], onRankLoss: "rerun", triggers: ["once"] } },
    "keygen-pod": { args: { ...bare, keygen: "pod" } },
    "keygen-init": { args: { ...bare, keygen: "initContainer" } },
    certificate: { args: bare, certificate: true },
    "certificate-secret": { args: { ...bare, certificateSecret: CERTIFICATE_SECRET } },
};

export async function makeCertificateSecret(namespace: TestNamespace, certificate: string): Promise<void> {
    const body = { metadata: { name: CERTIFICATE_SECRET }, stringData: { "curve.cert": certificate } };
    await namespace.kube.core.createNamespacedSecret({ namespace: namespace.name, body });
}

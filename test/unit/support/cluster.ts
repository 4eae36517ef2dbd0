import assert from "node:assert/strict";

import type { MiniCluster } from "../../../components/miniCluster";
import type { Answers } from "./pulumi";

/** Type token of a dynamic resource of this package. */
export const dynamic = (type: string) => `pulumi-nodejs:dynamic/flux-minicluster:${type}`;
const PUBLIC_KEY = "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7";
export const SECRET_KEY = "JTKVSB%%)wK0E.X)V>+}o?pNmC{O&4W4b!Ni{Lh6";

/** The outputs of a cluster's resources, as the API server and the verbs would give them. */
export const answers: Answers = {
    "kubernetes:core/v1:Service": ({ metadata, spec }) => ({
        metadata: { namespace: "default", uid: `uid-of-${metadata.name}`, ...metadata },
        spec: { clusterIP: "10.96.0.7", ...spec },
    }),
    [dynamic("CurveKey")]: () => ({ publicKey: PUBLIC_KEY, secretKey: SECRET_KEY, nonce: "0123456789abcdef" }),
    [dynamic("JobStatus")]: () => ({
        phase: "succeeded",
        exitCode: 0,
        output: "hello\n",
        nodes: { 0: "n" },
        timings: { quorum: 2 },
        slowest: "lammps-1",
    }),
};

/** The error of a cluster whose Outputs turn out to be wrong. */
export function lateProblem(cluster: MiniCluster): Promise<Error> {
    return (cluster.name as any).promise().then(
        () => assert.fail("no problem"),
        (error: Error) => error,
    );
}

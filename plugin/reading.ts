import { ReadRequest, ReadResponse } from "../provider/host/grpcNode";
import { native } from "../provider/host/properties";
import { encode } from "../provider/host/protocol";
import type { GetMiniCluster } from "./getMiniCluster";

/** @see GetMiniCluster */
export const getMiniCluster: GetMiniCluster = async ({ context, kubeconfig, name, namespace }) => {
    const { connect } = await import("../provider/kube/client.js");
    const { sentence } = await import("../provider/kube/failure.js");
    const { isCluster, summaryOf } = await import("../provider/kube/summary.js");
    const kube = connect({ context, kubeconfig: textual(kubeconfig) });
    const place = namespace ?? kube.namespace;
    const job = await kube.getJob(place, name).catch((cause: unknown) => {
        throw new Error(`MiniCluster ${place}/${name} can't be read: ${sentence(cause)}`, { cause });
    });
    if (!isCluster(job)) {
        throw new Error(`Job ${place}/${name} is no MiniCluster. Give the name of a MiniCluster.`);
    }
    const { phase, ready, size, uid } = summaryOf(job);
    return { name, namespace: place, uid, size, ready, phase };
};

/** Some providers give the kubeconfig of a new cluster as an object. */
function textual(kubeconfig: unknown): string | undefined {
    return kubeconfig === undefined || typeof kubeconfig === "string" ? kubeconfig : JSON.stringify(kubeconfig);
}

/** Reads an existing MiniCluster by its id, `namespace/name`, for a program that only refers to it. */
export async function readCluster(bytes: Buffer): Promise<Buffer> {
    const request = ReadRequest.deserializeBinary(bytes);
    const { reply } = native(request.getProperties());
    const [namespace, name, ...rest] = request.getId().split("/");
    if (name === undefined || name === "" || rest.length > 0) {
        throw new Error(
            `The id "${request.getId()}" is not NAMESPACE/NAME. Give the namespace and the name of the Job.`,
        );
    }
    const properties = reply(await getMiniCluster({ namespace, name }));
    return encode(new ReadResponse().setId(request.getId()).setProperties(properties).setInputs(reply({})));
}

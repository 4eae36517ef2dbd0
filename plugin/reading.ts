import type { ClusterAccess } from "../provider/kube/clusterAccess";

import type { Json } from "../provider/contract/object";
import { ReadRequest, ReadResponse } from "../provider/host/grpcNode";
import { native } from "../provider/host/properties";
import { encode } from "../provider/host/protocol";

interface Reference extends ClusterAccess {
    readonly name: string;
    readonly namespace?: string;
}

/** What Kubernetes knows of an existing MiniCluster. Nothing is changed. */
export async function getMiniCluster({ name, namespace, ...access }: Reference) {
    const { connect } = await import("../provider/kube/client.js");
    const { sentence } = await import("../provider/kube/failure.js");
    const { isCluster, summaryOf } = await import("../provider/kube/summary.js");
    const kube = connect(textual(access));
    const place = namespace ?? kube.namespace;
    const job = await kube.getJob(place, name).catch((cause: unknown) => {
        throw new Error(`MiniCluster ${place}/${name} can't be read: ${sentence(cause)}`, { cause });
    });
    if (!isCluster(job)) {
        throw new Error(`Job ${place}/${name} is no MiniCluster. Give the name of a MiniCluster.`);
    }
    return summaryOf(job);
}

/** Some providers give the kubeconfig of a new cluster as an object. */
function textual({ context, kubeconfig }: { context?: string; kubeconfig?: Json }): ClusterAccess {
    const isText = kubeconfig === undefined || typeof kubeconfig === "string";
    return { context, kubeconfig: isText ? kubeconfig : JSON.stringify(kubeconfig) };
}

/** Reads an existing MiniCluster by its id, `namespace/name`, for a program that only refers to it. */
export async function readCluster(bytes: Buffer): Promise<Buffer> {
    const request = ReadRequest.deserializeBinary(bytes);
    const { reply } = native(request.getProperties());
    const [namespace, name, ...rest] = request.getId().split("/");
    if (name === undefined || name === "" || rest.length > 0) {
        throw new Error(`The id "${request.getId()}" is not NAMESPACE/NAME. Give the namespace and the name of the Job.`);
    }
    const properties = reply(await getMiniCluster({ namespace, name }));
    return encode(new ReadResponse().setId(request.getId()).setProperties(properties).setInputs(reply({})));
}

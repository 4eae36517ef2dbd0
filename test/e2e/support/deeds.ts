import type { CoreV1Api } from "@kubernetes/client-node";

import { FIND_BROKER } from "./broker";
import { rankOf, type TestNamespace } from "./namespace";

/** What can happen to a rank. */
export const DEEDS = {
    "its command succeeds": (place) => place.exec("echo 0 > /tmp/end"),
    "its command fails": (place) => place.exec("echo 7 > /tmp/end"),
    "its command runs out of memory": (place) => place.exec("echo eat > /tmp/end"),
    "its broker is told to end": (place) => place.exec(`kill -TERM $(${FIND_BROKER})`),
    "its broker is killed": (place) => place.exec(`kill -KILL $(${FIND_BROKER})`),
    "flux shutdown": (place) => place.exec("flux shutdown --background || flux shutdown"),
    "kubectl delete pod": ({ core, name, namespace }) => core.deleteNamespacedPod({ name, namespace }),
    eviction: ({ core, name, namespace }) =>
        core.createNamespacedPodEviction({ name, namespace, body: { metadata: { name } } }),
    "the loss of its node": loseNode,
} as const satisfies Record<string, (place: Place) => Promise<unknown>>;

export type Deed = keyof typeof DEEDS;

interface Place {
    readonly core: CoreV1Api;
    readonly namespace: string;
    /** Of the pod. */
    readonly name: string;
    exec(script: string): Promise<unknown>;
}

/** The command to which the deeds on commands can be done. */
export const COMMAND = [
    "sh",
    "-c",
    'until [ -e /tmp/end ]; do sleep 0.2; done; end=$(cat /tmp/end); [ "$end" != eat ] || exec python3 -c "bytearray(500 * 2 ** 20)"; exit "$end"',
];

/** Does it to a rank of a cluster. */
export async function doTo(namespace: TestNamespace, cluster: string, rank: number, deed: Deed): Promise<void> {
    const pod = (await namespace.pods(cluster)).find((candidate) => rankOf(candidate) === rank);
    await DEEDS[deed]({
        core: namespace.kube.core,
        namespace: namespace.name,
        name: pod?.metadata?.name ?? "",
        exec: (script) => namespace.exec(cluster, ["sh", "-c", script], rank),
    });
}

/** What Kubernetes' pod garbage collector does when a Node object is gone. */
async function loseNode({ core, name, namespace }: Place): Promise<void> {
    const pod = await core.readNamespacedPodStatus({ name, namespace });
    const lastTransitionTime = new Date();
    const mark = {
        type: "DisruptionTarget",
        status: "True",
        reason: "DeletionByPodGC",
        message: "PodGC: node no longer exists",
        lastTransitionTime,
    };
    const conditions = [...(pod.status?.conditions ?? []), mark];
    await core.replaceNamespacedPodStatus({
        name,
        namespace,
        body: { ...pod, status: { ...pod.status, phase: "Failed", conditions } },
    });
    await core.deleteNamespacedPod({ name, namespace, gracePeriodSeconds: 0 });
}

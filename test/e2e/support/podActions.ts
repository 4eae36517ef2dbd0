import type { CoreV1Api } from "@kubernetes/client-node";

import { FIND_BROKER } from "./broker";
import { rankOf, type TestNamespace } from "./namespace";

/** Bytes of the limit of ephemeral storage that a pod must have to be evicted by the action. */
export const STORAGE = 64 * 2 ** 20;

/** The events that a test can cause on a rank, after "the rank's". */
export const POD_ACTIONS = {
    "command succeeds": (place) => place.exec("echo 0 > /tmp/end"),
    "command fails": (place) => place.exec("echo 7 > /tmp/end"),
    "command runs out of memory": (place) => place.exec("echo eat > /tmp/end"),
    "broker gets SIGTERM": (place) => place.exec(`kill -TERM $(${FIND_BROKER})`),
    "broker is killed": (place) => place.exec(`kill -KILL $(${FIND_BROKER})`),
    "broker gets flux shutdown": (place) => place.exec("flux shutdown --background || flux shutdown"),
    "pod is deleted": ({ core, name, namespace }) => core.deleteNamespacedPod({ name, namespace }),
    "pod is evicted": ({ core, name, namespace }) =>
        core.createNamespacedPodEviction({ name, namespace, body: { metadata: { name } } }),
    "pod exceeds its ephemeral storage": (place) => place.exec(`head -c ${2 * STORAGE} /dev/zero > /tmp/large`),
    "node is lost": loseNode,
} as const satisfies Record<string, (place: Place) => Promise<unknown>>;

export type PodAction = keyof typeof POD_ACTIONS;

interface Place {
    readonly core: CoreV1Api;
    readonly namespace: string;
    /** Name of the pod. */
    readonly name: string;
    exec(script: string): Promise<unknown>;
}

/** A command that the deeds on commands can end: it waits for /tmp/end. */
export const COMMAND = [
    "sh",
    "-c",
    'until [ -e /tmp/end ]; do sleep 0.2; done; end=$(cat /tmp/end); [ "$end" != eat ] || exec python3 -c "bytearray(500 * 2 ** 20)"; exit "$end"',
];

/** Causes an event on a rank of a cluster. */
export async function doTo(namespace: TestNamespace, cluster: string, rank: number, action: PodAction): Promise<void> {
    const pod = (await namespace.pods(cluster)).find((candidate) => rankOf(candidate) === rank);
    await POD_ACTIONS[action]({
        core: namespace.kube.core,
        namespace: namespace.name,
        name: pod?.metadata?.name ?? "",
        exec: (script) => namespace.exec(cluster, ["sh", "-c", script], rank),
    });
}

/** Marks and deletes the pod as Kubernetes' pod garbage collector does when its Node object no longer exists. */
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

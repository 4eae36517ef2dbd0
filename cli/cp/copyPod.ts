import type { V1Container, V1Job, V1Pod, V1PodSpec, V1Volume } from "@kubernetes/client-node";

import { FLUX_CONTAINER } from "../../provider/contract/names";
import { type Kube, retry } from "../../provider/kubernetes/client";
import type { Container } from "../../provider/kubernetes/streams/exec";
import { ifThere, sentence } from "../../provider/kubernetes/failures/failure";
import { watchList } from "../../provider/kubernetes/watch";
import { type Pod, summarize } from "../../provider/observe/pods/pod";
import { say } from "../terminal/terminal";

/** Seconds after which Kubernetes ends the pod of a command line that was killed. */
const LIFETIME = 6 * 3600;
/** Seconds that it gets to start. */
const START = 300;

/** Volumes that end with their pod, or that are no data. */
const WITHOUT_DATA = ["configMap", "downwardAPI", "emptyDir", "ephemeral", "image", "projected", "secret"];

/**
 * The manifest of a pod with the volumes of a cluster that outlive its pods, at the paths that they have there. It runs the
 * cluster's image as the cluster's user, where the cluster may run, and does nothing.
 */
export function copyPodOf({ metadata, spec }: V1Job): V1Pod {
    const { name: cluster = "", namespace, uid = "" } = metadata ?? {};
    const template = spec?.template.spec as V1PodSpec;
    const volumes = (template.volumes ?? []).filter(hasData);
    if (volumes.length === 0) {
        throw new Error(
            `MiniCluster ${namespace}/${cluster} has no volume that outlives its pods, so nothing of it is left. ` +
                "Give the next one a claim in volumes.",
        );
    }
    return {
        apiVersion: "v1",
        kind: "Pod",
        metadata: {
            generateName: `${cluster}-copy-`,
            namespace,
            labels: { "app.kubernetes.io/name": "flux-minicluster-copy", "app.kubernetes.io/instance": cluster },
            ownerReferences: [{ apiVersion: "batch/v1", kind: "Job", name: cluster, uid }],
        },
        spec: {
            ...placeOf(template),
            activeDeadlineSeconds: LIFETIME,
            automountServiceAccountToken: false,
            restartPolicy: "Never",
            terminationGracePeriodSeconds: 0,
            volumes,
            containers: [containerOf(template, volumes)],
        },
    };
}

/** Fields that say where a rank may run and as whom. Others are about its place beside other ranks, its network, its end. */
function placeOf(template: V1PodSpec): Partial<V1PodSpec> {
    const { affinity, imagePullSecrets, nodeSelector, priorityClassName } = template;
    // The account may bring secrets for images, and rights to the user of the pod.
    const { runtimeClassName, securityContext, serviceAccountName, tolerations } = template;
    const nodes = affinity?.nodeAffinity && { nodeAffinity: affinity.nodeAffinity };
    const place = { affinity: nodes, nodeSelector, priorityClassName, runtimeClassName, tolerations };
    return { ...place, imagePullSecrets, securityContext, serviceAccountName };
}

function containerOf({ containers }: V1PodSpec, volumes: readonly V1Volume[]): V1Container {
    const flux = containers.find(({ name }) => name === FLUX_CONTAINER) ?? containers[0];
    const names = volumes.map(({ name }) => name);
    return {
        name: FLUX_CONTAINER,
        image: flux.image,
        imagePullPolicy: flux.imagePullPolicy,
        command: ["bash", "-c", "exec sleep infinity"],
        // Namespaces with a quota need both; tar and its checksum need a core.
        resources: { requests: { cpu: "100m", memory: "64Mi" }, limits: { cpu: "1", memory: "256Mi" } },
        securityContext: flux.securityContext,
        volumeMounts: flux.volumeMounts?.filter(({ name }) => names.includes(name)),
    };
}

function hasData(volume: V1Volume): boolean {
    return !WITHOUT_DATA.some((kind) => kind in volume);
}

/** Runs `act` with the container of a pod for copies, and deletes the pod then. */
export async function withCopyPod<T>(
    kube: Kube,
    job: V1Job,
    signal: AbortSignal,
    act: (container: Container) => Promise<T>,
): Promise<T> {
    const body = copyPodOf(job);
    const namespace = job.metadata?.namespace ?? "";
    // It isn't repeated after a lost answer, because the API server gives the name.
    const created = await kube.core.createNamespacedPod({ namespace, body }).catch((error: unknown) => {
        throw new Error(`no pod can be created to copy through: ${sentence(error)}`);
    });
    const { name = "", uid } = created.metadata ?? {};
    try {
        await awaitStart(kube, namespace, name, signal);
        return await act({ namespace, pod: name, container: FLUX_CONTAINER });
    } finally {
        const remove = () => kube.core.deleteNamespacedPod({ namespace, name, body: { preconditions: { uid } } });
        await retry(() => ifThere(remove())).catch((error: unknown) => {
            say(`pod ${name} can't be deleted: ${sentence(error)}; delete it`);
        });
    }
}

async function awaitStart(kube: Kube, namespace: string, name: string, signal: AbortSignal): Promise<void> {
    const stop = new AbortController();
    let last: Pod | undefined;
    const see = (pods: readonly V1Pod[]) => {
        last = pods.map(summarize).at(0);
        if (last?.startedAt !== undefined || last?.phase === "Failed") {
            stop.abort();
        }
    };
    const timer = setTimeout(() => stop.abort(), START * 1000);
    const request = { kind: "pods", namespace, fieldSelector: `metadata.name=${name}` } as const;
    const handler = { listed: see, present: (pod: V1Pod) => see([pod]), gone: () => stop.abort() };
    await watchList<V1Pod>(kube, request, handler, AbortSignal.any([stop.signal, signal])).finally(() =>
        clearTimeout(timer),
    );
    signal.throwIfAborted();
    if (last?.startedAt === undefined || last.phase === "Failed") {
        throw new Error(`pod ${name} has not started within ${START} s: ${whyNot(last)}`);
    }
}

function whyNot(pod: Pod | undefined): string {
    const reason = pod?.unschedulable ?? pod?.refused ?? pod?.waiting;
    return reason === undefined ? `its phase is ${pod?.phase ?? "unknown"}` : `${reason.reason}: ${reason.message}`;
}

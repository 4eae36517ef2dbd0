import type { V1Job, V1Pod } from "@kubernetes/client-node";

import { plainObjects } from "../../bench/plainObjects";
import type { PlainArgs } from "../../../components/args";
import { connect } from "../../../provider/kubernetes/client";
import { awaitGone } from "../../../provider/kubernetes/failures/gone";
import { formatId, parseId } from "../../../provider/kubernetes/jobId";
import { watchList } from "../../../provider/kubernetes/watch";
import { isReady } from "../../e2e/support/kube";
import type { TestNamespace } from "../../e2e/support/namespace";
import { until } from "../../e2e/support/until";
import { limit } from "../../../scripts/tests/limits";

/** Label of the pods. */
const LABEL = "flux-minicluster/plain";
/** Seconds until all pods must be ready or gone. */
const LIMIT = limit(1200);

/** Seconds until a pod is ready, if the control plane and KWOK have no other work. */
const IDLE = 3;

/** The seconds that the control plane needs for the same objects, without Pulumi. Simulated pods run no Flux. */
export interface ControlPlane {
    /** From the creation of the Jobs until a watch has seen all pods Ready. */
    readonly up: number;
    /** From the deletion of the Jobs until a watch has seen the end of the last pod. */
    readonly destroy: number;
}

/**
 * Creates the objects of MiniClusters by their manifests, all at the same time. Deletes them when their pods are ready,
 * the Jobs in the foreground as MiniCluster does: after a deletion in the background, the Job controller is busy for
 * minutes. Then waits until the control plane is idle, so that its remaining work does not delay the next measurement.
 */
export async function measureWithoutPulumi(
    namespace: TestNamespace,
    clusters: number,
    args: PlainArgs,
): Promise<ControlPlane> {
    const measured = await runWithoutPulumi(namespace, clusters, args);
    await until(
        `a pod is ready within ${IDLE} s`,
        async () => (await runWithoutPulumi(namespace, 1, { ...args, size: 1 })).up < IDLE || undefined,
    );
    return measured;
}

async function runWithoutPulumi(namespace: TestNamespace, clusters: number, args: PlainArgs): Promise<ControlPlane> {
    const kube = connect({ kubeconfig: namespace.kubeconfig });
    const names = Array.from({ length: clusters }, (_, index) => `plain-${clusters}-${args.size}-${index}`);
    const all = names.map((name) => plainObjects(name, namespace.name, args));
    const jobs = all.map(({ job }) => running(job as V1Job));
    const others = all.flatMap(({ configMap, headless, lead, secret }) => [
        { apiVersion: "v1", kind: "ConfigMap", ...configMap },
        { apiVersion: "v1", kind: "Service", ...headless },
        { apiVersion: "v1", kind: "Service", ...lead },
        { apiVersion: "v1", kind: "Secret", ...secret },
    ]);
    const pods = new WatchedPods();
    const stop = new AbortController();
    const timer = setTimeout(() => stop.abort(), LIMIT * 1000);
    const request = { kind: "pods", namespace: namespace.name, labelSelector: LABEL } as const;
    const watching = watchList(kube, request, pods, stop.signal).then(() => {
        throw new Error(`the Jobs' pods: not all ready or gone after ${LIMIT} s.`);
    });
    watching.catch(() => undefined);
    const seconds = async (work: Promise<unknown>, end: Promise<void>) => {
        const begun = performance.now();
        await Promise.race([Promise.all([work, end]), watching]);
        return (performance.now() - begun) / 1000;
    };
    try {
        await Promise.all(others.map((object) => namespace.kube.objects.create(object)));
        const creation = Promise.all(jobs.map((job) => kube.createJob(namespace.name, job)));
        const up = await seconds(
            creation,
            pods.until(({ ready }) => ready === clusters * Number(args.size)),
        );
        const ids = (await creation).map((job) => parseId(formatId(job)));
        const deletion = Promise.all(ids.map((id) => kube.deleteJob(id.namespace, id.name, id.uid)));
        const destroy = await seconds(
            deletion,
            pods.until(({ all }) => all === 0),
        );
        const limits = { timeoutSeconds: LIMIT, interrupted: new AbortController().signal };
        await Promise.all(ids.map((id) => awaitGone(kube, "jobs", id, limits)));
        await Promise.all(others.map((object) => namespace.kube.remove(object)));
        return { up, destroy };
    } finally {
        clearTimeout(timer);
        stop.abort();
    }
}

interface Counts {
    readonly all: number;
    readonly ready: number;
}

/** Counts the pods of a watch. The handlers are properties, because the watch copies them. */
class WatchedPods {
    private readonly readiness = new Map<string, boolean>();
    private ready = 0;
    private look: () => void = () => undefined;

    /** Waits until the counts are these. */
    until(holds: (counts: Counts) => boolean): Promise<void> {
        return new Promise((resolve) => {
            this.look = () => (holds({ all: this.readiness.size, ready: this.ready }) ? resolve() : undefined);
        });
    }

    readonly listed = (pods: readonly V1Pod[]): void => {
        this.readiness.clear();
        this.ready = 0;
        pods.forEach((pod) => this.set(pod, isReady(pod)));
        this.look();
    };

    readonly present = (pod: V1Pod): void => {
        this.set(pod, isReady(pod));
        this.look();
    };

    readonly gone = (pod: V1Pod): void => {
        this.set(pod, undefined);
        this.look();
    };

    private set({ metadata: { uid = "" } = {} }: V1Pod, isReadyNow: boolean | undefined): void {
        this.ready += Number(isReadyNow ?? false) - Number(this.readiness.get(uid) ?? false);
        if (isReadyNow === undefined) {
            this.readiness.delete(uid);
        } else {
            this.readiness.set(uid, isReadyNow);
        }
    }
}

/** The Job of these objects is suspended. */
function running(job: V1Job): V1Job {
    const running = structuredClone(job);
    running.spec!.suspend = false;
    running.spec!.template.metadata!.labels![LABEL] = "";
    return running;
}

import {
    PatchStrategy,
    setHeaderOptions,
    type V1Job,
    type V1Node,
    type V1ResourceQuota,
} from "@kubernetes/client-node";

import { type Verdict, verdictOf } from "../../../provider/judge/fit/fit";
import { survey } from "../../../provider/judge/fit/survey";
import { connect, Kube as ProviderKube } from "../../../provider/kubernetes/client";
import { isReady, type Kube } from "../../e2e/support/kube";
import { until } from "../../e2e/support/until";
import { KEPT_TAINTS, type Situation } from "./situations";

/** Seconds in which pods that start at once get a node. */
const AT_ONCE = 5;
/** Seconds in which they get one when nothing is in their way any more. */
const LATER = 10;

/** What happens to the pods of a Job; `never` if they don't start in the cluster without other pods, taints and cordons. */
export type Outcome = "never" | "now" | "waits";

/** A situation, with the verdict before the Job's creation, and what then happens. */
export interface Judged {
    readonly situation: Situation;
    readonly verdict: Verdict;
    readonly outcome: Outcome;
}

/** Makes a situation in a namespace, judges it, creates its Job, and removes everything again. */
export async function tryOut(kube: Kube, kubeconfig: string, namespace: string, situation: Situation): Promise<Judged> {
    try {
        await prepare(kube, namespace, situation);
        const verdict = await predict(kubeconfig, namespace, situation);
        return { situation, verdict, outcome: await outcomeOf(kube, namespace, situation) };
    } finally {
        await Promise.allSettled([
            kube.core.deleteNamespacedResourceQuota({ namespace, name: situation.name }),
            kube.core.deleteNamespacedLimitRange({ namespace, name: situation.name }),
            removeOthers(kube, namespace, situation),
            ...situation.nodes.map(({ metadata }) => kube.core.deleteNode({ name: metadata?.name ?? "" })),
        ]);
    }
}

async function prepare(kube: Kube, namespace: string, { limitRange, nodes, others, quota }: Situation): Promise<void> {
    const { core } = kube;
    await Promise.all(nodes.map((body) => core.createNode({ body })));
    for (const { metadata, status } of nodes) {
        const name = metadata?.name ?? "";
        await until(`node ${name} is ready`, async () => isOpen(await core.readNode({ name })) || undefined);
        // KWOK has given it the amounts of its own.
        await core.patchNodeStatus({ name, body: { status } }, MERGE);
    }
    await Promise.all(others.map((body) => core.createNamespacedPod({ namespace, body })));
    if (limitRange !== undefined) {
        await core.createNamespacedLimitRange({ namespace, body: limitRange });
    }
    if (quota !== undefined) {
        await makeQuota(kube, namespace, quota, others.length);
    }
}

/**
 * The quota controller may count before it has seen the newest pods, and counts again only after minutes. Then the quota is
 * created once more.
 */
async function makeQuota(kube: Kube, namespace: string, body: V1ResourceQuota, pods: number): Promise<void> {
    const name = body.metadata?.name ?? "";
    await until(`quota ${name} counts ${pods} pods`, async () => {
        await kube.core.createNamespacedResourceQuota({ namespace, body });
        try {
            return await counted(kube, namespace, pods, name, 3);
        } catch {
            await kube.core.deleteNamespacedResourceQuota({ namespace, name });
            return undefined;
        }
    });
}

/** True for a node that is ready, and of which the control plane has noticed that. */
function isOpen(node: V1Node): boolean {
    return isReady(node) && !node.spec?.taints?.some(({ key }) => key === "node.kubernetes.io/not-ready");
}

const MERGE = setHeaderOptions("Content-Type", PatchStrategy.MergePatch);

/** Waits until a quota counts so many pods. */
function counted({ core }: Kube, namespace: string, pods: number, name: string, seconds?: number): Promise<true> {
    const isCounted = async () => {
        const { status } = await core.readNamespacedResourceQuota({ namespace, name });
        return status?.used?.["pods"] === String(pods) || undefined;
    };
    return until(`quota ${name} counts ${pods} pods`, isCounted, seconds);
}

async function predict(
    kubeconfig: string,
    namespace: string,
    { labels, name, size, spec }: Situation,
): Promise<Verdict> {
    // A client of its own shares no list with the situation before.
    const client = new ProviderKube(connect({ kubeconfig }).config);
    const seen = await survey(client, { namespace, nodes: true, devices: true }, 15_000);
    if (seen.unread.length > 0) {
        throw new Error(JSON.stringify(seen.unread));
    }
    const template = { metadata: { labels }, spec };
    return verdictOf({ name, namespace, template, added: size, kept: 0, least: size }, seen);
}

async function outcomeOf(kube: Kube, namespace: string, situation: Situation): Promise<Outcome> {
    if (await starts(kube, namespace, situation, AT_ONCE)) {
        return "now";
    }
    const { nodes, quota } = situation;
    await removeOthers(kube, namespace, situation);
    const free = { spec: { taints: KEPT_TAINTS, unschedulable: null } };
    await Promise.all(
        nodes.map(({ metadata }) => kube.core.patchNode({ name: metadata?.name ?? "", body: free }, MERGE)),
    );
    await until("the other pods are gone", async () => (await podsIn(kube, namespace)).length === 0 || undefined);
    if (quota !== undefined) {
        await counted(kube, namespace, 0, situation.name);
    }
    return (await starts(kube, namespace, situation, LATER)) ? "waits" : "never";
}

/** True if all pods of the Job get nodes in time. Removes the Job again. */
async function starts(kube: Kube, namespace: string, situation: Situation, seconds: number): Promise<boolean> {
    const { batch } = kube;
    const { name, size } = situation;
    await batch.createNamespacedJob({ namespace, body: jobOf(situation) });
    const placed = async () =>
        (await podsIn(kube, namespace, `job-name=${name}`)).filter(({ spec }) => spec?.nodeName !== undefined).length;
    try {
        return await until("all pods have nodes", async () => (await placed()) === size || undefined, seconds);
    } catch {
        return false;
    } finally {
        await batch.deleteNamespacedJob({ namespace, name, body: { propagationPolicy: "Foreground" } });
        const left = async () => (await podsIn(kube, namespace, `job-name=${name}`)).length;
        await until("the Job's pods are gone", async () => (await left()) === 0 || undefined);
        const isGone = () =>
            batch.readNamespacedJob({ namespace, name }).then(
                () => undefined,
                () => true,
            );
        await until("the Job is gone", isGone);
    }
}

function jobOf({ labels, name, size, spec }: Situation): V1Job {
    const template = { metadata: { labels }, spec };
    return { metadata: { name }, spec: { completionMode: "Indexed", completions: size, parallelism: size, template } };
}

async function podsIn({ core }: Kube, namespace: string, labelSelector?: string) {
    return (await core.listNamespacedPod({ namespace, labelSelector })).items;
}

async function removeOthers({ core }: Kube, namespace: string, { others }: Situation): Promise<void> {
    const names = others.map(({ metadata }) => metadata?.name ?? "");
    const removal = names.map((name) => core.deleteNamespacedPod({ namespace, name, gracePeriodSeconds: 0 }));
    await Promise.allSettled(removal);
}

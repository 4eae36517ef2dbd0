import type { V1Job } from "@kubernetes/client-node";

import type { Waiting } from "../../provider/flux/lead";
import { connect, type Kube, type Patience } from "../../provider/kubernetes/client";
import type { Container } from "../../provider/kubernetes/streams/exec";
import { onSlowAnswer } from "../../provider/kubernetes/failures/slowAnswer";
import type { Summary } from "../../provider/observe/summary";
import { jobNamed } from "../../provider/observe/job";
import { findLead, type Lead } from "../../provider/observe/pods/lead";
import { type Arguments, UsageError } from "../definition/arguments";
import { clustersIn, describeClusters, noCluster } from "./clusters";
import { programName } from "../definition/programName";
import { chosenOf, exportsOf, type RecordedOutputs } from "./stack";
import { say, waitReport } from "../terminal/terminal";

type Options = Arguments["options"];

/** A MiniCluster and a client for it. */
export interface Target {
    readonly kube: Kube;
    readonly namespace: string;
    readonly name: string;
    /** UID of its Job, if a stack gives it: another cluster may have the same name now. */
    readonly uid?: string;
    /** What the stack's outputs recorded, if a stack gives the cluster. */
    readonly outputs?: RecordedOutputs;
}

/** A user waits for the answer, so a silent server ends a command after 45 s, and is named after 5 s. */
const AT_A_TERMINAL: Patience = { seconds: 15, tries: 3 };

export function kubeOf({ context, kubeconfig }: Options): Kube {
    onSlowAnswer(say);
    return connect({ context, kubeconfig }, AT_A_TERMINAL);
}

export function namespaceOf(kube: Kube, { namespace }: Options): string {
    return namespace ?? kube.namespace;
}

/**
 * The MiniCluster that the options name, that a stack exports, or that is the only one of its namespace, which is said. With
 * `takesRuns` also one that has ended, and that only the stack's state has.
 */
export async function targetOf(options: Options, takesRuns?: boolean): Promise<Target> {
    const found = await selected(options, takesRuns);
    if ("target" in found) {
        if (found.note !== undefined) {
            say(found.note);
        }
        return found.target;
    }
    throw new UsageError(found.problem);
}

/** A MiniCluster, or why none is selected, with those of the namespace. */
export type Selected =
    | { readonly target: Target; readonly note?: string }
    | {
          readonly kube: Kube;
          readonly namespace: string;
          readonly others: readonly Summary[];
          readonly problem: string;
      };

/**
 * Selects a MiniCluster. A stack whose last update failed may export none: then its namespace decides, and before it, with
 * `takesRuns`, the ended runs in the stack's state.
 */
export async function selected(options: Options, takesRuns?: boolean): Promise<Selected> {
    const kube = kubeOf(options);
    const { cluster, namespace: wanted, stack } = options;
    if (stack === undefined && cluster !== undefined) {
        return { target: { kube, namespace: namespaceOf(kube, options), name: cluster } };
    }
    const { clusters, why } = await exportsOf(stack, takesRuns);
    const outputs = chosenOf(clusters, cluster);
    if (outputs !== undefined && (wanted === undefined || wanted === outputs.namespace)) {
        const { name, namespace, uid } = outputs;
        return { target: { kube, namespace, name, uid, outputs } };
    }
    const elsewhere = outputs && `the stack's MiniCluster ${outputs.name} is in the namespace ${outputs.namespace}`;
    const reason = elsewhere ?? (why || `the stack exports no MiniCluster ${cluster}`);
    if (stack !== undefined) {
        throw new UsageError(`The stack ${stack} selects no MiniCluster: ${reason}.`);
    }
    return onlyOne(kube, namespaceOf(kube, options), reason);
}

async function onlyOne(kube: Kube, namespace: string, reason: string): Promise<Selected> {
    const others = await clustersIn(kube, namespace);
    if (others.length === 1) {
        const [{ name, uid }] = others;
        const note = `takes ${name}, the only MiniCluster in the namespace ${namespace}, because ${reason}`;
        return { target: { kube, namespace, name, uid }, note };
    }
    const there =
        others.length === 0
            ? noCluster(kube, namespace)
            : `The namespace ${namespace} has several MiniClusters: ${describeClusters(others)}.`;
    const cure = others.length === 0 ? "--namespace, or --cluster with it, selects another one" : "Give --cluster NAME";
    return { kube, namespace, others, problem: `${there} ${cure}, or a stack that exports one: ${reason}.` };
}

/** The Job of the cluster; fails if there is none, or if another cluster has the name now. */
export async function jobOf(target: Target): Promise<V1Job> {
    const job = await findJob(target);
    if (job === undefined) {
        throw new Error(noCluster(target.kube, target.namespace, target.name));
    }
    return job;
}

/** The Job of the cluster; undefined if there is none of its name. Fails if another cluster has the name now. */
export async function findJob({ kube, name, namespace, uid }: Target): Promise<V1Job | undefined> {
    const job = await jobNamed(kube, { namespace, name });
    if (job !== undefined && uid !== undefined && job.metadata?.uid !== uid) {
        throw new Error(
            `MiniCluster ${namespace}/${name} is not the stack's cluster: its Job has the UID ${job.metadata?.uid}, ` +
                `the stack has ${uid}. Run pulumi refresh and pulumi up, or give --cluster without --stack.`,
        );
    }
    return job;
}

/** The lead's container, if it takes jobs. */
export async function leadOf(target: Target): Promise<Container> {
    return containerOf(target, await lookForLead(target));
}

function lookForLead({ kube, name, namespace, uid }: Target): Promise<Lead> {
    return findLead(kube, { namespace, name, uid });
}

async function containerOf(target: Target, lead: Lead): Promise<Container> {
    const { name, namespace } = target;
    switch (lead.state) {
        case "ready":
            return lead.container;
        case "away":
            throw new Error(
                lead.asleep === undefined
                    ? `MiniCluster ${namespace}/${name} is not ready: ${lead.why}.`
                    : `MiniCluster ${namespace}/${name} is asleep. ${programName()} wake wakes it, and so does submit.`,
            );
        case "ended":
            throw new Error(`MiniCluster ${namespace}/${name} has ended. Change its triggers to run it again.`);
        case "gone":
        case "unknown":
            await jobOf(target);
            throw new Error(noCluster(target.kube, namespace, name));
    }
}

/** Seconds that a cluster gets to take jobs after it was woken. */
export const WAKES_WITHIN = 600;

/** The means to wait for the lead of a cluster. */
export function waitingFor({ kube, name, namespace, uid }: Target): Waiting {
    const { signal } = new AbortController();
    return { kube, cluster: { name, namespace, uid }, report: waitReport(kube.server), signal };
}

/** Fails unless the cluster takes jobs, or will by itself: a cluster with `elastic` sleeps and wakes. */
export async function requireLead(target: Target): Promise<void> {
    const lead = await lookForLead(target);
    if (lead.state !== "away" || !lead.comes) {
        await containerOf(target, lead);
    }
}

import { execFileSync } from "node:child_process";

import type { V1Job } from "@kubernetes/client-node";

import type { Waiting } from "../provider/flux/lead";
import { connect, type Kube } from "../provider/kube/client";
import type { Container } from "../provider/kube/exec";
import { jobNamed } from "../provider/observe/job";
import { findLead, type Lead } from "../provider/pods/lead";
import type { Arguments } from "./arguments";
import { programName } from "./programName";
import type { RecordedOutputs } from "./report/recorded";
import { progress } from "./terminal";
import { UsageError } from "./usage";

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

export function kubeOf({ context, kubeconfig }: Options): Kube {
    return connect({ context, kubeconfig });
}

export function namespaceOf(kube: Kube, { namespace }: Options): string {
    return namespace ?? kube.namespace;
}

/** The MiniCluster that the options name, or that a stack exports. */
export function targetOf(options: Options): Target {
    const kube = kubeOf(options);
    if (options.stack === undefined && options.cluster !== undefined) {
        return { kube, namespace: namespaceOf(kube, options), name: options.cluster };
    }
    const outputs = exported(stackOutputs(options.stack), options.cluster);
    const { name, namespace, uid } = outputs;
    const elsewhere = options.namespace !== undefined && options.namespace !== namespace;
    return elsewhere ? { kube, namespace: options.namespace, name } : { kube, namespace, name, uid, outputs };
}

function stackOutputs(stack: string | undefined): unknown {
    const words = ["stack", "output", "--json", ...(stack === undefined ? [] : ["--stack", stack])];
    try {
        // Node's default limit is 1 MiB; the outputs of a stack may be larger.
        const text = execFileSync("pulumi", words, {
            encoding: "utf8",
            maxBuffer: Infinity,
            stdio: ["ignore", "pipe", "pipe"],
        });
        return JSON.parse(text);
    } catch (error) {
        const { code, message, stderr } = error as { code?: string; message: string; stderr?: string };
        const why = code === "ENOENT" ? "pulumi is not installed" : (stderr || message).trim();
        throw new UsageError(`No cluster is selected. Give --cluster NAME, or a stack that exports it: ${why}`);
    }
}

interface Exported extends RecordedOutputs {
    readonly name: string;
    readonly namespace: string;
    readonly uid?: string;
}

/** The MiniCluster in the outputs of a stack: one output, or all outputs together. */
export function exported(outputs: unknown, wanted: string | undefined): Exported {
    const found = [outputs, ...Object.values(outputs as object)].filter(isCluster);
    const chosen = wanted === undefined ? found : found.filter(({ name }) => name === wanted);
    if (chosen.length === 1) {
        return chosen[0];
    }
    if (chosen.length > 1) {
        const names = chosen.map(({ name }) => name).join(", ");
        throw new UsageError(`The stack exports ${names}. Select one with --cluster.`);
    }
    const what = wanted === undefined ? "no MiniCluster" : `no MiniCluster ${wanted}`;
    throw new UsageError(
        `The stack exports ${what}. Export the resource itself: export const cluster = new MiniCluster(...).`,
    );
}

function isCluster(value: unknown): value is Exported {
    const { hosts, name, namespace } = (value ?? {}) as Record<string, unknown>;
    return typeof name === "string" && typeof namespace === "string" && Array.isArray(hosts);
}

/** The Job of the cluster; fails if there is none, or if another cluster has the name now. */
export async function jobOf(target: Target): Promise<V1Job> {
    const job = await findJob(target);
    if (job === undefined) {
        throw notThere(target);
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

function notThere({ kube, name, namespace }: Target): Error {
    return new Error(`There is no MiniCluster ${name} in the namespace ${namespace} of the cluster at ${kube.server}.`);
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
            throw notThere(target);
    }
}

/** Seconds that a cluster gets to take jobs after it was woken. */
export const WAKES_WITHIN = 600;

/** The means to wait for the lead of a cluster. */
export function waitingFor({ kube, name, namespace, uid }: Target): Waiting {
    const { signal } = new AbortController();
    return { kube, cluster: { name, namespace, uid }, report: progress, signal };
}

/** Fails unless the cluster takes jobs, or will by itself: a cluster with `elastic` sleeps and wakes. */
export async function requireLead(target: Target): Promise<void> {
    const lead = await lookForLead(target);
    if (lead.state !== "away" || !lead.comes) {
        await containerOf(target, lead);
    }
}

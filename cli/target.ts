import { execFileSync } from "node:child_process";

import type { V1Job } from "@kubernetes/client-node";

import { connect, type Kube } from "../provider/kube/client";
import { type Container } from "../provider/kube/exec";
import { findLead } from "../provider/pods/lead";
import type { Arguments } from "./arguments";
import { UsageError } from "./usage";

type Options = Arguments["options"];

/** A cluster and the way to it. */
export interface Target {
    readonly kube: Kube;
    readonly namespace: string;
    readonly name: string;
    /** UID of its Job, where a stack tells it: a cluster that has the name now may be another one. */
    readonly uid?: string;
}

export function kubeOf({ context, kubeconfig }: Options): Kube {
    return connect({ context, kubeconfig });
}

export function namespaceOf(kube: Kube, { namespace }: Options): string {
    return namespace ?? kube.config.getContextObject(kube.config.getCurrentContext())?.namespace ?? "default";
}

/** By name and namespace, or by what a stack exports. */
export function targetOf(options: Options): Target {
    const kube = kubeOf(options);
    if (options.stack === undefined && options.cluster !== undefined) {
        return { kube, namespace: namespaceOf(kube, options), name: options.cluster };
    }
    const { name, namespace, uid } = exported(stackOutputs(options.stack), options.cluster);
    const elsewhere = options.namespace !== undefined && options.namespace !== namespace;
    return { kube, namespace: options.namespace ?? namespace, name, uid: elsewhere ? undefined : uid };
}

function stackOutputs(stack: string | undefined): unknown {
    const words = ["stack", "output", "--json", ...(stack === undefined ? [] : ["--stack", stack])];
    try {
        // Node's own limit is 1 MiB, and the outputs of a stack have none.
        const text = execFileSync("pulumi", words, {
            encoding: "utf8",
            maxBuffer: Infinity,
            stdio: ["ignore", "pipe", "pipe"],
        });
        return JSON.parse(text);
    } catch (error) {
        const { code, message, stderr } = error as { code?: string; message: string; stderr?: string };
        const why = code === "ENOENT" ? "pulumi is not installed" : (stderr || message).trim();
        throw new UsageError(`Which cluster? Give --cluster NAME, or a stack that exports it: ${why}`);
    }
}

interface Exported {
    readonly name: string;
    readonly namespace: string;
    readonly uid?: string;
}

/** The MiniCluster among the outputs of a stack: one of them, or all of them together. */
export function exported(outputs: unknown, wanted: string | undefined): Exported {
    const found = [outputs, ...Object.values(outputs as object)].filter(isCluster);
    const chosen = wanted === undefined ? found : found.filter(({ name }) => name === wanted);
    if (chosen.length === 1) {
        return chosen[0];
    }
    if (chosen.length > 1) {
        throw new UsageError(`The stack exports ${chosen.map(({ name }) => name).join(", ")}. Choose with --cluster.`);
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

/** The Job of the cluster; fails where another cluster has taken the name. */
export async function jobOf({ kube, name, namespace, uid }: Target): Promise<V1Job> {
    const job = await kube.getJob(namespace, name);
    if (uid !== undefined && job.metadata?.uid !== uid) {
        throw new Error(
            `MiniCluster ${namespace}/${name} is not the one of the stack: its Job has the UID ${job.metadata?.uid}, the ` +
                `stack's ${uid}. Run pulumi refresh and pulumi up, or give --cluster without --stack.`,
        );
    }
    return job;
}

/** Rank 0's container, if it takes jobs. */
export async function leadOf(target: Target): Promise<Container> {
    const { kube, name, namespace } = target;
    const lead = await findLead(kube, namespace, name, target.uid);
    switch (lead.state) {
        case "ready":
            return lead.container;
        case "away":
            throw new Error(`MiniCluster ${namespace}/${name} is not ready: ${lead.why}.`);
        case "ended":
            throw new Error(`MiniCluster ${namespace}/${name} has ended.`);
        case "gone":
            if (target.uid !== undefined) {
                await jobOf(target);
            }
            throw new Error(`There is no MiniCluster ${name} in the namespace ${namespace}.`);
    }
}

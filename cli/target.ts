import { execFileSync } from "node:child_process";

import { connect, type Kube } from "../provider/kube/client";
import { type Container } from "../provider/kube/exec";
import { findLead } from "../provider/kube/lead";
import type { Arguments } from "./arguments";
import { UsageError } from "./usage";

type Options = Arguments["options"];

/** A cluster and the way to it. */
export interface Target {
    readonly kube: Kube;
    readonly namespace: string;
    readonly name: string;
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
    const { name, namespace } = exported(stackOutputs(options.stack), options.cluster);
    return { kube, namespace: options.namespace ?? namespace, name };
}

function stackOutputs(stack: string | undefined): unknown {
    const words = ["stack", "output", "--json", ...(stack === undefined ? [] : ["--stack", stack])];
    try {
        return JSON.parse(execFileSync("pulumi", words, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }));
    } catch (error) {
        const { code, message, stderr } = error as { code?: string; message: string; stderr?: string };
        const why = code === "ENOENT" ? "pulumi is not installed" : (stderr || message).trim();
        throw new UsageError(`Which cluster? Give --cluster NAME, or a stack that exports it: ${why}`);
    }
}

interface Exported {
    readonly name: string;
    readonly namespace: string;
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
    throw new UsageError(`The stack exports ${what}. Export the resource itself: export const cluster = new MiniCluster(...).`);
}

function isCluster(value: unknown): value is Exported {
    const { hosts, name, namespace } = (value ?? {}) as Record<string, unknown>;
    return typeof name === "string" && typeof namespace === "string" && Array.isArray(hosts);
}

/** Rank 0's container, if it takes jobs. */
export async function leadOf({ kube, name, namespace }: Target): Promise<Container> {
    const lead = await findLead(kube, namespace, name);
    switch (lead.state) {
        case "ready":
            return lead.container;
        case "away":
            throw new Error(`MiniCluster ${namespace}/${name} is not ready: ${lead.why}.`);
        case "ended":
            throw new Error(`MiniCluster ${namespace}/${name} has ended.`);
        case "gone":
            throw new Error(`There is no MiniCluster ${name} in the namespace ${namespace}.`);
    }
}

import type * as pulumi from "@pulumi/pulumi";

import type { FluxJobArgs, MiniClusterArgs } from "../../../components";

/** An argument of the cluster, or of its FluxJob, that gets an output of the user's resource. */
export type Feed = "environment" | "job command" | "job environment" | "namespace" | "pull secret" | "volume";

/** The wish of a stack's program. */
export interface Wish {
    /** Name of the MiniCluster resource, and of the cluster in Kubernetes. */
    readonly name: string;
    /** The user has renamed the MiniCluster, or has taken that back; the program has an alias for the other name. */
    readonly renamed?: boolean;
    /** Name of the cluster in Kubernetes, if it is another one. */
    readonly kubeName?: string;
    /** The cluster has the option `protect`, which its children inherit. */
    readonly protect?: boolean;
    /** The program doesn't have the cluster and its FluxJob any more. */
    readonly absent?: boolean;
    /** Undefined for a persistent cluster. */
    readonly command?: string;
    readonly image: string;
    readonly size: number;
    readonly annotation?: string;
    readonly interrupt: "allow" | "refuse";
    readonly ttl?: number;
    readonly deadline?: number;
    readonly suspend: boolean;
    readonly waitFor?: "none" | "ready";
    readonly rerunFailed?: boolean;
    /** The program leaves the size to other clients, by ignoreChanges. */
    readonly elastic: boolean;
    /** broker.connectTimeout, which is in broker.toml and so in the ConfigMap. */
    readonly connectTimeout?: number;
    readonly trigger?: string;
    readonly rotate?: string;
    /** Where an output of the user's resource goes. Without it, there is no such resource. */
    readonly feed?: Feed;
    /** Content of the user's resource. Its provider replaces the resource for another content, and deletes it first. */
    readonly content?: string;
    /** Command of a FluxJob on the cluster, if there is one. */
    readonly fluxJob?: string;
    readonly jobInterrupt?: "allow" | "refuse";
    /** Whether an update waits for the FluxJob's end. */
    readonly jobWait?: boolean;
    readonly jobRerunFailed?: boolean;
    /** A second cluster of the same program has the same name and namespace, in another Kubernetes cluster. */
    readonly twin?: boolean;
    /** The program is written in another language, so that the plugin serves the resources. */
    readonly plugin?: boolean;
    /** The kubeconfig of the arguments is that of another Kubernetes cluster than the Kubernetes provider's. */
    readonly astray?: boolean;
    /** The program gives no kubeconfig: that of the environment counts, which has the contexts of both Kubernetes clusters. */
    readonly ambient?: boolean;
    /** Number of the credentials in the kubeconfig. Earlier ones may have expired. */
    readonly token?: number;
}

/** The first part of the Pulumi names after a rename. */
const RENAMED = "new-";

/** Pulumi name of the MiniCluster, with which the names of its resources begin. */
export function resourceNameOf({ name, renamed }: Pick<Wish, "name" | "renamed">): string {
    return renamed === true ? RENAMED + name : name;
}

/** The names that a resource of this name has before or after a rename. */
export function namesOf(name: string): [first: string, renamed: string] {
    const first = firstNameOf(name);
    return [first, RENAMED + first];
}

/** The name of a resource before a rename. */
export function firstNameOf(name: string): string {
    return name.startsWith(RENAMED) ? name.slice(RENAMED.length) : name;
}

/** Name of the cluster in Kubernetes. */
export function kubeNameOf({ kubeName, name }: Pick<Wish, "kubeName" | "name">): string {
    return kubeName ?? name;
}

/** The arguments of a wish that are the same in the model and in the real engine. */
export function argsOf(wish: Wish): Omit<MiniClusterArgs, "image"> {
    return {
        size: wish.size,
        maxSize: 4,
        annotations: wish.annotation === undefined ? undefined : { note: wish.annotation },
        interrupt: wish.interrupt,
        ttlSecondsAfterFinished: wish.ttl,
        activeDeadlineSeconds: wish.deadline,
        suspend: wish.suspend,
        waitFor: wish.waitFor,
        rerunFailed: wish.rerunFailed,
        broker: wish.connectTimeout === undefined ? undefined : { connectTimeout: wish.connectTimeout },
        triggers: wish.trigger === undefined ? undefined : [wish.trigger],
        rotate: wish.rotate,
    };
}

/** The arguments of the wish's FluxJob. */
export function jobArgsOf(wish: Wish): Omit<FluxJobArgs, "cluster"> {
    const given = {
        interrupt: wish.jobInterrupt,
        wait: wish.jobWait,
        rerunFailed: wish.jobRerunFailed,
    };
    return {
        command: [wish.fluxJob!],
        ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
    };
}

export function optionsOf(wish: Wish): pulumi.ComponentResourceOptions {
    return wish.elastic ? { ignoreChanges: ["size"] } : {};
}

import type * as pulumi from "@pulumi/pulumi";

import type { Interrupt, MiniClusterArgs, WaitFor } from "../../..";

/** The wish of a stack's program. */
export interface Wish {
    readonly name: string;
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
    /** The program leaves the size to other clients, by ignoreChanges. */
    readonly elastic: boolean;
    /** broker.connectTimeout, which is in broker.toml and so in the ConfigMap. */
    readonly connectTimeout?: number;
    readonly trigger?: string;
    readonly rotate?: string;
    /** Command of a FluxJob on the cluster, if there is one. */
    readonly fluxJob?: string;
}

/** The arguments of a wish that are the same in the model and in the real engine. */
export function argsOf(wish: Wish): Omit<MiniClusterArgs, "image"> {
    return {
        size: wish.size,
        maxSize: 4,
        annotations: wish.annotation === undefined ? undefined : { note: wish.annotation },
        interrupt: wish.interrupt as Interrupt,
        ttlSecondsAfterFinished: wish.ttl,
        activeDeadlineSeconds: wish.deadline,
        suspend: wish.suspend,
        waitFor: wish.waitFor as WaitFor | undefined,
        broker: wish.connectTimeout === undefined ? undefined : { connectTimeout: wish.connectTimeout },
        triggers: wish.trigger === undefined ? undefined : [wish.trigger],
        rotate: wish.rotate,
    };
}

export function optionsOf(wish: Wish): pulumi.ComponentResourceOptions {
    return wish.elastic ? { ignoreChanges: ["size"] } : {};
}

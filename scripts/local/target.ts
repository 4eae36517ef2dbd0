import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { KubeConfig } from "@kubernetes/client-node";

import { clusterUp } from "./cluster";
import { stateDir } from "./paths";
import { findProgram } from "./program";
import { run } from "./run";

/** The cluster that a demo or a benchmark runs on. */
export interface Target {
    /** Part of the name of the Pulumi stack's folder, so that two targets never share a state. */
    readonly name: string;
    readonly kubeconfig: string;
    /** Folder of Pulumi's state for this target. */
    readonly backend: string;
    /** Undefined if the cluster can only get images from a registry. */
    readonly importImage?: (tar: string) => Promise<void>;
    /** Undefined if the cluster itself pulls images. */
    readonly pullImage?: (name: string) => Promise<void>;
}

const kindName = "flux-minicluster";

/** The local cluster by default, or the one that CLUSTER=current CONTEXT=name or CLUSTER=kind selects. */
export async function chooseTarget(environment: NodeJS.ProcessEnv = process.env): Promise<Target> {
    const choice = environment["CLUSTER"] || "own";
    if (choice === "own") {
        return ownTarget();
    }
    if (choice === "current") {
        return currentTarget(environment["CONTEXT"]);
    }
    if (choice === "kind") {
        return kindTarget();
    }
    throw new Error(`CLUSTER=${choice} is not known; it must be own, kind or current.`);
}

async function ownTarget(): Promise<Target> {
    const { kubeconfig, importImage, pullImage } = await clusterUp();
    // The state is in the cluster's folder, so it doesn't outlive the cluster.
    return { name: "own", kubeconfig, backend: folder("cluster", "pulumi"), importImage, pullImage };
}

/** A context of the user's kubeconfig. */
export interface UserContext {
    readonly name: string;
    /** URL of the API server. */
    readonly server: string;
}

export async function readContexts(): Promise<UserContext[]> {
    const config = await userConfig();
    return config.getContexts().flatMap(({ cluster, name }) => {
        const server = config.getCluster(cluster)?.server;
        return server === undefined ? [] : [{ name, server }];
    });
}

async function userConfig(): Promise<KubeConfig> {
    // Loaded only here, because it takes half a second.
    const { KubeConfig } = await import("@kubernetes/client-node");
    const config = new KubeConfig();
    config.loadFromDefault();
    return config;
}

async function currentTarget(context: string | undefined): Promise<Target> {
    const config = await userConfig();
    const names = config.getContexts().map(({ name }) => name);
    if (!context) {
        throw new Error(
            `CLUSTER=current needs CONTEXT=name. Contexts of your kubeconfig: ${names.join(", ") || "none"}.`,
        );
    }
    if (!names.includes(context)) {
        throw new Error(`CONTEXT=${context} is not in your kubeconfig, which has: ${names.join(", ") || "none"}.`);
    }
    config.setCurrentContext(context);
    console.error(
        `Using your cluster: context ${context}, ${config.getCurrentCluster()?.server ?? "without an address"}.`,
    );
    return {
        name: `context-${context}`,
        kubeconfig: writeKubeconfig(config.exportConfig()),
        backend: folder(`pulumi-${fileName(context)}`),
    };
}

async function kindTarget(): Promise<Target> {
    if (findProgram("kind") === undefined) {
        throw new Error(
            "CLUSTER=kind needs the program `kind`, which is not installed. Install it, or leave out CLUSTER.",
        );
    }
    const clusters = (await run("kind", ["get", "clusters"])).split("\n");
    console.error(`Using the kind cluster ${kindName}${clusters.includes(kindName) ? "" : ", which is created now"}.`);
    if (!clusters.includes(kindName)) {
        await run("kind", [
            "create",
            "cluster",
            "--name",
            kindName,
            "--kubeconfig",
            join(folder(), "kind.kubeconfig"),
            "--wait",
            "120s",
        ]);
    }
    const kubeconfig = writeKubeconfig(await run("kind", ["get", "kubeconfig", "--name", kindName]));
    const importImage = async (tar: string): Promise<void> => {
        await run("kind", ["load", "image-archive", tar, "--name", kindName]);
    };
    return { name: "kind", kubeconfig, backend: folder("pulumi-kind"), importImage };
}

function folder(...names: string[]): string {
    const path = join(stateDir, ...names);
    mkdirSync(path, { recursive: true });
    return path;
}

const fileName = (context: string): string => context.replaceAll(/[^A-Za-z0-9.-]/g, "-");

/** Writes a copy of the kubeconfig, whose current context is the chosen one. The user's file isn't changed. */
function writeKubeconfig(text: string): string {
    const path = join(folder(), "target.kubeconfig");
    writeFileSync(path, text, { mode: 0o600 });
    return path;
}

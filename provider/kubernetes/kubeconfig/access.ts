import { existsSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";

import { completeSocks, renewAgents, trustProxies } from "./agents";
import { KubeConfig } from "../clientNode";
import { keptInOperation } from "../../contract/operation";
import type { ClusterAccess } from "./clusterAccess";
import { renewCredentials } from "./credentials";
import { homeFolder } from "./home";
import { impersonate } from "./impersonation";
import { isInPod, ofThisPod } from "./inPod";
import { mayBePath, missingFile, parseFile, parseText } from "./kubeconfigFile";
import { completeServers } from "./server";
import { rereadToken } from "./rereadToken";
import { requireUsable } from "./usable";

/**
 * Loads the kubeconfig of an access, by the rules of kubectl and of the Kubernetes provider. As that provider, an operation
 * stays with the current context that it saw first, in all copies of the package: `kubectl config use-context` must not lead
 * the second half of an update to another cluster.
 */
export function loadKubeConfig({ context, kubeconfig }: ClusterAccess): KubeConfig {
    const config = kubeconfig ? given(kubeconfig) : ambient();
    const files = kubeconfig ? [pathOf(kubeconfig)].filter(existsSync) : ambientFiles();
    const cause = kubeconfig ? undefined : files;
    if (context) {
        requireContext(config, context, cause);
    }
    config.setCurrentContext(context || firstContext(config, files));
    rereadToken(config, tokenOf(config, files));
    completeServers(config);
    requireUsable(config, cause);
    renewCredentials(config);
    renewAgents(config);
    completeSocks(config);
    trustProxies(config);
    impersonate(config);
    return config;
}

/** A current context with which an operation stays. */
interface FirstContext {
    readonly name: string;
    /** An API server has taken a request of this operation. */
    isUsed: boolean;
}

/** Those of the kubeconfigs that this copy of the package has loaded. */
const firstContexts = new WeakMap<KubeConfig, FirstContext>();

/** Notes that the server of a kubeconfig has taken a request: from now on the operation can't begin with another context. */
export function noteUse(config: KubeConfig): void {
    const first = firstContexts.get(config);
    if (first !== undefined) {
        first.isUsed = true;
    }
}

/** The current context when this operation first looked, by the files of the kubeconfig. */
function firstContext(config: KubeConfig, files: readonly string[]): string {
    const current = config.getCurrentContext();
    if (files.length === 0) {
        // A kubeconfig that is a text doesn't change.
        return current;
    }
    const ofOperation = keptInOperation<FirstContext>("first contexts");
    const key = JSON.stringify(files);
    let first = ofOperation.get(key);
    if (first !== undefined && config.getContextObject(first.name) === null) {
        if (first.isUsed) {
            throw new Error(
                `The context "${first.name}", with which this command began, is no longer in the kubeconfig. Run the command again.`,
                { cause: files },
            );
        }
        // The program may have written the kubeconfig of a new cluster since the first look at an old file.
        first = undefined;
    }
    if (first === undefined && config.getContextObject(current) !== null) {
        first = { name: current, isUsed: false };
        ofOperation.set(key, first);
    }
    if (first !== undefined) {
        firstContexts.set(config, first);
    }
    return first?.name ?? current;
}

/**
 * Reads the token of the current context again: a login may have renewed it in the files. Undefined if their context has
 * another server now, which alone may get that token.
 */
function tokenOf(config: KubeConfig, files: readonly string[]): () => string | undefined {
    const context = config.getCurrentContext();
    const server = config.getCurrentCluster()?.server;
    return () => {
        const now = ofFiles(files);
        now.setCurrentContext(context);
        return now.getCurrentCluster()?.server === server ? now.getCurrentUser()?.token : undefined;
    };
}

/**
 * A text that changes with the kubeconfig of an access: the paths and contents of its files. Times of changes would not
 * tell two changes within a few milliseconds apart.
 */
export function fingerprint({ context, kubeconfig }: ClusterAccess): string {
    const files = kubeconfig ? [pathOf(kubeconfig)].filter(existsSync) : ambientFiles();
    const contents = files.map((file) => [file, contentOf(file)]);
    return JSON.stringify([kubeconfig, context, contents, kubeconfig ? "" : process.env.KUBERNETES_SERVICE_HOST]);
}

function contentOf(file: string): string | undefined {
    try {
        return readFileSync(file, "utf8");
    } catch {
        // The load of the kubeconfig reports the error.
        return undefined;
    }
}

function pathOf(kubeconfig: string): string {
    return kubeconfig.replace(/^~(?=[/\\]|$)/, homeFolder());
}

/** The kubeconfig of the argument, which is a path or a text. */
function given(kubeconfig: string): KubeConfig {
    const path = pathOf(kubeconfig);
    const isFile = existsSync(path);
    const config = isFile ? parseFile(path, "kubeconfig") : parseText(kubeconfig, "kubeconfig");
    if (config.getClusters().length === 0) {
        if (!isFile && mayBePath(kubeconfig)) {
            throw missingFile(path);
        }
        // The value may be a secret: the message doesn't repeat it.
        throw new Error(
            "The argument kubeconfig names no clusters: it is neither the path of a file nor a kubeconfig's text. " +
                "Give one of these.",
        );
    }
    return config;
}

/**
 * The kubeconfig that kubectl finds: KUBECONFIG, else ~/.kube/config, else the service account of this pod. A preview
 * ignores an error that has a `cause`, as all errors here do: the same update may create the cluster and write the
 * kubeconfig.
 */
function ambient(): KubeConfig {
    const files = ambientFiles();
    try {
        const merged = ofFiles(files);
        const isEmpty = merged.getClusters().length === 0 || (!merged.getCurrentContext() && isInPod());
        return isEmpty ? ofThisPod(files) : merged;
    } catch (error) {
        throw new Error((error as Error).message, { cause: files });
    }
}

function ofFiles(files: readonly string[]): KubeConfig {
    return merge(files.filter((file) => existsSync(file)).map((file) => parseFile(file, file)));
}

function ambientFiles(): string[] {
    const { KUBECONFIG } = process.env;
    return [...new Set(KUBECONFIG ? KUBECONFIG.split(delimiter) : [join(homeFolder(), ".kube", "config")])];
}

/**
 * Merges several files: for each value, and for each entry by its name, the first file that has it wins.
 * @see https://kubernetes.io/docs/concepts/configuration/organize-cluster-access-kubeconfig/#merging-kubeconfig-files
 */
function merge(configs: readonly KubeConfig[]): KubeConfig {
    const merged = new KubeConfig();
    merged.loadFromOptions({
        clusters: firstOfName(configs.flatMap((config) => config.getClusters())),
        contexts: firstOfName(configs.flatMap((config) => config.getContexts())),
        users: firstOfName(configs.flatMap((config) => config.getUsers())),
        currentContext: configs.map((config) => config.getCurrentContext()).find(Boolean),
    });
    return merged;
}

function firstOfName<T extends { readonly name: string }>(entries: readonly T[]): T[] {
    return [...new Map(entries.toReversed().map((entry) => [entry.name, entry])).values()].toReversed();
}

/** The error has the cause, if there is one. */
function requireContext(config: KubeConfig, context: string, cause: unknown): void {
    const known = config.getContexts().map(({ name }) => name);
    if (!known.includes(context)) {
        throw new Error(
            `context "${context}" is not in the kubeconfig; it has ${known.join(", ") || "none"}.`,
            cause === undefined ? undefined : { cause },
        );
    }
}

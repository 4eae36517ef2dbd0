import { keptByCopy } from "../contract/operation";
import { fingerprint, loadKubeConfig } from "./kubeconfig/access";
import * as k8s from "./clientNode";
import type { ClusterAccess } from "./kubeconfig/clusterAccess";
import { fetchCredential, refuseCredential } from "./kubeconfig/credentials";
import { Patient, timeLimit } from "./patient";
import { retry, TRIES } from "./retry";

export { retry } from "./retry";

/** The name of this package in the API server's audit log. */
export const USER_AGENT = "flux-minicluster";

/** Kinds of the objects that pods mount. */
export type MountedKind = "ConfigMap" | "Secret";

/** An answer of the API server, with its header `Warning`. */
interface Answered<T> {
    readonly answer: T;
    readonly warning: string;
}

/** Timeout and number of tries of a call. */
export interface Patience {
    /**
     * Longest wait of each try in seconds, because an API server may accept a request and never answer: for the answer,
     * and for each next part of its content. A long answer may take longer.
     */
    readonly seconds: number;
    readonly tries: number;
}

const PATIENCE: Patience = { seconds: 15, tries: TRIES };

/**
 * For `check` and `diff`, which look at the cluster but don't need it. An API server that hangs delays a preview by 10
 * s, because `diff` makes no call to an API server that didn't answer `check`.
 */
export const BRIEFLY: Patience = { seconds: 5, tries: 2 };

/** The configuration of KubeConfig.makeApiClient, with time limits, and with renewal of refused credentials. */
function configure(config: k8s.KubeConfig, seconds: number, httpApi: Patient): k8s.Configuration {
    const cluster = config.getCurrentCluster();
    if (cluster === null) {
        throw new Error("The kubeconfig has no current context with a cluster. Set one, or give context.");
    }
    const limited: k8s.Middleware = {
        pre: async (request) => {
            request.setHeaderParam("User-Agent", USER_AGENT);
            request.setSignal(timeLimit(seconds));
            return request;
        },
        post: async (response) => response,
    };
    return k8s.createConfiguration({
        baseServer: new k8s.ServerConfiguration(cluster.server, {}),
        authMethods: { default: config },
        httpApi,
        promiseMiddleware: [limited],
    });
}

/** The calls to the API server that the verbs need. Only this file creates clients. */
export class Kube {
    readonly batch: k8s.BatchV1Api;
    readonly core: k8s.CoreV1Api;
    private readonly versions: k8s.VersionApi;
    private readonly patient: Patient;
    private readonly configuration: k8s.Configuration;

    constructor(
        readonly config: k8s.KubeConfig,
        readonly patience = PATIENCE,
    ) {
        this.patient = new Patient(config);
        const configuration = configure(config, patience.seconds, this.patient);
        this.configuration = configuration;
        this.batch = new k8s.BatchV1Api(configuration);
        this.core = new k8s.CoreV1Api(configuration);
        this.versions = new k8s.VersionApi(configuration);
    }

    /** A client for the same cluster that gives up soon. */
    briefly(): Kube {
        return new Kube(this.config, BRIEFLY);
    }

    /** Goes on as another client, for all that have this one. */
    become(other: Kube): void {
        Object.assign(this, other);
    }

    get server(): string {
        return this.config.getCurrentCluster()?.server ?? "no cluster";
    }

    /** The time by the API server's clock, by which deadlines of objects count; by this machine's before its first answer. */
    now(): Date {
        return this.patient.now();
    }

    /** The namespace of the current context. */
    get namespace(): string {
        return this.config.getContextObject(this.config.getCurrentContext())?.namespace ?? "default";
    }

    /**
     * Drops a credential that the API server has refused. True if the request may be repeated with another one.
     * `requestedAt` is the time of the request on the monotonic clock.
     */
    refused(requestedAt: number): boolean {
        return refuseCredential(this.config, requestedAt);
    }

    /** Fails if the current user has no valid credential. Makes no request. */
    requireCredential(): Promise<void> {
        return fetchCredential(this.config);
    }

    /** Calls for custom objects, such as Kueue's Workloads. */
    get custom(): k8s.CustomObjectsApi {
        return new k8s.CustomObjectsApi(this.configuration);
    }

    /** Kubernetes' version as two numbers. */
    async version(): Promise<{ major: number; minor: number }> {
        const { major, minor } = await this.retry(() => this.versions.getCode());
        return { major: Number.parseInt(major, 10), minor: Number.parseInt(minor, 10) };
    }

    /** The JSON of an answer. Of long lists, the client's own conversion into classes takes longer than the request. */
    async read<T>(path: string, query: Readonly<Record<string, string>>): Promise<T> {
        return (await this.retry(() => this.send<T>(k8s.HttpMethod.GET, path, query))).answer;
    }

    /** Sends an object with all its fields. Only for requests that change nothing: they are repeated after an error. */
    async ask<T>(path: string, query: Readonly<Record<string, string>>, body: object): Promise<Answered<T>> {
        return this.retry(() => this.send<T>(k8s.HttpMethod.POST, path, query, body));
    }

    private async send<T>(
        method: k8s.HttpMethod,
        path: string,
        query: Readonly<Record<string, string>>,
        body?: object,
    ): Promise<Answered<T>> {
        const request = this.configuration.baseServer.makeRequestContext(path, method);
        Object.entries(query).forEach(([name, value]) => request.setQueryParam(name, value));
        request.setHeaderParam("User-Agent", USER_AGENT);
        request.setHeaderParam("Accept", "application/json");
        if (body !== undefined) {
            request.setHeaderParam("Content-Type", "application/json");
            request.setBody(JSON.stringify(body));
        }
        request.setSignal(timeLimit(this.patience.seconds));
        await this.config.applySecurityAuthentication(request);
        const { body: content, headers, httpStatusCode } = await this.configuration.httpApi.send(request).toPromise();
        const text = await content.text();
        if (httpStatusCode >= 400) {
            const error = new Error(`HTTP status ${httpStatusCode}`);
            throw Object.assign(error, { code: httpStatusCode, body: text, headers });
        }
        return { answer: JSON.parse(text) as T, warning: headers["warning"] ?? "" };
    }

    getJob(namespace: string, name: string): Promise<k8s.V1Job> {
        return this.retry(() => this.batch.readNamespacedJob({ namespace, name }));
    }

    /** Sends all fields, also those that the client's types don't know. */
    createJob(namespace: string, body: k8s.V1Job): Promise<k8s.V1Job> {
        return this.batch.createNamespacedJob({ namespace, body }, verbatim(body));
    }

    patchJob(namespace: string, name: string, body: object): Promise<k8s.V1Job> {
        return this.retry(() => this.batch.patchNamespacedJob({ namespace, name, body }, mergePatch()));
    }

    /** Deletes the Job after its pods, if its UID is still this one, and its version if one is given. */
    deleteJob(namespace: string, name: string, uid: string, resourceVersion?: string): Promise<unknown> {
        const body = { preconditions: { uid, resourceVersion }, propagationPolicy: "Foreground" };
        return this.retry(() => this.batch.deleteNamespacedJob({ namespace, name, body }));
    }

    getMounted(kind: MountedKind, namespace: string, name: string): Promise<k8s.V1ConfigMap | k8s.V1Secret> {
        return this.retry(() => this.core[`readNamespaced${kind}`]({ namespace, name }));
    }

    createMounted(
        kind: MountedKind,
        namespace: string,
        body: k8s.V1ConfigMap | k8s.V1Secret,
    ): Promise<k8s.V1ConfigMap | k8s.V1Secret> {
        return this.core[`createNamespaced${kind}`]({ namespace, body });
    }

    patchMounted(kind: MountedKind, namespace: string, name: string, body: object): Promise<unknown> {
        return this.retry(() => this.core[`patchNamespaced${kind}`]({ namespace, name, body }, mergePatch()));
    }

    /** Deletes the object if its UID is still this one. */
    deleteMounted(kind: MountedKind, namespace: string, name: string, uid: string): Promise<unknown> {
        return this.retry(() =>
            this.core[`deleteNamespaced${kind}`]({ namespace, name, body: { preconditions: { uid } } }),
        );
    }

    getService(namespace: string, name: string): Promise<k8s.V1Service> {
        return this.retry(() => this.core.readNamespacedService({ namespace, name }));
    }

    private retry<T>(call: () => Promise<T>): Promise<T> {
        return retry(call, this.patience.tries);
    }
}

function mergePatch() {
    return k8s.setHeaderOptions("Content-Type", k8s.PatchStrategy.MergePatch);
}

/** Options of a request that sends the object as it is. */
function verbatim(body: object): k8s.ConfigurationOptions<k8s.ObservableMiddleware> {
    const pass = <T>(value: T) => new k8s.Observable(Promise.resolve(value));
    const pre = (request: k8s.RequestContext) => {
        request.setBody(JSON.stringify(body));
        return pass(request);
    };
    return { middleware: [{ pre, post: pass }], middlewareMergeStrategy: "append" };
}

// Another copy of the package may have other classes.
const knownConfigs = keptByCopy(() => new Map<string, k8s.KubeConfig>());
const knownClients = keptByCopy(() => new Map<string, Kube>());

/** Returns the client for an access and patience. It is the same one as long as the kubeconfig doesn't change. */
export function connect(access: ClusterAccess, patience = PATIENCE): Kube {
    const [configs, clients] = [knownConfigs(), knownClients()];
    const source = fingerprint(access);
    const key = JSON.stringify([source, patience]);
    const config = configs.get(source) ?? loadKubeConfig(access);
    configs.set(source, config);
    const known = clients.get(key);
    // A client that has become another one doesn't stand for this kubeconfig any more.
    if (known?.config === config) {
        return known;
    }
    const kube = new Kube(config, patience);
    clients.set(key, kube);
    return kube;
}

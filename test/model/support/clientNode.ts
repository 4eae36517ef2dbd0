import { requestsIn, serveAgent } from "./agentInPod";
import { HttpMethod, KubeConfig, PatchStrategy } from "@kubernetes/client-node";
import type { PassThrough, Writable } from "node:stream";

import { isSelected } from "../../unit/support/fakeApiRules";
import { createObject, deleteObject, find, patchObject, removeObject, type Request, send } from "./apiServer";
import { processes } from "./clock";
import type { Cluster, Item, Kind } from "./cluster";
import type { Host } from "./host";

interface Configuration {
    readonly server: string;
    readonly token: string;
    readonly promiseMiddleware: readonly { pre(request: object): Promise<object> }[];
}

interface Place {
    readonly namespace: string;
    readonly name?: string;
    readonly body?: any;
    readonly labelSelector?: string;
    readonly fieldSelector?: string;
}

/** The world of the calling host. */
function here() {
    return (processes.getStore() as Host).world;
}

/** The exports of provider/kubernetes/clientNode, for clusters in memory. */
export function makeClientNode(): object {
    class Api {
        constructor(private readonly configuration: Configuration) {}

        protected async call<T>(request: Request, effect: (cluster: Cluster) => T): Promise<T> {
            let signal: AbortSignal | undefined;
            const context = { setHeaderParam: () => undefined, setSignal: (of: AbortSignal) => (signal = of) };
            for (const { pre } of this.configuration.promiseMiddleware) {
                await pre(context);
            }
            const { server, token } = this.configuration;
            return send(here(), server, { ...request, signal, token }, effect);
        }

        protected async list(kind: Kind, place: Place): Promise<object> {
            return this.call({ method: "GET", kind, ...place }, (cluster) => {
                const items = cluster.list(kind, place.namespace, selector(place)).map(typed);
                return { items, metadata: { resourceVersion: String(cluster.revision) } };
            });
        }

        protected read(kind: Kind, { name, namespace }: Required<Place>): Promise<object> {
            return this.call({ method: "GET", kind, namespace, name }, (cluster) =>
                typed(find(cluster, kind, namespace, name)),
            );
        }

        protected create(kind: Kind, { body, namespace }: Place): Promise<object> {
            const request: Request = { method: "POST", kind, namespace, name: body.metadata.name, body };
            return this.call(request, (cluster) => typed(createObject(here(), cluster, kind, namespace, body)));
        }

        /** `effect` is the immediate effect of a deletion of this kind. */
        protected patch(kind: Kind, { body, name, namespace }: Required<Place>) {
            return this.call({ method: "PATCH", kind, namespace, name, body }, (cluster) =>
                typed(patchObject(cluster, kind, namespace, name, body)),
            );
        }

        protected delete(
            kind: Kind,
            { body, name, namespace }: Required<Place>,
            effect: typeof deleteObject,
        ): Promise<void> {
            return this.call({ method: "DELETE", kind, namespace, name, body }, (cluster) =>
                effect(cluster, kind, namespace, name, body),
            );
        }
    }

    class BatchV1Api extends Api {
        listNamespacedJob = (place: Place) => this.list("jobs", place);
        readNamespacedJob = (of: Required<Place>) => this.read("jobs", of);
        createNamespacedJob = (of: Place) => this.create("jobs", of);
        deleteNamespacedJob = (of: Required<Place>) => this.delete("jobs", of, deleteObject);

        patchNamespacedJob = (of: Required<Place>) => this.patch("jobs", of);
    }

    class CoreV1Api extends Api {
        listNamespacedPod = (place: Place) => this.list("pods", place);
        listNamespacedEvent = (place: Place) => this.list("events", place);
        readNamespacedService = (of: Required<Place>) => this.read("services", of);
        deleteNamespacedService = (of: Required<Place>) => this.delete("services", of, removeObject);
        createNamespacedEvent = (of: Place) => this.create("events", of);
        readNamespacedConfigMap = (of: Required<Place>) => this.read("configmaps", of);
        createNamespacedConfigMap = (of: Place) => this.create("configmaps", of);
        patchNamespacedConfigMap = (of: Required<Place>) => this.patch("configmaps", of);
        deleteNamespacedConfigMap = (of: Required<Place>) => this.delete("configmaps", of, removeObject);
        readNamespacedSecret = (of: Required<Place>) => this.read("secrets", of);
        createNamespacedSecret = (of: Place) => this.create("secrets", of);
        patchNamespacedSecret = (of: Required<Place>) => this.patch("secrets", of);
        deleteNamespacedSecret = (of: Required<Place>) => this.delete("secrets", of, removeObject);

        readNamespacedPodLog = ({ name, namespace }: Required<Place>) =>
            this.call({ method: "GET", kind: "log", namespace, name }, (cluster) => {
                find(cluster, "pods", namespace, name);
                return "a line of the log\n";
            });
    }

    class VersionApi extends Api {
        getCode = () =>
            this.call({ method: "GET", kind: "version", namespace: "" }, () => ({ major: "1", minor: "36" }));
    }

    class Watch {
        constructor(private readonly config: KubeConfig) {}

        async watch(
            path: string,
            query: Record<string, string>,
            receive: (type: string, item: object) => void,
            done: (error: unknown) => void,
        ) {
            const [, namespace, kind] = /namespaces\/([^/]+)\/([a-z]+)$/.exec(path)!;
            const controller = new AbortController();
            const request: Request = {
                method: "WATCH",
                kind: kind as Kind,
                namespace,
                signal: controller.signal,
                token: tokenOf(this.config),
            };
            await send(here(), serverOf(this.config), request, (cluster) =>
                follow(cluster, request, { query, receive, done, controller }),
            );
            return controller;
        }
    }

    class Exec {
        constructor(private readonly config: KubeConfig) {}

        exec = async (namespace: string, pod: string, _container: string, _command: string[], ...streams: any[]) => {
            const [stdout, , stdin, , report] = streams as [
                Writable,
                Writable,
                PassThrough,
                boolean,
                (status: object) => void,
            ];
            const input = String(stdin.read() as Buffer);
            const agentRequests = requestsIn(input);
            const socket: Record<string, any> = {
                close: () => undefined,
                on: () => socket,
                once: () => socket,
                ping: () => undefined,
                terminate: () => undefined,
            };
            const request: Request = {
                method: "POST",
                kind: "exec",
                namespace,
                name: pod,
                signal: AbortSignal.timeout(60_000),
                token: tokenOf(this.config),
            };
            await send(here(), serverOf(this.config), request, (cluster) => {
                const item = cluster.get("pods", namespace, pod);
                if (item === undefined) {
                    throw Object.assign(new Error("Unexpected server response: 404"), {});
                }
                const isThere = () => cluster.get("pods", namespace, pod)?.metadata.uid === item.metadata.uid;
                if (agentRequests !== undefined) {
                    const { flux } = here();
                    const run = (words: readonly string[]) => flux.answer(item.metadata.uid, words, isThere);
                    const lose = () => socket["onclose"]?.();
                    serveAgent(agentRequests, { isThere, lose, report, run, stdin, stdout });
                    return;
                }
                void here()
                    .flux.run(item.metadata.uid, input, isThere)
                    .then(({ exitCode, stdout: text }) => {
                        if (!isThere()) {
                            socket["onclose"]?.();
                            return;
                        }
                        stdout.write(text, () => report(exitCode === 0 ? { status: "Success" } : exitStatus(exitCode)));
                    });
            }).catch((error: unknown) => Promise.reject(upgradeError(error)));
            return socket;
        };
    }

    const createConfiguration = ({ authMethods, baseServer, promiseMiddleware }: any) => {
        const server = baseServer.url as string;
        const token = tokenOf(authMethods.default as KubeConfig);
        return {
            server,
            token,
            promiseMiddleware,
            baseServer: { makeRequestContext: (path: string) => new RawRequest(path) },
            httpApi: { send: (request: RawRequest) => ({ toPromise: () => request.answer(server, token) }) },
        };
    };
    class ServerConfiguration {
        constructor(readonly url: string) {}
    }
    return {
        BatchV1Api: withoutGaps(BatchV1Api),
        CoreV1Api: withoutGaps(CoreV1Api),
        createConfiguration,
        Exec,
        HttpMethod,
        KubeConfig,
        PatchStrategy,
        ServerConfiguration,
        setHeaderOptions: () => undefined,
        VersionApi,
        Watch,
    };
}

/**
 * Makes a call that the model lacks a violation: a verb takes the error for one of the API server's, and the histories would show
 * nothing about what it does after an answer.
 */
function withoutGaps<T extends new (...args: any[]) => object>(api: T): T {
    return class extends api {
        constructor(...args: any[]) {
            super(...args);
            return new Proxy(this, {
                get: (of, name: string) => Reflect.get(of, name) ?? here().lack(name),
            });
        }
    };
}

/** A request without the client's classes: what tells a cluster from all others. */
class RawRequest {
    private signal: AbortSignal | undefined;
    private sent: string | undefined;

    constructor(private readonly path: string) {}

    setHeaderParam(): void {}

    setQueryParam(): void {}

    setAgent(): void {}

    setBody(body: string): void {
        this.sent = body;
    }

    setSignal(signal: AbortSignal): void {
        this.signal = signal;
    }

    async answer(server: string, token: string): Promise<object> {
        const answered = (text: string) => ({
            body: { text: () => Promise.resolve(text) },
            headers: {},
            httpStatusCode: 200,
        });
        const [kind, name] = this.path.split("/").slice(-2);
        if (name === "pods" && this.sent !== undefined) {
            // A dry run stores nothing, and a check says the same without its answer.
            return answered(this.sent);
        }
        if (name !== "kube-system" && name !== "kube-root-ca.crt") {
            throw new Error(`the model has nothing at ${this.path}`);
        }
        const request = { method: "GET", kind: kind as Kind, namespace: "", name, signal: this.signal, token } as const;
        const item = await send(here(), server, request, ({ uid }) => ({
            metadata: { name, uid },
            data: { "ca.crt": uid },
        }));
        return answered(JSON.stringify(item));
    }
}

interface Follower {
    readonly query: Readonly<Record<string, string>>;
    readonly receive: (type: string, item: object) => void;
    readonly done: (error: unknown) => void;
    readonly controller: AbortController;
}

function follow(cluster: Cluster, { kind, namespace }: Request, { controller, done, query, receive }: Follower): void {
    const owner = processes.getStore();
    const select = selector({ namespace, ...query });
    const inOwner = (act: () => void) => processes.run(owner, () => cluster.clock.set(act, 1));
    const stop = cluster.watch(Number(query["resourceVersion"]), (change) => {
        if (change.kind === kind && change.item.metadata.namespace === namespace && select(change.item)) {
            inOwner(() => receive(change.type, change.item));
        }
    });
    const finish = (error: unknown) => {
        cluster.openWatches.delete(entry);
        stop?.();
        inOwner(() => done(error));
    };
    const entry = {
        end: (code: number | undefined) => {
            if (code !== undefined) {
                inOwner(() => receive("ERROR", { code, message: "too old resource version" }));
            }
            finish(undefined);
        },
    };
    if (stop === undefined) {
        entry.end(410);
        return;
    }
    cluster.openWatches.add(entry);
    const timer = cluster.clock.set(() => entry.end(undefined), Number(query["timeoutSeconds"] ?? 300) * 1000);
    controller.signal.addEventListener("abort", () => {
        timer.cancelled = true;
        finish(Object.assign(new Error("The user aborted a request."), { name: "AbortError" }));
    });
}

function serverOf(config: KubeConfig): string {
    return config.getCurrentCluster()?.server ?? "";
}

function tokenOf(config: KubeConfig): string {
    return config.getCurrentUser()?.token ?? "";
}

/** The object with dates instead of texts, as the client returns it in answers. In watches, dates are texts. */
function typed(item: Item): object {
    const { creationTimestamp, deletionTimestamp } = item.metadata;
    const date = (text: string | undefined) => (text === undefined ? undefined : new Date(text));
    const status =
        item["status"]?.startTime === undefined
            ? item["status"]
            : { ...item["status"], startTime: date(item["status"].startTime) };
    return {
        ...item,
        metadata: {
            ...item.metadata,
            creationTimestamp: date(creationTimestamp),
            deletionTimestamp: date(deletionTimestamp),
        },
        status,
    };
}

function selector({ fieldSelector, labelSelector }: Place): (item: Item) => boolean {
    return (item) => isSelected(fieldSelector, labelSelector, item);
}

function exitStatus(exitCode: number): object {
    return {
        status: "Failure",
        reason: "NonZeroExitCode",
        details: { causes: [{ reason: "ExitCode", message: String(exitCode) }] },
    };
}

/** The error of a refused upgrade to a WebSocket has only the HTTP status. */
function upgradeError(error: unknown): unknown {
    const { code } = error as { code?: unknown };
    return typeof code === "number" && code >= 400 ? { message: `Unexpected server response: ${code}` } : error;
}

import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";

import { fits, type KubeObject, merge, selects } from "./fakeApiRules";
import { soon } from "../../e2e/support/until";

/* A dependency of the Kubernetes client, which has no types. */
const { WebSocketServer } = require("ws") as { WebSocketServer: new (options: object) => any };

/** The kinds of objects that the fake knows, as the last part of a path. */
export type Kind =
    | "clusterqueues"
    | "configmaps"
    | "deployments"
    | "deviceclasses"
    | "endpointslices"
    | "events"
    | "jobs"
    | "limitranges"
    | "namespaces"
    | "localqueues"
    | "networkpolicies"
    | "nodes"
    | "persistentvolumeclaims"
    | "poddisruptionbudgets"
    | "pods"
    | "resourcequotas"
    | "rolebindings"
    | "roles"
    | "secrets"
    | "selfsubjectaccessreviews"
    | "serviceaccounts"
    | "services"
    | "workloads";

interface Request {
    readonly method: string;
    readonly url: URL;
    readonly kind: Kind;
    readonly name?: string;
    readonly sub?: string;
    readonly body: any;
}

interface WatchEvent {
    readonly type: string;
    readonly object: KubeObject;
}

/**
 * Replaces an answer: by a status with a message, none ("hang"), its head alone ("mute"), or a connection cut before or
 * after the work.
 */
export interface Fault {
    readonly match: RegExp;
    times: number;
    readonly code: number | "cut" | "cutAfter" | "hang" | "mute";
    readonly message?: string;
    readonly reason?: string;
    /** Name of the object in the Status; without it, the Status is about no object. */
    readonly name?: string;
}

/** An API server of one namespace that speaks just enough for the verbs, and fails when told to. */
export class FakeApi {
    /** `METHOD path?query` of every request. */
    readonly requests: string[] = [];
    /** The headers `Authorization` of every request. */
    readonly authorizations: (string | undefined)[] = [];
    /** Names and values of the headers of every request, as they were sent. */
    readonly headers: string[][] = [];
    /** Requests with other headers `Authorization` are answered with 401. */
    accepts: (authorization: string | undefined) => boolean = () => true;
    readonly logs = new Map<string, string>();
    /** Answers the requests for logs instead of `logs`. */
    serveLog: ((url: URL, response: ServerResponse) => void) | undefined;
    readonly version = { major: "1", minor: "36" };
    /** Answers reviews of access. */
    allows: (attributes: Record<string, string | undefined>) => boolean = () => true;
    /** The header `Warning` of answers to dry runs. */
    dryRunWarning = "";
    /** Headers of every answer, such as Date. */
    answerHeaders: Readonly<Record<string, string>> = {};
    /** The objects of dry runs, which store nothing. */
    readonly tried: KubeObject[] = [];
    /** Changes objects that are created, as an admission webhook does. */
    admit: (object: KubeObject) => void = () => undefined;
    /** A deleted object stays until `remove`. */
    holdDeletes = false;
    private readonly server: Server;
    private port = 0;
    private readonly objects = new Map<Kind, Map<string, KubeObject>>();
    private readonly history = new Map<Kind, WatchEvent[]>();
    private readonly watches = new Set<{ kind: Kind; url: URL; response: ServerResponse }>();
    private readonly faults: Fault[] = [];
    /** The connections of commands, which the server forgets. */
    private readonly upgraded = new Set<Duplex>();
    private revision = 100;

    constructor() {
        this.server = createServer((request, response) => void this.serve(request, response));
    }

    static async start(): Promise<FakeApi> {
        const api = new FakeApi();
        await new Promise<void>((resolve) => api.server.listen(0, "127.0.0.1", resolve));
        api.port = (api.server.address() as AddressInfo).port;
        return api;
    }

    async stop(): Promise<void> {
        this.server.closeAllConnections();
        // An agent keeps its connection for seconds after its last request.
        this.upgraded.forEach((socket) => socket.destroy());
        await new Promise((resolve) => this.server.close(resolve));
    }

    get kubeconfig(): string {
        return JSON.stringify({
            apiVersion: "v1",
            kind: "Config",
            clusters: [
                {
                    name: "fake",
                    cluster: { server: `http://127.0.0.1:${this.port}`, "insecure-skip-tls-verify": true },
                },
            ],
            users: [{ name: "me", user: { token: "token-of-the-test" } }],
            contexts: [{ name: "fake", context: { cluster: "fake", user: "me" } }],
            "current-context": "fake",
        });
    }

    /** The next `times` requests whose `METHOD path` matches fail. */
    fail(match: RegExp, code: Fault["code"], { message, name, reason, times = 1 }: Partial<Fault> = {}): void {
        this.faults.push({ match, code, message, name, reason, times });
    }

    put(kind: Kind, object: KubeObject): KubeObject {
        const known = this.get(kind, object.metadata.name);
        this.revision++;
        const metadata = {
            namespace: "hpc",
            uid: known?.metadata.uid ?? randomUUID(),
            creationTimestamp: new Date().toISOString(),
            ...object.metadata,
            resourceVersion: String(this.revision),
        };
        const stored = { ...object, metadata };
        this.all(kind).set(metadata.name, stored);
        this.emit(kind, { type: known === undefined ? "ADDED" : "MODIFIED", object: stored });
        return stored;
    }

    get(kind: Kind, name: string): KubeObject | undefined {
        return this.all(kind).get(name);
    }

    /** All objects of a kind, by their names. */
    every(kind: Kind): KubeObject[] {
        return [...this.all(kind).values()].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
    }

    remove(kind: Kind, name: string): void {
        const object = this.get(kind, name);
        if (object !== undefined) {
            this.all(kind).delete(name);
            this.revision++;
            const metadata = { ...object.metadata, resourceVersion: String(this.revision) };
            this.emit(kind, { type: "DELETED", object: { ...object, metadata } });
        }
    }

    /** Ends all open watches, as a restarting API server does. */
    cutWatches(): void {
        for (const { response } of this.watches) {
            response.destroy();
        }
    }

    /** Ends all open watches in order, as an API server does with clients that are too slow. */
    endWatches(): void {
        for (const { response } of this.watches) {
            response.end();
        }
    }

    /** Runs the commands in containers, and forwards ports. Without this, they are answered as other requests are. */
    serveCommands(run: (socket: any, command: string[]) => void): void {
        const handleProtocols = () => "v5.channel.k8s.io";
        const webSockets = new WebSocketServer({ noServer: true, handleProtocols });
        this.server.removeAllListeners("upgrade");
        this.server.on("upgrade", (request, socket, head) => {
            const { pathname, searchParams } = new URL(request.url ?? "/", "http://fake");
            this.requests.push(`EXEC ${pathname}`);
            this.headers.push(request.rawHeaders);
            this.upgraded.add(socket);
            webSockets.handleUpgrade(request, socket, head, (opened: any) =>
                run(opened, searchParams.getAll("command")),
            );
        });
    }

    /** Sends an error to all open watches, as an API server does that no longer has a version. */
    expireWatches(code = 410): void {
        for (const watch of this.watches) {
            const { response } = watch;
            this.watches.delete(watch);
            response.write(
                `${JSON.stringify({ type: "ERROR", object: status(code, "Expired", "too old resource version") })}\n`,
            );
            response.end();
        }
    }

    /** Resolves when no watch is open. */
    async watchesClosed(): Promise<void> {
        await this.eventually(
            () => this.watches.size === 0,
            () => `${this.watches.size} watches are open`,
        );
    }

    /** Resolves when a wait for a Job has opened all its watches: Job, pods, warnings and pulls. */
    async watchedByWait(): Promise<void> {
        await this.seen(/jobs\?watch=true/);
        await this.seen(/pods\?watch=true/);
        await this.seen(/events\?watch=true/, 2);
    }

    /** Resolves when so many matching requests have been made. */
    async seen(match: RegExp, times = 1): Promise<void> {
        const seen = () => this.requests.filter((request) => match.test(request)).length >= times;
        await this.eventually(seen, () => `no request like ${match} among\n${this.requests.join("\n")}`);
    }

    private async eventually(holds: () => boolean, what: () => string): Promise<void> {
        await soon(what, holds);
    }

    private all(kind: Kind): Map<string, KubeObject> {
        const known = this.objects.get(kind) ?? new Map<string, KubeObject>();
        this.objects.set(kind, known);
        return known;
    }

    private emit(kind: Kind, event: WatchEvent): void {
        this.history.set(kind, [...(this.history.get(kind) ?? []), event]);
        for (const watch of this.watches) {
            if (watch.kind === kind && selects(watch.url, event.object)) {
                watch.response.write(`${JSON.stringify(event)}\n`);
            }
        }
    }

    private async serve(message: IncomingMessage, response: ServerResponse): Promise<void> {
        const request = await parse(message);
        this.requests.push(`${request.method} ${request.url.pathname}${request.url.search}`);
        const { authorization } = message.headers;
        this.authorizations.push(authorization);
        this.headers.push(message.rawHeaders);
        Object.entries(this.answerHeaders).forEach(([name, value]) => response.setHeader(name, value));
        if (!this.accepts(authorization)) {
            send(response, 401, status(401, "Unauthorized", "Unauthorized"));
            return;
        }
        const fault = this.takeFault(request);
        if (fault === undefined) {
            this.answer(request, response);
        } else if (typeof fault.code === "number") {
            send(response, fault.code, {
                ...status(fault.code, fault.reason ?? "", fault.message ?? `injected ${fault.code}`),
                ...(fault.name && { details: { name: fault.name } }),
            });
        } else if (fault.code === "cut" || fault.code === "cutAfter") {
            this.cut(request, message, fault.code);
        } else {
            keepSilent(response, fault.code);
        }
    }

    private cut(request: Request, message: IncomingMessage, when: "cut" | "cutAfter"): void {
        if (when === "cutAfter") {
            this.answer(request, undefined);
        }
        message.socket.destroy();
    }

    private takeFault({ method, url }: Request): Fault | undefined {
        const fault = this.faults.find(
            ({ match, times }) => times > 0 && match.test(`${method} ${url.pathname}${url.search}`),
        );
        if (fault !== undefined) {
            fault.times--;
        }
        return fault;
    }

    private answer(request: Request, response: ServerResponse | undefined): void {
        const { kind, method, name, sub, url } = request;
        if (url.pathname.startsWith("/version")) {
            send(response, 200, this.version);
        } else if (sub === "log") {
            this.sendLog(name ?? "", url, response);
        } else if (method === "POST") {
            this.create(request, response);
        } else if (name === undefined) {
            this.listOrWatch(kind, url, response);
        } else {
            this.one(request, this.get(kind, name), response);
        }
    }

    private one(
        { body, kind, method, name }: Request,
        object: KubeObject | undefined,
        response: ServerResponse | undefined,
    ): void {
        if (object === undefined) {
            send(response, 404, { ...status(404, "NotFound", `${kind} "${name}" not found`), details: { name, kind } });
        } else if (method === "PATCH") {
            this.patch(kind, object, body, response);
        } else if (method === "DELETE") {
            this.delete(kind, object, body, response);
        } else {
            send(response, 200, object);
        }
    }

    private create({ body, kind, url }: Request, response: ServerResponse | undefined): void {
        if (kind === "selfsubjectaccessreviews") {
            send(response, 201, { ...body, status: { allowed: this.allows(body.spec.resourceAttributes) } });
        } else if (url.searchParams.get("dryRun") === "All") {
            this.tried.push(body);
            response?.setHeader("warning", this.dryRunWarning);
            send(response, 201, body);
        } else if (this.get(kind, body.metadata.name) !== undefined) {
            send(response, 409, status(409, "AlreadyExists", `${kind} "${body.metadata.name}" already exists`));
        } else {
            this.admit(body);
            send(response, 201, this.put(kind, body));
        }
    }

    private patch(kind: Kind, object: KubeObject, body: any, response: ServerResponse | undefined): void {
        const { resourceVersion, uid } = body.metadata ?? {};
        if (!fits(object, { resourceVersion, uid })) {
            send(response, 409, status(409, "Conflict", "the UID in the precondition does not match"));
        } else {
            send(response, 200, this.put(kind, merge(object, body)));
        }
    }

    private delete(kind: Kind, object: KubeObject, body: any, response: ServerResponse | undefined): void {
        if (!fits(object, body?.preconditions)) {
            send(response, 409, status(409, "Conflict", "the UID in the precondition does not match"));
            return;
        }
        this.put(kind, { ...object, metadata: { ...object.metadata, deletionTimestamp: new Date().toISOString() } });
        const isMounted = kind === "configmaps" || kind === "secrets";
        if (isMounted) {
            this.remove(kind, object.metadata.name);
        }
        send(response, 200, status(200, "", "deleted"));
        if (!isMounted && !this.holdDeletes) {
            setTimeout(() => this.remove(kind, object.metadata.name), 20);
        }
    }

    private sendLog(pod: string, url: URL, response: ServerResponse | undefined): void {
        if (this.serveLog !== undefined && response !== undefined) {
            this.serveLog(url, response);
            return;
        }
        const log = this.logs.get(pod);
        if (log === undefined) {
            send(response, 404, status(404, "NotFound", `pods "${pod}" not found`));
            return;
        }
        const lines = log.split("\n");
        const tail = Number(url.searchParams.get("tailLines") ?? lines.length) + 1;
        response?.writeHead(200, { "content-type": "text/plain" }).end(lines.slice(-tail).join("\n"));
    }

    private listOrWatch(kind: Kind, url: URL, response: ServerResponse | undefined): void {
        if (url.searchParams.get("watch") !== "true") {
            this.list(kind, url, response);
        } else if (response !== undefined) {
            this.watch(kind, url, response);
        }
    }

    private watch(kind: Kind, url: URL, response: ServerResponse): void {
        const from = Number(url.searchParams.get("resourceVersion") ?? 0);
        response.writeHead(200, { "content-type": "application/json" });
        response.flushHeaders();
        for (const event of this.history.get(kind) ?? []) {
            if (Number(event.object.metadata.resourceVersion) > from && selects(url, event.object)) {
                response.write(`${JSON.stringify(event)}\n`);
            }
        }
        const watch = { kind, url, response };
        this.watches.add(watch);
        response.on("close", () => this.watches.delete(watch));
    }

    private list(kind: Kind, url: URL, response: ServerResponse | undefined): void {
        const matching = [...this.all(kind).values()].filter((object) => selects(url, object));
        const start = Number(url.searchParams.get("continue") ?? 0);
        const end = start + Number(url.searchParams.get("limit") ?? matching.length);
        const rest = end < matching.length ? { continue: String(end), remainingItemCount: matching.length - end } : {};
        const metadata = { resourceVersion: String(this.revision), ...rest };
        send(response, 200, { kind: "List", apiVersion: "v1", metadata, items: matching.slice(start, end) });
    }
}

async function parse(message: IncomingMessage): Promise<Request> {
    const chunks: Buffer[] = [];
    for await (const chunk of message) {
        chunks.push(chunk as Buffer);
    }
    const text = Buffer.concat(chunks).toString();
    const url = new URL(message.url ?? "/", "http://fake");
    const [, kind, name, sub] =
        /namespaces\/[^/]+\/([a-z]+)(?:\/([^/]+))?(?:\/([^/]+))?$/.exec(url.pathname) ??
        /^\/apis?(?:\/[a-z0-9.-]+)?\/v\w+\/([a-z]+)(?:\/([^/]+))?$/.exec(url.pathname) ??
        [];
    return {
        method: message.method ?? "GET",
        url,
        kind: kind as Kind,
        name,
        sub,
        body: text === "" ? undefined : JSON.parse(text),
    };
}

/** Never ends an answer, nor begins it if it hangs. */
function keepSilent(response: ServerResponse, how: "hang" | "mute"): void {
    if (how === "mute") {
        response.writeHead(200, { "Content-Type": "application/json" }).flushHeaders();
    }
}

function send(response: ServerResponse | undefined, code: number, body: object): void {
    response?.writeHead(code, { "content-type": "application/json" }).end(JSON.stringify(body));
}

/** A Kubernetes Status. */
function status(code: number, reason: string, message: string): KubeObject {
    return {
        kind: "Status",
        apiVersion: "v1",
        metadata: {} as KubeObject["metadata"],
        status: "Failure",
        code,
        reason,
        message,
    };
}

/** An API server for each test of a `describe`, with the objects that `prepare` puts there. */
export function useApi(prepare: (api: FakeApi) => void = () => undefined): FakeApi {
    let current: FakeApi;
    beforeEach(async () => {
        current = await FakeApi.start();
        prepare(current);
    });
    afterEach(() => current.stop());
    return new Proxy({} as FakeApi, {
        get: (_, key) => Reflect.get(current, key),
        set: (_, key, value) => Reflect.set(current, key, value),
    });
}

/** Puts the Service that identifies the cluster of most tests. */
export function putLeadService(api: FakeApi): void {
    api.put("services", { metadata: { name: "lammps-lead", uid: "service-uid" } });
}

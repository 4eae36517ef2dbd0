import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import * as http from "node:http";
import * as https from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Duplex } from "node:stream";

import { KubeConfig } from "@kubernetes/client-node";

import { heldUntilStatus, switched } from "./execTunnel";
import type { TestNamespace } from "./namespace";

/** A request to the API server: its method, such as `PATCH`, and its path with the query. */
export interface ApiRequest {
    readonly method: string;
    readonly path: string;
    /** The object's name in the body of a POST. */
    readonly created?: string;
}

export type Selector = (request: ApiRequest) => boolean;

/** A request that the proxy holds. */
export interface Hold {
    /** Resolves when the request arrives. */
    readonly seen: Promise<ApiRequest>;
    /** Lets this request and all later ones pass. */
    release(): void;
    /** Closes the request's connection instead. */
    cut(): void;
}

/** Before the API server gets the request, or after the request took effect and before its answer passes. */
export type Point = "request" | "answer";

interface Rule {
    readonly selects: Selector;
    readonly point: Point;
    /** Resolves to true if the exchange continues normally. */
    apply(exchange: Exchange): Promise<boolean>;
}

interface Exchange {
    readonly request: ApiRequest;
    /** Undefined for a WebSocket. */
    readonly response?: http.ServerResponse;
    /** Closes the client's connection. */
    end(): void;
}

/**
 * A proxy for the API server that causes faults. It listens for HTTP on loopback and adds the credentials, so its
 * clients need none.
 */
export class FaultProxy {
    /** All requests so far, in order. */
    readonly requests: ApiRequest[] = [];
    /** Path of a kubeconfig with the proxy's address. */
    readonly kubeconfig: string;
    private readonly folder = mkdtempSync(join(tmpdir(), "flux-minicluster-e2e-"));
    private readonly upstream: URL;
    private readonly agent: https.Agent;
    private readonly token: string;
    private server = this.listener();
    private port = 0;
    private rules: Rule[] = [];
    private readonly tunnels = new Set<Duplex>();

    constructor(private readonly config: KubeConfig) {
        const cluster = config.getCurrentCluster();
        const user = config.getCurrentUser();
        this.upstream = new URL(cluster?.server ?? "");
        this.token = user?.token ?? "";
        this.agent = new https.Agent({ keepAlive: true, ca: Buffer.from(cluster?.caData ?? "", "base64") });
        this.kubeconfig = join(this.folder, "kubeconfig");
    }

    static async start(kubeconfig: string): Promise<FaultProxy> {
        const config = new KubeConfig();
        config.loadFromFile(kubeconfig);
        const proxy = new FaultProxy(config);
        await proxy.back();
        writeFileSync(proxy.kubeconfig, proxy.kubeconfigText());
        return proxy;
    }

    /** Holds requests at this point. */
    hold(selects: Selector, point: Point = "request"): Hold {
        let arrived: (request: ApiRequest) => void = () => undefined;
        let decide: (goesOn: boolean) => void = () => undefined;
        const seen = new Promise<ApiRequest>((resolve) => (arrived = resolve));
        const decision = new Promise<boolean>((resolve) => (decide = resolve));
        const rule: Rule = {
            selects,
            point,
            apply: ({ request }) => {
                arrived(request);
                return decision;
            },
        };
        const end = (goesOn: boolean) => {
            this.remove(rule);
            decide(goesOn);
        };
        this.rules.push(rule);
        return { seen, release: () => end(true), cut: () => end(false) };
    }

    /** Closes the connections of the next requests, `times` times. */
    cut(selects: Selector, point: Point, times = 1): void {
        this.limited({ selects, point, apply: async () => false }, times);
    }

    /** Answers the next requests with this code, `times` times. A WebSocket gets no answer. */
    answer(selects: Selector, code: number, times = Infinity, point: Point = "request"): void {
        const apply = async ({ response }: Exchange) => {
            response?.writeHead(code, {
                "Content-Type": "application/json",
                ...(code === 429 ? { "Retry-After": "1" } : {}),
            });
            response?.end(JSON.stringify(status(code)));
            return false;
        };
        this.limited({ selects, point, apply }, times);
    }

    /** Delays requests. */
    delay(selects: Selector, milliseconds: number): void {
        const apply = async () => {
            await new Promise((resolve) => setTimeout(resolve, milliseconds));
            return true;
        };
        this.rules.push({ selects, point: "request", apply });
    }

    /** Removes all faults. */
    behave(): void {
        this.rules = [];
    }

    /** Closes all connections and refuses new ones. */
    async away(): Promise<void> {
        const closed = new Promise((resolve) => this.server.close(resolve));
        this.server.closeAllConnections();
        this.tunnels.forEach((socket) => socket.destroy());
        await closed;
    }

    async back(): Promise<void> {
        this.server = this.listener();
        await new Promise<void>((resolve) => this.server.listen(this.port, "127.0.0.1", resolve));
        this.port = (this.server.address() as AddressInfo).port;
    }

    async close(): Promise<void> {
        if (this.server.listening) {
            await this.away();
        }
        this.agent.destroy();
        rmSync(this.folder, { recursive: true });
    }

    private listener(): http.Server {
        const server = http.createServer({ requestTimeout: 0 }, (incoming, response) => {
            this.serve(incoming, response).catch(() => response.destroy());
        });
        return server.on("upgrade", (incoming, socket, head) => {
            this.tunnels.add(socket);
            socket.on("error", () => socket.destroy()).on("close", () => this.tunnels.delete(socket));
            this.tunnel(incoming, socket, head).catch(() => socket.destroy());
        });
    }

    private async serve(incoming: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
        const body = await read(incoming);
        const request = {
            method: incoming.method ?? "",
            path: incoming.url ?? "",
            created: incoming.method === "POST" ? nameIn(body) : undefined,
        };
        const end = () => {
            if (!response.writableEnded) {
                response.destroy();
            }
        };
        const exchange = { request, response, end };
        this.requests.push(request);
        // A request whose client was killed meanwhile never reaches the API server.
        if (!(await this.passes(exchange, "request")) || response.destroyed) {
            return;
        }
        const answer = await this.forward(incoming, body, response);
        if (await this.passes(exchange, "answer")) {
            response.writeHead(answer.statusCode ?? 502, answer.headers);
            response.flushHeaders();
            answer.on("error", () => response.destroy()).pipe(response);
        } else {
            answer.destroy();
        }
    }

    /** Passes on a command in a pod. Its answer is the status of the command. */
    private async tunnel(incoming: http.IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
        const request = { method: incoming.method ?? "", path: incoming.url ?? "" };
        const exchange = { request, end: () => void socket.destroy() };
        this.requests.push(request);
        if (!(await this.passes(exchange, "request")) || socket.destroyed) {
            return;
        }
        const upstream = await switched(
            https.request(new URL(request.path, this.upstream), this.optionsOf(incoming)),
            socket,
        );
        upstream.write(head);
        socket.pipe(upstream).on("error", () => socket.destroy());
        socket.on("close", () => upstream.destroy());
        upstream.pipe(heldUntilStatus(() => this.passes(exchange, "answer"))).pipe(socket);
    }

    private async passes(exchange: Exchange, point: Point): Promise<boolean> {
        const rule = this.rules.find((candidate) => candidate.point === point && candidate.selects(exchange.request));
        if (rule === undefined || (await rule.apply(exchange))) {
            return true;
        }
        exchange.end();
        return false;
    }

    private forward(
        incoming: http.IncomingMessage,
        body: Buffer,
        response: http.ServerResponse,
    ): Promise<http.IncomingMessage> {
        const { headers, ...others } = this.optionsOf(incoming);
        const options = { ...others, headers: { ...headers, "content-length": body.length } };
        return new Promise((resolve, reject) => {
            const request = https.request(new URL(incoming.url ?? "", this.upstream), options, resolve);
            // A watch ends with its client.
            response.on("close", () => request.destroy());
            request.on("error", reject).end(body);
        });
    }

    private optionsOf(incoming: http.IncomingMessage) {
        const { host: _host, ...headers } = incoming.headers;
        return {
            agent: this.agent,
            method: incoming.method,
            headers: { ...headers, authorization: `Bearer ${this.token}` },
        };
    }

    private limited(rule: Rule, times: number): void {
        let left = times;
        const apply = (exchange: Exchange) => {
            left--;
            if (left <= 0) {
                this.remove(limited);
            }
            return rule.apply(exchange);
        };
        const limited = { ...rule, apply };
        this.rules.push(limited);
    }

    private remove(rule: Rule): void {
        this.rules = this.rules.filter((candidate) => candidate !== rule);
    }

    private kubeconfigText(): string {
        const config = new KubeConfig();
        const context = this.config.getContextObject(this.config.currentContext);
        config.loadFromOptions({
            clusters: [{ name: "proxy", server: `http://127.0.0.1:${this.port}`, skipTLSVerify: true }],
            users: [{ name: "nobody" }],
            contexts: [{ name: "proxy", cluster: "proxy", user: "nobody", namespace: context?.namespace }],
            currentContext: "proxy",
        });
        return config.exportConfig();
    }
}

function nameIn(body: Buffer): string | undefined {
    try {
        return (JSON.parse(String(body)) as { metadata?: { name?: string } }).metadata?.name;
    } catch {
        return undefined;
    }
}

/**
 * Selects requests by method (`WATCH` for a GET that watches, `EXEC` for a command in a pod) and by the end of the
 * path, such as `jobs` or `jobs/NAME`. A `*` matches any text without a slash. Dry runs never match.
 */
export function to(method: string, ending: string): Selector {
    const pattern = new RegExp(`/${ending.replaceAll("*", "[^/]*")}$`);
    return (request) => actionOf(request) === method && pattern.test(request.path.split("?")[0]);
}

/** The request's method, or `DRY RUN`, `WATCH` or `EXEC`. */
export function actionOf({ method, path }: ApiRequest): string {
    const [place, query = ""] = path.split("?");
    const parameters = new URLSearchParams(query);
    if (parameters.has("dryRun")) {
        return "DRY RUN";
    }
    if (parameters.has("watch")) {
        return "WATCH";
    }
    return place.endsWith("/exec") ? "EXEC" : method;
}

/** Selects the n-th of these requests, counted from 1. */
export function nth(selects: Selector, n: number): Selector {
    let count = 0;
    return (request) => selects(request) && ++count === n;
}

const REASONS: Readonly<Record<number, string>> = {
    404: "NotFound",
    409: "Conflict",
    429: "TooManyRequests",
    500: "InternalError",
};

/** Registers a proxy for the tests of the enclosing `describe`. The stacks of the namespace use it. */
export function useFaultProxy(namespace: TestNamespace): () => FaultProxy {
    let proxy: FaultProxy;
    before(async () => {
        proxy = await FaultProxy.start(namespace.kubeconfig);
        namespace.kubeconfig = proxy.kubeconfig;
    });
    afterEach(() => proxy.behave());
    after(() => proxy.close());
    return () => proxy;
}

function status(code: number) {
    return {
        kind: "Status",
        apiVersion: "v1",
        status: "Failure",
        code,
        reason: REASONS[code],
        message: `the proxy says ${code}`,
        // Without the name of an object, an answer 404 tells nothing of it.
        details: { name: "any" },
    };
}

async function read(incoming: http.IncomingMessage): Promise<Buffer> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) {
        chunks.push(chunk as Buffer);
    }
    return Buffer.concat(chunks);
}

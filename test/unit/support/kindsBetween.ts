import type { IncomingMessage, ServerResponse } from "node:http";

import { selfSigned } from "../../e2e/support/certificate";
import { type Between, gateway, type Gateway, refuseUpgrade, socks, socksRefused, tunnel } from "./between";

/** A kind of thing between a client and an API server. */
export interface Kind {
    /** Starts it before the API server at this port. */
    readonly start: (target: number) => Promise<Between>;
    /** The fields of the kubeconfig's cluster. @default its address without TLS */
    readonly cluster?: (port: number) => object;
    /** Seconds that each answer may take. @default 5 */
    readonly seconds?: number;
    /** Its address changes while the client uses it, and the kubeconfig's file gets the new one. */
    readonly moves?: true;
    /** Connections that it has passed on while the client watches, before there is something to see. @default 0 */
    readonly cuts?: number;
}

/** The certificate of the API server, for 127.0.0.1 and the name `hpc`, and that of a proxy that inspects TLS. */
export const certificates = { api: { certificate: "", key: "" }, inspector: { certificate: "", key: "" } };

export function makeCertificates(): void {
    Object.assign(certificates, { api: selfSigned("hpc"), inspector: selfSigned("localhost") });
}

const authority = (...of: (keyof typeof certificates)[]) => ({
    "certificate-authority-data": Buffer.from(of.map((each) => certificates[each].certificate).join("")).toString(
        "base64",
    ),
});
/** The address of the API server as only a proxy knows it. */
const HIDDEN = "http://api.corp";
const through = (kind: string, of = "") => ({
    cluster: (port: number) => ({ server: HIDDEN, "proxy-url": `${kind}://${of}127.0.0.1:${port}` }),
});
const at = (path: string) => ({ cluster: (port: number) => ({ server: `http://127.0.0.1:${port}${path}` }) });

/** An API server with TLS, whose name only an HTTPS proxy knows. */
const behind = (port: number, of: (keyof typeof certificates)[]) => ({
    server: "https://hpc",
    "proxy-url": `https://localhost:${port}`,
    ...authority(...of),
});

type Answer = (response: ServerResponse, count: number, request: IncomingMessage) => void;

/** Answers everything itself. */
const answering = (answer: Answer, code = 404): Kind => ({
    start: (target) =>
        gateway(target, {
            answer: (request, response, count) => {
                answer(response, count, request);
                return true;
            },
            upgrade: refuseUpgrade(code),
        }),
});
/** Answers the first requests itself, as an API server that starts or has too many requests. */
const atFirst = (answer: Answer, times = 2): Kind => ({
    start: (target) =>
        gateway(target, {
            answer: (request, response, count) => {
                if (count < times) {
                    answer(response, count, request);
                }
                return count < times;
            },
        }),
});
const text =
    (code: number, type: string, body: string, headers: object = {}): Answer =>
    (response) =>
        void response.writeHead(code, { "content-type": type, ...headers }).end(body);
const page = (code: number): Kind =>
    answering(text(code, "text/html; charset=utf-8", "<!DOCTYPE html><title>Gateway</title>"), code);
const status = (code: number, message: string): Answer =>
    text(code, "application/json", JSON.stringify({ kind: "Status", message }), { "retry-after": "0" });
const passing = (options: Gateway): Kind => ({ start: (target) => gateway(target, options) });

const refuses = (words: string): Kind => ({
    start: (target) => gateway(target, { connect: () => words }),
    cluster: (port) => ({ server: "https://api.corp", "proxy-url": `http://127.0.0.1:${port}` }),
});
const asks = ({ headers }: IncomingMessage) =>
    headers["proxy-authorization"] === `Basic ${Buffer.from("ada:secret").toString("base64")}`
        ? undefined
        : "407 Proxy Authentication Required";

/** By their names in docs/kubeconfigs.md. */
export const KINDS: Readonly<Record<string, Kind>> = {
    "an HTTP proxy": { start: (target) => gateway(target), ...through("http") },
    "an HTTP proxy with a user and a password": {
        start: (target) => gateway(target, { connect: asks }),
        ...through("http", "ada:secret@"),
    },
    "an HTTP proxy that asks for a user": refuses("407 Proxy Authentication Required"),
    "an HTTP proxy that refuses the server": refuses("403 Forbidden"),
    "an HTTP proxy that can't reach the server": refuses("503 Service Unavailable"),
    "an HTTP proxy that doesn't run": { start: absent, ...through("http") },
    "an HTTPS proxy": { start: tunnelled, cluster: (port) => behind(port, ["api", "inspector"]) },
    "an HTTPS proxy whose authority is missing in the kubeconfig": {
        start: tunnelled,
        cluster: (port) => behind(port, ["api"]),
    },
    "a SOCKS proxy": { start: (target) => tunnel(target, { speak: socks }), ...through("socks5") },
    "a SOCKS proxy that can't reach the server": {
        start: (target) => tunnel(target, { speak: socksRefused }),
        ...through("socks5"),
    },
    "`kubectl proxy` on any port": passing({ upgrade: refuseUpgrade(403) }),
    "a proxy that passes no Upgrade": passing({ upgrade: refuseUpgrade(400) }),
    "a proxy that keeps an answer until it is complete": { ...passing({ isBuffering: true }), seconds: 0.5 },
    "a proxy that cuts idle connections": passing({ cutsIdle: true }),
    "a proxy that closes each connection after a minute": {
        start: (target) => tunnel(target, { lasts: 200 }),
        cuts: 2,
    },
    "a proxy that answers watches by a web page": passing({
        answer: (request, response) => {
            const isWatch = request.url?.includes("watch=true") === true;
            if (isWatch) {
                text(200, "text/html", "<html>")(response, 0, request);
            }
            return isWatch;
        },
    }),
    "an ssh tunnel": {
        start: (target) => gateway(target, { tls: certificates.api, host: "127.0.0.2" }),
        cluster: (port) => ({ server: `https://127.0.0.2:${port}`, "tls-server-name": "hpc", ...authority("api") }),
    },
    "an ssh tunnel whose end isn't in the certificate": {
        start: (target) => gateway(target, { tls: certificates.api, host: "127.0.0.2" }),
        cluster: (port) => ({ server: `https://127.0.0.2:${port}`, ...authority("api") }),
    },
    "an ssh tunnel that leads nowhere": { start: () => tunnel(1) },
    "a path prefix, as of Rancher or Teleport": {
        start: (target) => gateway(target, { prefix: "/k8s/clusters/c-1" }),
        ...at("/k8s/clusters/c-1/"),
    },
    "a path prefix of another cluster": {
        start: (target) => gateway(target, { prefix: "/k8s/clusters/c-1" }),
        ...at("/k8s/clusters/c-2"),
    },
    "an address that changes, in a kubeconfig that is a file": { start: (target) => tunnel(target), moves: true },
    "an IPv6 address": {
        start: (target) => gateway(target, { host: "::1" }),
        cluster: (port) => ({ server: `http://[::1]:${port}` }),
    },
    "a proxy that inspects TLS": {
        start: (target) => gateway(target, { tls: certificates.inspector }),
        cluster: (port) => ({ server: `https://127.0.0.1:${port}`, ...authority("api") }),
    },
    "a proxy that inspects TLS, with its authority in the kubeconfig": {
        start: (target) => gateway(target, { tls: certificates.inspector }),
        cluster: (port) => ({ server: `https://127.0.0.1:${port}`, ...authority("inspector") }),
    },
    "no TLS at an address with https": {
        start: (target) => gateway(target),
        cluster: (port) => ({ server: `https://127.0.0.1:${port}`, ...authority("api") }),
    },
    "a port of another protocol, such as 6000": {
        start: (target) => gateway(target),
        cluster: () => ({ server: "http://127.0.0.1:6000" }),
    },
    "TLS at an address with http": answering(
        text(400, "text/plain", "Client sent an HTTP request to an HTTPS server.\n"),
        400,
    ),
    "a restart: 503": atFirst(status(503, "the server is starting")),
    "a restart: connections that end": atFirst((response) => void response.destroy()),
    "priority and fairness: 429 with `Retry-After`": atFirst(status(429, "too many requests")),
    "a web page with 200": page(200),
    "a web page with 401": page(401),
    "a web page with 403": page(403),
    "a web page with 404": page(404),
    "a web page with 502": page(502),
    "a redirection to a login": answering(
        (response, count, request) =>
            request.url === "/login"
                ? text(200, "text/html", "<title>Login</title>")(response, count, request)
                : void response.writeHead(302, { location: "/login" }).end(),
        302,
    ),
    "a text with 200": answering(text(200, "text/plain", "OK")),
    "a text with 404": answering(text(404, "text/plain", "404 page not found\n")),
    "half of an answer, with a regular end": answering(text(200, "application/json", '{"kind":"Service","meta')),
    "an answer that is cut": answering((response) => {
        response.writeHead(200, { "content-type": "application/json", "content-length": 1000 });
        response.write('{"kind":"Service"', () => response.destroy());
    }),
};

/** A proxy with TLS before an API server with TLS. */
async function tunnelled(target: number): Promise<Between> {
    const api = await gateway(target, { tls: certificates.api });
    const proxy = await gateway(api.port, { tls: certificates.inspector });
    return { ...proxy, close: () => [proxy, api].forEach((each) => each.close()) };
}

/** A port at which nothing listens. */
async function absent(target: number): Promise<Between> {
    const it = await tunnel(target);
    it.close();
    return { ...it, close: () => undefined };
}

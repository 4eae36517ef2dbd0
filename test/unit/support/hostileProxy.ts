import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What may answer in place of an API server. Each takes the number of the request, from 0 on. */
export type Kind = (response: ServerResponse, count: number, request: IncomingMessage) => void;

const page =
    (code: number): Kind =>
    (response) =>
        void response
            .writeHead(code, { "content-type": "text/html; charset=utf-8" })
            .end("<!DOCTYPE html><title>Gateway</title>");
const json =
    (code: number, body: object, headers: object = {}): Kind =>
    (response) =>
        void response.writeHead(code, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
const answer = json(200, { kind: "Service", metadata: { name: "lead", uid: "service-uid" } });
const once =
    (first: Kind): Kind =>
    (response, count, request) =>
        (count === 0 ? first : answer)(response, count, request);

export const KINDS = {
    answers: answer,
    "a page with 200": page(200),
    "a page with 401": page(401),
    "a page with 403": page(403),
    "a page with 404": page(404),
    "a page with 502": page(502),
    "a text with 404": (response) =>
        void response.writeHead(404, { "content-type": "text/plain" }).end("404 page not found\n"),
    "a redirection to a login": (response, count) =>
        void (count === 0
            ? response.writeHead(302, { location: "/login" }).end()
            : page(200)(response, count, response.req)),
    "half of an answer": (response) =>
        void response.writeHead(200, { "content-type": "application/json" }).end('{"kind":"Service","meta'),
    "a connection that is cut in an answer": (response) => {
        response.writeHead(200, { "content-type": "application/json", "content-length": 1000 });
        response.write('{"kind":"Service"', () => response.destroy());
    },
    "no answer and an end": (response) => void response.destroy(),
    "503 once": once(json(503, { kind: "Status", message: "the server is starting" }, { "retry-after": "0" })),
    "429 once": once(json(429, { kind: "Status", message: "too many requests" }, { "retry-after": "0" })),
} satisfies Record<string, Kind>;

/** Runs a call against a server of this kind. */
export async function against<T>(kind: keyof typeof KINDS, call: (kubeconfig: string) => Promise<T>): Promise<T> {
    let count = 0;
    const answers: Kind = KINDS[kind];
    const server = createServer((request, response) => answers(response, count++, request)).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const { port } = server.address() as AddressInfo;
    const cluster = { server: `http://127.0.0.1:${port}` };
    const context = { cluster: "c", user: "u" };
    const config = {
        apiVersion: "v1",
        kind: "Config",
        clusters: [{ name: "c", cluster }],
        contexts: [{ name: "c", context }],
        "current-context": "c",
        users: [{ name: "u", user: {} }],
    };
    try {
        return await call(JSON.stringify(config));
    } finally {
        server.closeAllConnections();
        server.close();
    }
}

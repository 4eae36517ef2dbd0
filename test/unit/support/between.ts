import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import { createServer as createSecure } from "node:https";
import {
    type AddressInfo,
    connect as dial,
    createServer as createTcp,
    type Server as TcpServer,
    type Socket,
} from "node:net";
import type { Duplex } from "node:stream";

/** Something between a client and an API server. */
export interface Between {
    readonly port: number;
    /** How many connections and requests it has passed on. */
    passed(): number;
    close(): void;
}

interface Certificate {
    readonly certificate: string;
    readonly key: string;
}

export interface Gateway {
    /** An answer in place of the API server's. True if it has answered. */
    readonly answer?: (request: IncomingMessage, response: ServerResponse, count: number) => boolean;
    /** An answer to a request for a connection, in place of the connection. */
    readonly connect?: (request: IncomingMessage) => string | undefined;
    /** Cut the connection after each answer, without an announcement. */
    readonly cutsIdle?: boolean;
    /** What it does with a request for a WebSocket. @default passes it on */
    readonly upgrade?: (request: IncomingMessage, socket: Duplex) => void;
    readonly host?: string;
    readonly tls?: Certificate;
    /** A path that the API server doesn't have. Requests without it get a page with 404. */
    readonly prefix?: string;
    /** Keep each answer until it is complete. */
    readonly isBuffering?: boolean;
}

/** A server that passes requests on, as a reverse proxy, a gateway or an HTTP proxy does. */
export async function gateway(target: number, options: Gateway = {}): Promise<Between> {
    const {
        answer,
        connect,
        cutsIdle = false,
        host = "127.0.0.1",
        isBuffering = false,
        prefix = "",
        tls,
        upgrade,
    } = options;
    let passed = 0;
    let count = 0;
    const pathOf = ({ url = "" }: IncomingMessage) => {
        const { pathname, search } = new URL(url, "http://api");
        return pathname.startsWith(`${prefix}/`) ? pathname.slice(prefix.length) + search : undefined;
    };
    const serve = (incoming: IncomingMessage, response: ServerResponse) => {
        const path = pathOf(incoming);
        if (path === undefined) {
            response.writeHead(404, { "content-type": "text/html" }).end("<title>no such cluster</title>");
        } else if (answer?.(incoming, response, count++) !== true) {
            passed++;
            const sent = { port: target, path, method: incoming.method, headers: incoming.headers };
            const onward = request(sent, (came) => {
                response.on("close", () => came.destroy());
                response.on("finish", () => (cutsIdle ? setTimeout(() => response.socket?.destroy(), 20) : undefined));
                if (isBuffering) {
                    const whole = came
                        .toArray()
                        .then((parts) =>
                            response.writeHead(came.statusCode ?? 500, came.headers).end(Buffer.concat(parts)),
                        );
                    whole.catch(() => response.destroy());
                } else {
                    response.writeHead(came.statusCode ?? 500, came.headers).flushHeaders();
                    came.pipe(response);
                }
            });
            onward.on("error", () => response.destroy());
            incoming.pipe(onward);
        }
    };
    const server: Server =
        tls === undefined ? createServer(serve) : createSecure({ cert: tls.certificate, key: tls.key }, serve);
    const sockets = new Set<Duplex>();
    server.on("upgrade", (incoming: IncomingMessage, socket: Duplex, head: Buffer) => {
        sockets.add(socket);
        socket.on("error", () => undefined);
        const path = pathOf(incoming);
        if (upgrade !== undefined || path === undefined) {
            (upgrade ?? refuseUpgrade(404))(incoming, socket);
            return;
        }
        passed++;
        const onward = dial(target, "127.0.0.1");
        const lines = incoming.rawHeaders.flatMap((name, index, all) =>
            index % 2 === 0 ? [`${name}: ${all[index + 1]}`] : [],
        );
        onward.write(`GET ${path} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`);
        onward.write(head);
        join(socket, onward);
    });
    server.on("connect", (incoming: IncomingMessage, socket: Duplex) => {
        sockets.add(socket);
        const refusal = connect?.(incoming);
        if (refusal !== undefined) {
            socket.on("error", () => undefined).end(`HTTP/1.1 ${refusal}\r\nContent-Length: 0\r\n\r\n`);
            return;
        }
        passed++;
        const onward = dial(target, "127.0.0.1", () => socket.write("HTTP/1.1 200 OK\r\n\r\n"));
        join(socket, onward);
    });
    await listen(server, host);
    return {
        port: portOf(server),
        passed: () => passed,
        close: () => {
            sockets.forEach((socket) => socket.destroy());
            server.closeAllConnections();
            server.close();
        },
    };
}

/** Refuses a WebSocket with this HTTP status, as a proxy that passes none on. */
export function refuseUpgrade(code: number): NonNullable<Gateway["upgrade"]> {
    return (_request, socket) =>
        void socket.end(
            `HTTP/1.1 ${code} No\r\nContent-Type: text/plain\r\nConnection: close\r\nContent-Length: 9\r\n\r\nForbidden`,
        );
}

/**
 * A tunnel of connections, as ssh's, to a port of this machine or to another address. With `lasts`, each connection is cut
 * after so many milliseconds.
 */
export async function tunnel(target: number | Address, { lasts, speak = pass }: Tunnel = {}): Promise<Between> {
    let passed = 0;
    const sockets = new Set<Socket>();
    const server = createTcp((socket) => {
        passed++;
        sockets.add(socket);
        socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
        if (lasts !== undefined) {
            setTimeout(() => socket.destroy(), lasts).unref();
        }
        speak(socket, typeof target === "number" ? { host: "127.0.0.1", port: target } : target);
    });
    await listen(server, "127.0.0.1");
    return {
        port: portOf(server),
        passed: () => passed,
        close: () => {
            sockets.forEach((socket) => socket.destroy());
            server.close();
        },
    };
}

/** A port of this machine at which nothing listens. */
export async function freePort(): Promise<number> {
    const { close, port } = await tunnel(0);
    close();
    return port;
}

interface Address {
    readonly host: string;
    readonly port: number;
}

export interface Tunnel {
    readonly lasts?: number;
    /** Begins a connection. @default passes it on at once */
    readonly speak?: (socket: Socket, target: Address) => void;
}

function pass(socket: Socket, target: Address): void {
    join(socket, dial(target));
}

/** Begins a connection by the SOCKS protocol 5, without authentication. It leads to the target, whatever its address. */
export function socks(socket: Socket, target: Address): void {
    socket.once("data", () => {
        socket.write(Buffer.from([5, 0]));
        socket.once("data", () => {
            socket.write(Buffer.from([5, 0, 0, 1, 127, 0, 0, 1, 0, 0]));
            pass(socket, target);
        });
    });
}

/** Refuses a connection by the SOCKS protocol 5, as if the server refused it. */
export function socksRefused(socket: Socket): void {
    socket.once("data", () => {
        socket.write(Buffer.from([5, 0]));
        socket.once("data", () => socket.end(Buffer.from([5, 5, 0, 1, 127, 0, 0, 1, 0, 0])));
    });
}

function join(one: Duplex, other: Duplex): void {
    one.pipe(other).pipe(one);
    for (const end of [one, other]) {
        end.on("error", () => [one, other].forEach((each) => each.destroy()));
        end.on("close", () => [one, other].forEach((each) => each.destroy()));
    }
}

function listen(server: TcpServer, host: string): Promise<void> {
    return new Promise((resolve) => server.listen(0, host, () => resolve()));
}

function portOf(server: TcpServer): number {
    return (server.address() as AddressInfo).port;
}

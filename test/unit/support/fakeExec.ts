import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";

/* A dependency of the Kubernetes client, which has no types. */
const { WebSocketServer } = require("ws") as { WebSocketServer: new (options: object) => any };

/** What a fake container does with the WebSocket of a command, or with the socket before the upgrade. */
export interface Behaviour {
    readonly command?: (socket: any) => void;
    readonly upgrade?: (socket: Duplex) => void;
    /** Other headers `Authorization` are refused. */
    readonly accepts?: (authorization: string | undefined) => boolean;
    /** Answer pings. */
    readonly pongs?: boolean;
}

/** An API server that only knows how to run commands in containers. */
export class FakeExec {
    /** How many connections clients have requested. */
    connections = 0;
    private readonly sockets = new Set<Duplex>();

    private constructor(private readonly server: Server) {}

    static async start({ accepts = () => true, command, pongs = true, upgrade }: Behaviour): Promise<FakeExec> {
        const handleProtocols = () => "v4.channel.k8s.io";
        const webSockets = new WebSocketServer({ noServer: true, autoPong: pongs, handleProtocols });
        const fake = new FakeExec(createServer());
        fake.server.on("upgrade", (request, socket, head) => {
            fake.connections++;
            fake.sockets.add(socket);
            socket.on("error", () => undefined);
            if (!accepts(request.headers.authorization)) {
                socket.end("HTTP/1.1 401 Unauthorized\r\nconnection: close\r\n\r\n");
                return;
            }
            if (upgrade !== undefined) {
                upgrade(socket);
                return;
            }
            webSockets.handleUpgrade(request, socket, head, (opened: any) => command?.(opened));
        });
        await new Promise<void>((resolve) => fake.server.listen(0, "127.0.0.1", resolve));
        return fake;
    }

    async stop(): Promise<void> {
        this.sockets.forEach((socket) => socket.destroy());
        this.server.closeAllConnections();
        await new Promise((resolve) => this.server.close(resolve));
    }

    get kubeconfig(): string {
        const server = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
        return JSON.stringify({
            clusters: [{ name: "fake", cluster: { server, "insecure-skip-tls-verify": true } }],
            users: [{ name: "me", user: {} }],
            contexts: [{ name: "fake", context: { cluster: "fake", user: "me" } }],
            "current-context": "fake",
        });
    }
}

/** The last message of a command: its exit code. */
export function endOf(exitCode: number): Buffer {
    const details = { causes: [{ reason: "ExitCode", message: String(exitCode) }] };
    const status = exitCode === 0 ? { status: "Success" } : { status: "Failure", reason: "NonZeroExitCode", details };
    return Buffer.concat([Buffer.from([3]), Buffer.from(JSON.stringify(status))]);
}

/** A message with output of a command, on stream 1 or 2. */
export function printed(stream: 1 | 2, text: string): Buffer {
    return Buffer.concat([Buffer.from([stream]), Buffer.from(text)]);
}

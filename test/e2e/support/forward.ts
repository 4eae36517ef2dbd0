import { createServer, type AddressInfo, type Socket } from "node:net";
import { Writable } from "node:stream";

import { PortForward } from "@kubernetes/client-node";

import type { TestNamespace } from "./namespace";

/** A port of rank 0 on this machine, as `kubectl port-forward` makes it. */
export interface Forwarded {
    readonly port: number;
    close(): void;
}

export async function forward(namespace: TestNamespace, cluster: string, port: number): Promise<Forwarded> {
    const [lead] = await namespace.pods(cluster);
    const tunnel = new PortForward(namespace.kube.config);
    const server = createServer((socket) => {
        socket.on("error", () => undefined);
        tunnel
            .portForward(namespace.name, lead.metadata?.name ?? "", [port], socket, complaints(socket), socket)
            .catch(() => socket.destroy());
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return { port: (server.address() as AddressInfo).port, close: () => void server.close() };
}

/** Ends a connection with what the kubelet says of it, for instance that nobody listens: otherwise it stays open, silent. */
function complaints(socket: Socket): Writable {
    return new Writable({
        write: (said: Buffer, _encoding, done) => {
            if (said.length > 0) {
                socket.destroy(new Error(said.toString()));
            }
            done();
        },
    });
}

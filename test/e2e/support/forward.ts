import { createServer, type AddressInfo, type Socket } from "node:net";
import { Writable } from "node:stream";

import { PortForward } from "@kubernetes/client-node";

import type { TestNamespace } from "./namespace";

/** A local port that leads to the lead's pod, as with `kubectl port-forward`. */
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

/** Closes a connection with the kubelet's error, such as that no process listens. Without this it stays open. */
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

import { createServer, type AddressInfo } from "node:net";

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
        tunnel.portForward(namespace.name, lead.metadata?.name ?? "", [port], socket, null, socket).catch(() => socket.destroy());
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return { port: (server.address() as AddressInfo).port, close: () => void server.close() };
}

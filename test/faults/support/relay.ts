import { connect, createServer, type Socket } from "node:net";
import type { AddressInfo } from "node:net";
import { writeFileSync } from "node:fs";

import { KubeConfig } from "@kubernetes/client-node";

/** What becomes of a connection after so many bytes in both directions together. */
export interface Fate {
    readonly bytes: number;
    readonly how: "cut" | "silence";
}

/** A TCP connection to the API server that breaks in the middle of what it carries. */
export async function relay(kubeconfig: string, target: string, fate: Fate): Promise<() => void> {
    const config = new KubeConfig();
    config.loadFromFile(kubeconfig);
    const { hostname, port } = new URL(config.getCurrentCluster()?.server ?? "");
    const sockets: Socket[] = [];
    const server = createServer((client) => {
        const upstream = connect(Number(port), hostname);
        sockets.push(client, upstream);
        let bytes = 0;
        const pass = (from: Socket, to: Socket) => {
            from.on("error", () => to.destroy());
            from.on("close", () => to.destroy());
            from.on("data", (chunk: Buffer) => {
                bytes += chunk.length;
                if (bytes < fate.bytes) {
                    to.write(chunk);
                } else if (fate.how === "cut") {
                    [client, upstream].forEach((socket) => socket.resetAndDestroy());
                }
            });
        };
        pass(client, upstream);
        pass(upstream, client);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const exported = JSON.parse(config.exportConfig()) as { clusters: { cluster: Record<string, unknown> }[] };
    exported.clusters.forEach(({ cluster }) =>
        Object.assign(cluster, { server: address, "tls-server-name": hostname }),
    );
    writeFileSync(target, JSON.stringify(exported));
    return () => {
        sockets.forEach((socket) => socket.destroy());
        server.close();
    };
}

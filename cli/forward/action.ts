import { foreignJson } from "../../provider/contract/foreignText";
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { Writable } from "node:stream";

import { namesOf } from "../../provider/contract/names";
import { PortForward } from "../../provider/kubernetes/clientNode";
import { connectError, renewing } from "../../provider/kubernetes/streams/exec";
import { sentence } from "../../provider/kubernetes/failures/failure";
import { established, guard, type Socket as Tunnel } from "../../provider/kubernetes/streams/socket";
import { type Arguments, UsageError } from "../definition/arguments";
import { leadOf, type Target, targetOf } from "../target/target";
import { say } from "../terminal/terminal";

/** Forwards a local port to a port of the lead, until Ctrl-C. */
export async function forward({ options, words }: Arguments): Promise<number> {
    const [, local, remote] = /^(\d+)?(?::(\d+))?$/.exec(words[0] ?? "") ?? [undefined, "-"];
    if (local === "-" || words.length > 1) {
        throw new UsageError(`forward is given "${words.join(" ")}"; it takes the port numbers LOCAL[:REMOTE].`);
    }
    const target = await targetOf(options);
    await leadOf(target);
    const port = remote === undefined ? await endpointPort(target) : Number(remote);
    const server = createServer((socket) => {
        socket.on("error", () => socket.destroy());
        connectTo(target, port, socket).catch((error: unknown) => {
            say(sentence(error));
            socket.destroy();
        });
    });
    server.listen(local === undefined ? port : Number(local), "127.0.0.1");
    await once(server, "listening");
    const address = { host: "localhost", port: (server.address() as AddressInfo).port, remotePort: port };
    process.stdout.write(
        options.json
            ? `${foreignJson(address)}\n`
            : `localhost:${address.port} is forwarded to port ${port} of the lead; Ctrl-C ends it\n`,
    );
    const [signal] = (await Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")])) as [
        "SIGINT" | "SIGTERM",
    ];
    server.close();
    return signal === "SIGTERM" ? 143 : 130;
}

/** The RESTful server's port of the lead Service; without the server, the broker's port. */
async function endpointPort({ kube, name, namespace }: Target): Promise<number> {
    const { spec } = await kube.getService(namespace, namesOf(name).lead);
    const ports = spec?.ports ?? [];
    const { port } = ports.find((candidate) => /rest|http/.test(candidate.name ?? "")) ?? ports[0];
    return port;
}

/** Each connection looks up the lead's pod, because the pod may have been replaced. */
async function connectTo(target: Target, port: number, socket: Socket): Promise<void> {
    socket.pause();
    const { namespace, pod } = await leadOf(target);
    const open = (): Promise<Tunnel> =>
        new PortForward(target.kube.config)
            .portForward(namespace, pod, [port], socket, complaints(port), socket)
            .catch((error: unknown) =>
                Promise.reject(connectError(error, { pod, right: "pods/portforward", server: target.kube.server })),
            );
    const tunnel = await established(renewing(target.kube, open), pod);
    const over = new AbortController();
    guard(tunnel, { pod, readers: [socket], over: over.signal }, () => socket.end());
    socket.on("close", () => {
        over.abort();
        tunnel.close();
    });
    socket.resume();
}

/** Prints why the lead doesn't accept a connection, for example because nothing listens at the port. */
function complaints(port: number): Writable {
    return new Writable({
        write: (text: Buffer, _encoding, done) => {
            if (text.length > 0) {
                say(`port ${port} of the lead: ${String(text).trim()}`);
            }
            done();
        },
    });
}

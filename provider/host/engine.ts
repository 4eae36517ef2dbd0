import type { EngineLog } from "../engine/log";
import { Client, credentials, LogRequest, LogSeverity } from "./grpcNode";
import { bytes } from "./protocol";

const clients = new Map<string, Client>();

/** Makes the engine's log call with the host's own gRPC, so that a line of progress doesn't load Pulumi's SDK. */
export function connectEngine(address: string): EngineLog {
    const client = clients.get(address) ?? new Client(address, credentials.createInsecure());
    clients.set(address, client);
    return ({ ephemeral, message, severity, urn }, failed) => {
        const request = new LogRequest()
            .setSeverity(LogSeverity[severity])
            .setMessage(message)
            .setUrn(urn)
            .setEphemeral(ephemeral);
        client.makeUnaryRequest(
            "/pulumirpc.Engine/Log",
            bytes,
            bytes,
            Buffer.from(request.serializeBinary()),
            (error) => error !== null && failed(),
        );
    };
}

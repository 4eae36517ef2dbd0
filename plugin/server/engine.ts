import type { Engine } from "../../provider/host/engine";
import {
    Client,
    credentials,
    GetRootResourceRequest,
    GetRootResourceResponse,
    LogRequest,
    LogSeverity,
    SetRootResourceRequest,
} from "./grpcNode";
import { bytes, encode, type Message } from "./protocol";

const clients = new Map<string, Client>();

/** Calls the engine with the host's own gRPC, so that a line of progress doesn't load Pulumi's SDK. */
export function connectEngine(address: string): Engine {
    const client = clients.get(address) ?? new Client(address, credentials.createInsecure());
    clients.set(address, client);
    const call = (method: string, request: Message) =>
        new Promise<Buffer | undefined>((resolve, reject) => {
            client.makeUnaryRequest(`/pulumirpc.Engine/${method}`, bytes, bytes, encode(request), (error, answer) =>
                error === null ? resolve(answer) : reject(error),
            );
        });
    return {
        async log({ ephemeral, message, severity, urn }) {
            const request = new LogRequest()
                .setSeverity(LogSeverity[severity])
                .setMessage(message)
                .setUrn(urn)
                .setEphemeral(ephemeral);
            await call("Log", request);
        },
        async rootResource() {
            const answer = await call("GetRootResource", new GetRootResourceRequest());
            return GetRootResourceResponse.deserializeBinary(answer ?? Buffer.alloc(0)).getUrn();
        },
        async setRootResource(urn) {
            await call("SetRootResource", new SetRootResourceRequest().setUrn(urn));
        },
    };
}

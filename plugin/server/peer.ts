import { Client, credentials, type ServiceError } from "./grpcNode";
import { bytes, CHANNEL_OPTIONS, type Method, pathOf } from "./protocol";

/** An error that another server has answered; it goes to the engine unchanged. */
export class ForeignFailure extends Error {
    constructor(override readonly cause: ServiceError) {
        super(cause.message, { cause });
    }
}

/** Another server of this machine that speaks the same protocol. */
export class Peer {
    private readonly client: Client;

    constructor(port: string) {
        this.client = new Client(`127.0.0.1:${port}`, credentials.createInsecure(), CHANNEL_OPTIONS);
    }

    /** Passes a request and its answer on. An error has the code, the text and the details of the other server. */
    forward(method: Method, request: Buffer): Promise<Buffer> {
        return new Promise((resolve, reject) => {
            this.client.makeUnaryRequest(pathOf(method), bytes, bytes, request, (error, answer) =>
                error === null ? resolve(answer as Buffer) : reject(new ForeignFailure(error)),
            );
        });
    }
}

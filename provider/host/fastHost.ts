import type { sendUnaryData, ServerUnaryCall, UntypedServiceImplementation } from "@grpc/grpc-js";

import { verbs } from "../index";
import { typeOf } from "../shimText";
import { CALLS } from "./calls";
import { failureOf } from "./failure";
import { ConfigureResponse, Empty, PluginInfo } from "./grpcNode";
import { METHODS, type Method } from "./protocol";
import { ForeignFailure, type PulumiHost } from "./pulumiHost";

/**
 * Takes the place of Pulumi's own host of dynamic resources in a TypeScript program. It answers the calls for resources of
 * this package. For others it starts Pulumi's host and passes the calls on.
 */
export class FastHost {
    private configuration?: Buffer;
    private pulumi?: Promise<PulumiHost>;

    /** @param version of the program's @pulumi/pulumi, which Pulumi's own host reports too */
    constructor(
        private readonly version: string,
        private readonly startPulumi: () => Promise<PulumiHost>,
    ) {}

    /** The gRPC service. */
    get service(): UntypedServiceImplementation {
        return Object.fromEntries(METHODS.map((method) => [method, this.handler(method)]));
    }

    private handler(method: Method) {
        return (call: ServerUnaryCall<Buffer, Buffer>, answer: sendUnaryData<Buffer>) => {
            this.answer(method, call.request).then(
                (message) => answer(null, message),
                (error: unknown) => answer(error instanceof ForeignFailure ? error.cause : failureOf(error)),
            );
        };
    }

    private async answer(method: Method, request: Buffer): Promise<Buffer> {
        if (isAboutResource(method)) {
            const call = CALLS[method](request);
            const type = typeOf(call.provider);
            return type === undefined ? this.forward(method, request) : encode(await call.answer(verbs(type)));
        }
        switch (method) {
            case "Cancel":
                // engine/cancel.ts notices the call by itself. Pulumi's own host does nothing about it.
                return encode(new Empty());
            case "Configure":
                this.configuration = request;
                // Pulumi's own host takes secrets as plain values, and the engine marks them in the state.
                return encode(new ConfigureResponse().setAcceptsecrets(false));
            case "GetPluginInfo":
                return encode(new PluginInfo().setVersion(this.version));
        }
    }

    private async forward(method: Method, request: Buffer): Promise<Buffer> {
        this.pulumi ??= this.startConfigured().catch((error: unknown) => {
            // The next call tries again.
            this.pulumi = undefined;
            throw error;
        });
        return (await this.pulumi).forward(method, request);
    }

    private async startConfigured(): Promise<PulumiHost> {
        const host = await this.startPulumi();
        if (this.configuration !== undefined) {
            await host.forward("Configure", this.configuration);
        }
        return host;
    }
}

function isAboutResource(method: Method): method is keyof typeof CALLS {
    return Object.hasOwn(CALLS, method);
}

function encode(message: { serializeBinary(): Uint8Array }): Buffer {
    return Buffer.from(message.serializeBinary());
}

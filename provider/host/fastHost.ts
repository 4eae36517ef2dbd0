import { cancel } from "../engine/cancel";
import { typeOf } from "../shimText";
import { callsOf } from "./calls";
import { ConfigureResponse, Empty, PluginInfo } from "./grpcNode";
import type { Peer } from "./peer";
import { dynamic } from "./properties";
import { encode, isAboutResource, type Method, RESOURCE_METHODS } from "./protocol";
import { answerBy } from "./resourceCall";
import type { Host } from "./serve";

/**
 * Takes the place of Pulumi's own host of dynamic resources in a TypeScript program. It answers the calls for resources of
 * this package. For others it starts Pulumi's host and passes the calls on.
 */
export class FastHost implements Host {
    readonly methods = [...RESOURCE_METHODS, "Cancel", "Configure", "GetPluginInfo"] as const;
    private readonly calls = callsOf(dynamic);
    private configuration?: Buffer;
    private pulumi?: Promise<Peer>;

    /** @param version of the program's @pulumi/pulumi, which Pulumi's own host reports too */
    constructor(
        private readonly version: string,
        private readonly startPulumi: () => Promise<Peer>,
    ) {}

    async answer(method: (typeof this.methods)[number], request: Buffer): Promise<Buffer> {
        if (isAboutResource(method)) {
            const call = this.calls[method](request);
            const type = typeOf(call.provider);
            return type === undefined ? this.forward(method, request) : answerBy(type, call);
        }
        switch (method) {
            case "Cancel":
                // Pulumi's own host does nothing about it.
                cancel();
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

    private async startConfigured(): Promise<Peer> {
        const host = await this.startPulumi();
        if (this.configuration !== undefined) {
            await host.forward("Configure", this.configuration);
        }
        return host;
    }
}

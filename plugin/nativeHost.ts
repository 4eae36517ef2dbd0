import { callsOf } from "../provider/host/calls";
import {
    CheckRequest,
    CheckResponse,
    ConfigureResponse,
    DiffResponse,
    Empty,
    GetSchemaResponse,
    InvokeRequest,
    PluginInfo,
} from "../provider/host/grpcNode";
import type { Peer } from "../provider/host/peer";
import { native } from "../provider/host/properties";
import { encode, isAboutResource, type Method, RESOURCE_METHODS } from "../provider/host/protocol";
import { answerBy } from "../provider/host/resourceCall";
import type { Host } from "../provider/host/serve";
import { typeIn, typeOfNative } from "../provider/shimText";
import { invoke } from "./functions";
import { readCluster } from "./reading";

const METHODS = [
    ...RESOURCE_METHODS,
    "Call",
    "Cancel",
    "CheckConfig",
    "Configure",
    "Construct",
    "DiffConfig",
    "GetPluginInfo",
    "GetSchema",
    "Invoke",
] as const satisfies readonly Method[];

/** The provider plugin: it answers by the verbs, and lets the server of Pulumi's SDK construct components. */
export class NativeHost implements Host {
    readonly methods = METHODS;
    private readonly calls = callsOf(native);
    private components?: Promise<Peer>;

    constructor(
        private readonly version: string,
        private readonly schema: () => string,
        private readonly startComponents: () => Promise<Peer>,
    ) {}

    async answer(method: (typeof METHODS)[number], request: Buffer): Promise<Buffer> {
        if (isAboutResource(method)) {
            return this.answerResource(method, request);
        }
        switch (method) {
            case "Call":
            case "Construct":
                this.components ??= this.startComponents();
                return (await this.components).forward(method, request);
            case "Cancel":
                // engine/cancel.ts notices the call by itself.
                return encode(new Empty());
            case "CheckConfig":
                return encode(new CheckResponse().setInputs(CheckRequest.deserializeBinary(request).getNews()));
            case "Configure":
                return encode(new ConfigureResponse().setAcceptsecrets(true));
            case "DiffConfig":
                return encode(new DiffResponse().setChanges(DiffResponse.DiffChanges.DIFF_NONE));
            case "GetPluginInfo":
                return encode(new PluginInfo().setVersion(this.version));
            case "GetSchema":
                return encode(new GetSchemaResponse().setSchema(this.schema()));
            case "Invoke":
                return encode(await invoke(InvokeRequest.deserializeBinary(request)));
        }
    }

    private answerResource(method: (typeof RESOURCE_METHODS)[number], request: Buffer): Promise<Buffer> {
        const call = this.calls[method](request);
        const type = typeOfNative(call.urn);
        if (type !== undefined) {
            return answerBy(type, call);
        }
        if (method === "Read" && typeIn(call.urn) === "flux-minicluster:index:MiniCluster") {
            return readCluster(request);
        }
        throw new Error(`${call.urn} is no resource of this provider.`);
    }
}

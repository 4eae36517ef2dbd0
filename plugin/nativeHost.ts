import { cancel } from "../provider/host/cancel";
import { noteProgram, servePlugin } from "../provider/host/program";
import { CALLS } from "./server/calls";
import {
    CheckRequest,
    CheckResponse,
    ConfigureRequest,
    ConfigureResponse,
    DiffResponse,
    Empty,
    GetSchemaResponse,
    InvokeRequest,
    PluginInfo,
} from "./server/grpcNode";
import type { Peer } from "./server/peer";
import {
    encode,
    isAboutResource,
    type Message,
    type Method,
    RESOURCE_METHODS,
    type ResourceMethod,
} from "./server/protocol";
import { type Host, Refusal } from "./server/serve";
import { verbs } from "../provider/index";
import { typeOfNative } from "../provider/host/shimText";
import { invoke } from "./functions";

type Answer = (request: Buffer) => Message | Promise<Message>;

/** The provider plugin: it answers by the verbs, and lets the server of Pulumi's SDK construct components. */
export class NativeHost implements Host {
    readonly methods: readonly Method[];
    private readonly answers: Readonly<Partial<Record<Method, Answer>>>;
    private components?: Promise<Peer>;
    /** Undefined if the program names no version of the package. */
    private configuredVersion?: string;

    constructor(
        version: string,
        schema: () => string,
        private readonly startComponents: (version: string | undefined) => Promise<Peer>,
    ) {
        servePlugin();
        this.answers = {
            Cancel: () => {
                cancel();
                return new Empty();
            },
            CheckConfig: async (bytes) => {
                const request = CheckRequest.deserializeBinary(bytes);
                // Only a program registers a provider; a destroy without one takes the provider from the state.
                await noteProgram(request.getUrn());
                return new CheckResponse().setInputs(request.getNews());
            },
            Configure: (bytes) => this.configure(ConfigureRequest.deserializeBinary(bytes)),
            DiffConfig: () => new DiffResponse().setChanges(DiffResponse.DiffChanges.DIFF_NONE),
            GetPluginInfo: () => new PluginInfo().setVersion(version),
            GetSchema: () => new GetSchemaResponse().setSchema(schema()),
            Invoke: (bytes) => invoke(InvokeRequest.deserializeBinary(bytes)),
        };
        this.methods = [...RESOURCE_METHODS, "Construct", ...(Object.keys(this.answers) as Method[])];
    }

    async answer(method: Method, request: Buffer): Promise<Buffer> {
        if (isAboutResource(method)) {
            return this.answerResource(method, request);
        }
        const answer = this.answers[method];
        return answer === undefined ? this.forward(method, request) : encode(await answer(request));
    }

    private configure(request: ConfigureRequest): ConfigureResponse {
        const { version } = request.getArgs()?.toJavaScript() ?? {};
        this.configuredVersion = typeof version === "string" ? version : undefined;
        return new ConfigureResponse().setAcceptsecrets(true).setAcceptoutputs(true);
    }

    private async forward(method: Method, request: Buffer): Promise<Buffer> {
        this.components ??= this.startComponents(this.configuredVersion);
        return (await this.components).forward(method, request);
    }

    /** By the verbs of the resource. */
    private async answerResource(method: ResourceMethod, request: Buffer): Promise<Buffer> {
        const call = CALLS[method](request);
        const type = typeOfNative(call.urn);
        if (type === undefined) {
            throw new Error(`${call.urn} is no resource of this provider.`);
        }
        try {
            return encode(await call.answer(verbs(type)));
        } catch (error) {
            throw new Refusal(call.failure(error));
        }
    }
}

import { credentials, Server, ServerCredentials, type ServiceError } from "@grpc/grpc-js";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";

import { plugin } from "../../../scripts/local/paths";
import { type DynamicType, nativeToken, shimText } from "../../../provider/host/shimText";
import { soon } from "../../e2e/support/until";

// Generated code without useful types.
const fromSdk = createRequire(require.resolve("@pulumi/pulumi"));
const { ResourceProviderClient } = fromSdk("@pulumi/pulumi/proto/provider_grpc_pb");
const messages = fromSdk("@pulumi/pulumi/proto/provider_pb");
const engineMessages = fromSdk("@pulumi/pulumi/proto/engine_pb");
const { EngineService } = fromSdk("@pulumi/pulumi/proto/engine_grpc_pb");
const { Empty } = fromSdk("google-protobuf/google/protobuf/empty_pb");
const { Struct } = fromSdk("google-protobuf/google/protobuf/struct_pb");
const { Status } = fromSdk("@pulumi/pulumi/proto/status_pb");

type Properties = Record<string, any>;

/** What the engine keeps of a resource that exists but failed to become ready. */
export interface InitFailure {
    readonly message: string;
    readonly id?: string;
    readonly properties?: Properties;
    readonly reasons?: string[];
}

export interface LogLine {
    readonly urn: string;
    readonly message: string;
    readonly ephemeral: boolean;
}

/** A fake Pulumi engine that collects the log lines of the host. */
export class FakeEngine {
    readonly lines: LogLine[] = [];
    /** URN of the root resource of the program, if an SDK or a plugin has told it. */
    root = "";
    private readonly server = new Server();
    address = "";

    static async start(): Promise<FakeEngine> {
        const engine = new FakeEngine();
        engine.server.addService(EngineService, {
            log: (call: any, callback: (error: null, answer: unknown) => void) => {
                const { request } = call;
                engine.lines.push({
                    urn: request.getUrn(),
                    message: request.getMessage(),
                    ephemeral: request.getEphemeral(),
                });
                callback(null, new Empty());
            },
            getRootResource: (_call: any, callback: (error: null, answer: unknown) => void) =>
                callback(null, new engineMessages.GetRootResourceResponse().setUrn(engine.root)),
            setRootResource: ({ request }: any, callback: (error: null, answer: unknown) => void) => {
                engine.root = request.getUrn();
                callback(null, new engineMessages.SetRootResourceResponse());
            },
        });
        const port = await new Promise<number>((resolve, reject) => {
            engine.server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
                error === null ? resolve(bound) : reject(error),
            );
        });
        engine.address = `127.0.0.1:${port}`;
        return engine;
    }

    /** The line with this number, as soon as it arrives. The host doesn't wait for its delivery. */
    async line(number: number): Promise<LogLine> {
        return soon(`line ${number}`, () => this.lines[number]);
    }

    stop(): void {
        this.server.forceShutdown();
    }
}

/** Pulumi's own host of dynamic resources. */
const PULUMI = [process.execPath, require.resolve("@pulumi/pulumi/cmd/dynamic-provider")] as const;

/** The provider plugin, whose resources have no text of a provider. */
const PLUGIN = [join(plugin.path, "pulumi-resource-flux-minicluster")] as const;

/** A host of resources as a process, without an engine and a CLI. */
export class DynamicHost {
    private constructor(
        private readonly child: ChildProcess,
        private readonly client: any,
        private readonly urn = "",
    ) {}

    static start(engine: string): Promise<DynamicHost> {
        return DynamicHost.run(PULUMI, engine);
    }

    static startPlugin(engine: string): Promise<DynamicHost> {
        return DynamicHost.run(PLUGIN, engine);
    }

    private static async run([program, ...words]: readonly string[], engine: string): Promise<DynamicHost> {
        const child = spawn(program, [...words, engine], { stdio: ["ignore", "pipe", "inherit"] });
        const port = await new Promise<string>((resolve, reject) => {
            createInterface(child.stdout).once("line", resolve);
            child.once("exit", (code) => reject(new Error(`the host ended with ${code}`)));
        });
        return new DynamicHost(child, new ResourceProviderClient(`127.0.0.1:${port}`, credentials.createInsecure()));
    }

    /** The same host, asked about a resource of the plugin. */
    about(type: string): DynamicHost {
        return new DynamicHost(this.child, this.client, `urn:pulumi:stack::project::${type}::it`);
    }

    aboutNative(type: DynamicType): DynamicHost {
        return this.about(nativeToken(type));
    }

    /** Ends the host, and waits until its processes have ended, which have its output open. */
    async stop(): Promise<void> {
        this.client.close();
        if (this.child.kill()) {
            await once(this.child, "close");
        }
    }

    /** What the host says about itself. */
    async configure(args: Properties): Promise<{ acceptoutputs: boolean; acceptsecrets: boolean }> {
        const request = new messages.ConfigureRequest();
        request.setArgs(struct(args));
        return (await this.call("configure", request)).toObject();
    }

    /** The registration of this plugin's provider by a program. */
    async register(): Promise<void> {
        const request = new messages.CheckRequest();
        request.setUrn("urn:pulumi:stack::project::pulumi:providers:flux-minicluster::default");
        await this.call("checkConfig", request);
    }

    async schema(): Promise<string> {
        return (await this.call("getSchema", new messages.GetSchemaRequest())).getSchema();
    }

    /** The result of a function. */
    async invoke(token: string, args: Properties): Promise<Properties> {
        const request = new messages.InvokeRequest();
        request.setTok(token);
        request.setArgs(struct(args));
        return (await this.call("invoke", request)).getReturn().toJavaScript();
    }

    /** The inputs that `check` returns, and its failures. */
    async check(
        type: DynamicType,
        news: Properties,
        olds: Properties = {},
    ): Promise<{ inputs: Properties; failures: object[] }> {
        return this.checkWith({ ...news, __provider: shimText(type) }, olds);
    }

    /** `check` of a resource with the text of its provider among its inputs. */
    async checkWith(news: Properties, olds: Properties): Promise<{ inputs: Properties; failures: object[] }> {
        const request = new messages.CheckRequest();
        request.setUrn(this.urn);
        request.setOlds(struct(olds));
        request.setNews(struct(news));
        const answer = await this.call("check", request);
        return {
            inputs: answer.getInputs().toJavaScript(),
            failures: answer.getFailuresList().map((one: any) => one.toObject()),
        };
    }

    async diff(id: string, olds: Properties, news: Properties): Promise<{ changes: number; replaces: string[] }> {
        const request = new messages.DiffRequest();
        request.setUrn(this.urn);
        request.setId(id);
        request.setOlds(struct(olds));
        request.setNews(struct(news));
        const answer = await this.call("diff", request);
        return { changes: answer.getChanges(), replaces: answer.getReplacesList() };
    }

    async create(inputs: Properties): Promise<{ id: string; outs: Properties }> {
        const request = new messages.CreateRequest();
        request.setUrn(this.urn);
        request.setProperties(struct(inputs));
        const answer = await this.call("create", request);
        return { id: answer.getId(), outs: answer.getProperties().toJavaScript() };
    }

    async read(id: string, properties: Properties): Promise<{ id: string; props?: Properties; inputs?: Properties }> {
        const request = new messages.ReadRequest();
        request.setUrn(this.urn);
        request.setId(id);
        request.setProperties(struct(properties));
        const answer = await this.call("read", request);
        return {
            id: answer.getId(),
            props: answer.getProperties()?.toJavaScript(),
            inputs: answer.getInputs()?.toJavaScript(),
        };
    }

    async update(id: string, olds: Properties, news: Properties): Promise<Properties> {
        const request = new messages.UpdateRequest();
        request.setUrn(this.urn);
        request.setId(id);
        request.setOlds(struct(olds));
        request.setNews(struct(news));
        return (await this.call("update", request)).getProperties().toJavaScript();
    }

    async delete(id: string, properties: Properties): Promise<void> {
        const request = new messages.DeleteRequest();
        request.setUrn(this.urn);
        request.setId(id);
        request.setProperties(struct(properties));
        await this.call("delete", request);
    }

    /** Cancels, as the engine does at the first Ctrl-C. */
    async cancel(): Promise<void> {
        await this.call("cancel", new Empty());
    }

    private call(method: string, request: unknown): Promise<any> {
        return new Promise((resolve, reject) => {
            this.client[method](request, (error: ServiceError | null, answer: unknown) =>
                error === null ? resolve(answer) : reject(new HostError(initFailure(error))),
            );
        });
    }
}

export class HostError extends Error {
    constructor(readonly failure: InitFailure) {
        super(failure.message);
    }
}

function struct(properties: Properties): unknown {
    return Struct.fromJavaScript(JSON.parse(JSON.stringify(properties)));
}

/** Unpacks a failure as the engine does. */
function initFailure(error: ServiceError): InitFailure {
    const [bytes] = error.metadata.get("grpc-status-details-bin");
    if (bytes === undefined) {
        return { message: error.details };
    }
    const [packed] = Status.deserializeBinary(bytes).getDetailsList();
    const detail = packed.unpack(
        messages.ErrorResourceInitFailed.deserializeBinary,
        "pulumirpc.ErrorResourceInitFailed",
    );
    return {
        message: error.details,
        id: detail.getId(),
        properties: detail.getProperties().toJavaScript(),
        reasons: detail.getReasonsList(),
    };
}

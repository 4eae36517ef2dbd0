import { createRequire } from "node:module";

import type { Json } from "../contract/object";
import { engineAddress } from "./cancel";

/** A line of the engine about one resource. */
export interface Line {
    readonly urn: string;
    readonly message: string;
    readonly severity: "DEBUG" | "INFO" | "WARNING";
    readonly ephemeral: boolean;
}

/** The calls to the engine that started this process. */
export interface Engine {
    /** Shows a line; fails if the engine doesn't answer. The engine may exchange lines that are sent at the same time. */
    log(line: Line): Promise<void>;
    /** The URN of the stack's resource in the program that runs; empty without a program. */
    rootResource(): Promise<string>;
    /** Sets that URN. Only the plugin does so, for programs whose SDK doesn't. */
    setRootResource?(urn: string): Promise<void>;
}

/** Milliseconds in which the engine must answer a question. */
const DEADLINE = 15_000;

let connect: (address: string) => Engine = connectBySdk;

/** Makes the calls in another way than by the SDK that Pulumi's own host has loaded. */
export function useEngine(connection: (address: string) => Engine): void {
    connect = connection;
}

/** The engine of this process; undefined in a process that no engine has started. */
export function engine(): Engine | undefined {
    const [host, port] = engineAddress();
    return port === undefined ? undefined : connect(`${host}:${port}`);
}

/** Pulumi supports none of these calls in dynamic providers, so this makes them as its SDK makes them in a program. */
function connectBySdk(address: string): Engine {
    const sdk = createRequire(require.resolve("@pulumi/pulumi"));
    const grpc = sdk("@grpc/grpc-js") as { credentials: { createInsecure(): unknown } };
    const { EngineClient } = sdk("@pulumi/pulumi/proto/engine_grpc_pb") as {
        EngineClient: new (...args: Json[]) => Json;
    };
    const { GetRootResourceRequest, LogRequest, LogSeverity } = sdk("@pulumi/pulumi/proto/engine_pb") as Record<
        string,
        Json
    >;
    // The engine is on this machine, and gRPC would use the proxy of the environment even for that.
    const client = new EngineClient(address, grpc.credentials.createInsecure(), { "grpc.enable_http_proxy": 0 });
    return {
        log({ ephemeral, message, severity, urn }) {
            const request = new LogRequest();
            request.setSeverity(LogSeverity[severity]);
            request.setMessage(message);
            request.setUrn(urn);
            request.setEphemeral(ephemeral);
            return new Promise((resolve, reject) => {
                client.log(request, (error: Error | null) => (error ? reject(error) : resolve()));
            });
        },
        rootResource() {
            return new Promise((resolve, reject) => {
                const answer = (error: Error | null, response: Json) =>
                    error ? reject(error) : resolve(response.getUrn());
                client.getRootResource(new GetRootResourceRequest(), { deadline: Date.now() + DEADLINE }, answer);
            });
        },
    };
}

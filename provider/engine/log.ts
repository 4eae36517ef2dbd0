import { createRequire } from "node:module";

import { engineAddress } from "./cancel";

/** Writes a line that is shown on one resource's row while it is worked on. */
export type Report = (line: string) => void;

/**
 * A reporter for the resource with this URN. Dynamic providers have no supported way to log to a resource, so it makes
 * the engine's own log call, and writes to standard output where that can't be made.
 */
export function reporter(urn: string | undefined, name: string): Report {
    const [host, port] = engineAddress();
    const fallback = (line: string) => console.log(`${name}: ${line}`);
    if (urn === undefined || port === undefined) {
        return fallback;
    }
    try {
        return engineReporter(`${host}:${port}`, urn, name, fallback);
    } catch {
        return fallback;
    }
}

function engineReporter(address: string, urn: string, name: string, fallback: Report): Report {
    const sdk = createRequire(require.resolve("@pulumi/pulumi"));
    const grpc = sdk("@grpc/grpc-js") as { credentials: { createInsecure(): unknown } };
    const { EngineClient } = sdk("@pulumi/pulumi/proto/engine_grpc_pb") as { EngineClient: new (...args: any[]) => any };
    const { LogRequest, LogSeverity } = sdk("@pulumi/pulumi/proto/engine_pb") as Record<string, any>;
    const client = new EngineClient(address, grpc.credentials.createInsecure());
    return (line) => {
        const request = new LogRequest();
        request.setSeverity(LogSeverity.INFO);
        request.setMessage(`${name}: ${line}`);
        request.setUrn(urn);
        request.setEphemeral(true);
        client.log(request, (error: unknown) => {
            if (error) {
                fallback(line);
            }
        });
    };
}

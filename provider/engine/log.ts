import { createRequire } from "node:module";

import { engineAddress } from "./cancel";
import type { Json } from "../contract/object";

/** Writes a line about one resource. */
export type Report = (line: string) => void;

/** Returns the function for progress lines, which Pulumi shows on the resource's row during an operation. */
export function reporter(urn: string | undefined, name: string): Report {
    return logger(urn, name, { severity: "INFO", ephemeral: true });
}

/** Returns the function for warnings, which Pulumi shows among the diagnostics of a preview or an update. */
export function warner(urn: string | undefined, name: string): Report {
    return logger(urn, name, { severity: "WARNING", ephemeral: false });
}

interface Kind {
    readonly severity: "INFO" | "WARNING";
    readonly ephemeral: boolean;
}

interface Line extends Kind {
    readonly urn: string;
    readonly message: string;
}

/** The engine's log call; `failed` is called if the engine doesn't answer it. */
export type EngineLog = (line: Line, failed: () => void) => void;

let connect: (address: string) => EngineLog = connectBySdk;

/** Makes the log calls in another way than by the SDK that Pulumi's own host has loaded. */
export function useEngine(connection: (address: string) => EngineLog): void {
    connect = connection;
}

/**
 * Dynamic providers have no supported way to log to a resource. So this makes the engine's own log call, and writes to
 * standard output if that call can't be made.
 */
function logger(urn: string | undefined, name: string, kind: Kind): Report {
    const [host, port] = engineAddress();
    const fallback = (line: string) => console.log(`${name}: ${line}`);
    if (urn === undefined || port === undefined) {
        return fallback;
    }
    try {
        const log = connect(`${host}:${port}`);
        return (line) => log({ ...kind, urn, message: `${name}: ${line}` }, () => fallback(line));
    } catch {
        return fallback;
    }
}

function connectBySdk(address: string): EngineLog {
    const sdk = createRequire(require.resolve("@pulumi/pulumi"));
    const grpc = sdk("@grpc/grpc-js") as { credentials: { createInsecure(): unknown } };
    const { EngineClient } = sdk("@pulumi/pulumi/proto/engine_grpc_pb") as {
        EngineClient: new (...args: Json[]) => Json;
    };
    const { LogRequest, LogSeverity } = sdk("@pulumi/pulumi/proto/engine_pb") as Record<string, Json>;
    const client = new EngineClient(address, grpc.credentials.createInsecure());
    return ({ ephemeral, message, severity, urn }, failed) => {
        const request = new LogRequest();
        request.setSeverity(LogSeverity[severity]);
        request.setMessage(message);
        request.setUrn(urn);
        request.setEphemeral(ephemeral);
        client.log(request, (error: unknown) => {
            if (error) {
                failed();
            }
        });
    };
}

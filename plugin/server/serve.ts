import type { sendUnaryData, ServerUnaryCall } from "@grpc/grpc-js";

import { useEngine } from "../../provider/host/engine";
import { preload } from "../../provider/preload";
import { connectEngine } from "./engine";
import { type Failure, failureOf } from "./grpcFailure";
import { Server, ServerCredentials, type ServiceError } from "./grpcNode";
import { ForeignFailure } from "./peer";
import { bytes, CHANNEL_OPTIONS, type Method, pathOf } from "./protocol";

/** A host answers the engine's calls of its methods. gRPC answers other methods with UNIMPLEMENTED. */
export interface Host {
    readonly methods: readonly Method[];
    /** An answer as bytes, or an error. */
    answer(method: Method, request: Buffer): Promise<Buffer>;
}

/** An error that already has the form of an answer. */
export class Refusal extends Error {
    constructor(readonly failure: Failure) {
        super(failure.details);
    }
}

/** Serves a host to the engine, which reads the port from standard output. The last argument is the engine's address. */
export function serve(host: Host): void {
    outliveErrors();
    // All gRPC stays on this machine, and gRPC would use the proxy of the environment even for that.
    process.env["no_grpc_proxy"] = "127.0.0.1";
    useEngine(connectEngine);
    const server = new Server(CHANNEL_OPTIONS);
    const definition = Object.fromEntries(host.methods.map((method) => [method, methodOf(method)]));
    server.addService(definition, Object.fromEntries(host.methods.map((method) => [method, handler(host, method)])));
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) => {
        if (error !== null) {
            throw error;
        }
        console.log(String(port));
        preload();
    });
}

/** A server's definition of a method, with messages as bytes. */
function methodOf(method: Method) {
    return {
        path: pathOf(method),
        requestStream: false,
        responseStream: false,
        requestSerialize: bytes,
        requestDeserialize: bytes,
        responseSerialize: bytes,
        responseDeserialize: bytes,
    };
}

function handler(host: Host, method: Method) {
    return (call: ServerUnaryCall<Buffer, Buffer>, answer: sendUnaryData<Buffer>) => {
        host.answer(method, call.request).then(
            (message) => answer(null, message),
            (error: unknown) => answer(answerOf(error)),
        );
    };
}

function answerOf(error: unknown): Failure | ServiceError {
    if (error instanceof ForeignFailure) {
        return error.cause;
    }
    return error instanceof Refusal ? error.failure : failureOf(error);
}

/** As in Pulumi's own host: an error that no code catches fails the process at its end, not the calls under way. */
function outliveErrors(): void {
    const report = (error: unknown) => {
        console.error(error instanceof Error ? error.stack : String(error));
        process.exitCode = 1;
    };
    process.on("uncaughtException", report);
    process.on("unhandledRejection", report);
}

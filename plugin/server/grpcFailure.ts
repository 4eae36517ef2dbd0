import { Any, ErrorResourceInitFailed, Metadata, Status, status } from "./grpcNode";
import { type Received, read } from "./properties";

/** What the engine gets for an error of a verb. */
export interface Failure {
    readonly code: number;
    readonly details: string;
    readonly metadata: Metadata;
}

/** An error that may have what `partialFailure` adds. */
type PartialFailure = Error & { id?: string; properties?: object; reasons?: string[] };

/**
 * The answer for an error. `reply` makes the properties of an answer to the same request. A partial failure carries the
 * outputs of the resource, which the engine keeps.
 * @see https://github.com/pulumi/pulumi/blob/master/sdk/nodejs/cmd/dynamic-provider/index.ts
 */
export function failureOf(thrown: unknown, reply: Received["reply"] = read(undefined).reply): Failure {
    const error = (thrown instanceof Error ? thrown : new Error(String(thrown))) as PartialFailure;
    const metadata = new Metadata();
    if (error.id !== undefined) {
        const detail = new ErrorResourceInitFailed()
            .setId(error.id)
            .setProperties(reply(error.properties ?? {}))
            .setReasonsList(error.reasons ?? []);
        const packed = new Any();
        packed.pack(detail.serializeBinary(), "pulumirpc.ErrorResourceInitFailed");
        const whole = new Status().setCode(status.UNKNOWN).setMessage(error.message).setDetailsList([packed]);
        metadata.add("grpc-status-details-bin", Buffer.from(whole.serializeBinary()));
    }
    return { code: status.UNKNOWN, details: error.message, metadata };
}

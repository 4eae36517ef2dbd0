import type { ServiceDefinition } from "@grpc/grpc-js";

/** The methods of Pulumi's ResourceProvider protocol that a host of dynamic resources answers. */
export const METHODS = [
    "Cancel",
    "Check",
    "Configure",
    "Create",
    "Delete",
    "Diff",
    "GetPluginInfo",
    "Read",
    "Update",
] as const;

export type Method = (typeof METHODS)[number];

/**
 * As in Pulumi's own host: the size of a message in bytes, and the seconds for which a request may wait while a verb keeps
 * the process busy.
 * @see https://github.com/pulumi/pulumi/blob/master/sdk/nodejs/runtime/settings.ts
 */
export const CHANNEL_OPTIONS = {
    "grpc.max_receive_message_length": 400 * 1024 * 1024,
    "grpc.server_max_unrequested_time_in_server": 30 * 60,
};

/** A server's definition of the methods, with messages as bytes. gRPC answers all other methods with UNIMPLEMENTED. */
export const SERVICE: ServiceDefinition = Object.fromEntries(
    METHODS.map((method) => [
        method,
        {
            path: pathOf(method),
            requestStream: false,
            responseStream: false,
            requestSerialize: bytes,
            requestDeserialize: bytes,
            responseSerialize: bytes,
            responseDeserialize: bytes,
        },
    ]),
);

export function pathOf(method: Method): string {
    return `/pulumirpc.ResourceProvider/${method}`;
}

export function bytes(message: Buffer): Buffer {
    return message;
}

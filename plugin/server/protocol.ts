/** The methods about one resource. */
export const RESOURCE_METHODS = ["Check", "Create", "Delete", "Diff", "Read", "Update"] as const;

export type ResourceMethod = (typeof RESOURCE_METHODS)[number];

/** Methods of Pulumi's ResourceProvider protocol. */
export type Method =
    | ResourceMethod
    | "Cancel"
    | "CheckConfig"
    | "Configure"
    | "Construct"
    | "DiffConfig"
    | "GetPluginInfo"
    | "GetSchema"
    | "Invoke";

/**
 * As in Pulumi's own host: the size of a message in bytes, and the seconds for which a request may wait while a verb keeps
 * the process busy.
 * @see https://github.com/pulumi/pulumi/blob/master/sdk/nodejs/runtime/settings.ts
 */
export const CHANNEL_OPTIONS = {
    "grpc.max_receive_message_length": 400 * 1024 * 1024,
    "grpc.server_max_unrequested_time_in_server": 30 * 60,
};

export function isAboutResource(method: Method): method is ResourceMethod {
    return (RESOURCE_METHODS as readonly string[]).includes(method);
}

export function pathOf(method: Method): string {
    return `/pulumirpc.ResourceProvider/${method}`;
}

export function bytes(message: Buffer): Buffer {
    return message;
}

export interface Message {
    serializeBinary(): Uint8Array;
}

export function encode(message: Message): Buffer {
    return Buffer.from(message.serializeBinary());
}

import type { KubeConfig } from "../clientNode";
import type { FullCluster, FullUser } from "./extraFields";

/** A header with one line for each value. */
type Headers = Record<string, string | readonly string[]>;

/** A part of undici's dispatcher, whose types the client doesn't export. */
interface Dispatcher {
    compose(interceptor: (dispatch: Dispatch) => Dispatch): Dispatcher;
}

type Dispatch = (options: { headers?: object }, handler: unknown) => boolean;

/** The methods of the client that make the connections of its requests. It declares one of them private. */
interface Connections {
    createDispatcher(cluster: unknown, options: { rejectUnauthorized?: boolean }): Dispatcher;
    applyToHTTPSOptions(options: { headers?: object }): Promise<void>;
}

/**
 * Sends the headers of the kubeconfig's `as-groups`, `as-uid`, `as-user-extra` and `disable-compression`, which the client
 * doesn't know. Several values of one header need as many lines, which `fetch` would join.
 */
export function impersonate(config: KubeConfig): void {
    const headers = headersOf(config.getCurrentUser() ?? undefined, config.getCurrentCluster() ?? undefined);
    if (Object.keys(headers).length === 0) {
        return;
    }
    const connections = config as unknown as Connections;
    const make = connections.createDispatcher.bind(config);
    const apply = connections.applyToHTTPSOptions.bind(config);
    connections.createDispatcher = (cluster, options) =>
        // The client makes no dispatcher for a cluster without any option of TLS.
        make(cluster, { ...options, rejectUnauthorized: options.rejectUnauthorized ?? true }).compose(
            (dispatch) => (request, handler) =>
                dispatch({ ...request, headers: { ...request.headers, ...headers } }, handler),
        );
    connections.applyToHTTPSOptions = async (options) => {
        await apply(options);
        options.headers = { ...options.headers, ...headers };
    };
}

function headersOf(user?: FullUser, cluster?: FullCluster): Headers {
    const { extra = {}, groups = [], uid } = user?.impersonation ?? {};
    const entries: [string, string | readonly string[]][] = [
        ...(uid ? [["impersonate-uid", uid] as [string, string]] : []),
        ...(groups.length > 0 ? [["impersonate-group", groups] as [string, readonly string[]]] : []),
        ...Object.entries(extra).map(([key, values]): [string, readonly string[]] => [
            `impersonate-extra-${escaped(key)}`,
            values,
        ]),
        ...(cluster?.disableCompression === true ? [["accept-encoding", "identity"] as [string, string]] : []),
    ];
    return Object.fromEntries(entries);
}

/** The name of a header from a key, with the escapes that the API server resolves. */
function escaped(key: string): string {
    const bytes = [...Buffer.from(key)].map((byte) => String.fromCharCode(byte));
    return bytes
        .map((byte) =>
            /[\w!#$&'*+.^`|~-]/.test(byte)
                ? byte
                : `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`,
        )
        .join("");
}

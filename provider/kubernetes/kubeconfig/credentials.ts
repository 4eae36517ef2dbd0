import { readFileSync } from "node:fs";

import type { KubeConfig, User } from "../clientNode";
import type { FullCluster } from "./extraFields";
import { type ExecConfig, type ExecStatus, runPlugin } from "./execPlugin";
import { Renewal } from "./renewal";
import { replaceToken } from "./rereadToken";
import { tokenReader } from "./tokenFile";

type Authenticator = Parameters<KubeConfig["addAuthenticator"]>[0];

/** Where a user's credential comes from, if it isn't in the kubeconfig itself. */
interface Source {
    readonly exec?: ExecConfig;
    /** What a plugin with `provideClusterInfo` is told of the cluster. */
    readonly cluster?: object;
    readonly tokenFile?: string;
    /** Token to use until the file can be read. */
    readonly token?: string;
}

/** Name by which this package's authenticator knows its users; the client's own authenticators leave them alone. */
const NAME = "flux-minicluster";

/**
 * The credentials of this process by their sources. A plugin runs once for each lifetime of its credential, however
 * many clients use it.
 */
const credentials = new Map<string, Renewal<ExecStatus>>();

/** Lets this package fetch and renew the credentials of plugins and of tokens' files. */
export function renewCredentials(config: KubeConfig): void {
    config.users = config.getUsers().map((user) => {
        const source = sourceOf(user, config);
        return source === undefined
            ? {
                  ...user,
                  exec: undefined,
                  password: user.password ?? "",
                  token: user.token && String(user.token).trim(),
              }
            : { ...user, exec: undefined, token: undefined, authProvider: { name: NAME, config: { source } } };
    });
    config.addAuthenticator(new Renewing());
}

/** By kubectl's rules: a token's file replaces a token, and a plugin is only used without any other credential. */
function sourceOf({ authProvider, certData, certFile, exec, name, token, username }: User, config: KubeConfig) {
    const { tokenFile, ...legacy } = (authProvider?.config ?? {}) as { tokenFile?: string; exec?: ExecConfig };
    if (tokenFile !== undefined) {
        return { tokenFile, token: token ?? undefined } satisfies Source;
    }
    const plugin = (exec ?? legacy.exec ?? undefined) as ExecConfig | undefined;
    if (plugin === undefined || [certData, certFile, token, username].some(Boolean)) {
        return undefined;
    }
    return { exec: plugin, cluster: plugin.provideClusterInfo === true ? clusterOf(config, name) : undefined };
}

/** The cluster of a user, in the form of client.authentication.k8s.io. */
function clusterOf(config: KubeConfig, user: string): object | undefined {
    const current = config.getContextObject(config.getCurrentContext());
    const context = current?.user === user ? current : config.getContexts().find((each) => each.user === user);
    const cluster: FullCluster | null | undefined = context && config.getCluster(context.cluster);
    if (!cluster) {
        return undefined;
    }
    const { caData, caFile, disableCompression, execConfig, proxyUrl, server, skipTLSVerify, tlsServerName } = cluster;
    return {
        server,
        "tls-server-name": tlsServerName,
        "insecure-skip-tls-verify": skipTLSVerify || undefined,
        "certificate-authority-data": caFile ? readFileSync(caFile, "base64") : caData,
        "proxy-url": proxyUrl,
        "disable-compression": disableCompression,
        config: execConfig,
    };
}

function credentialOf({ authProvider }: User): Renewal<ExecStatus> | undefined {
    if (authProvider?.name !== NAME) {
        return undefined;
    }
    const { source } = authProvider.config as { source: Source };
    const key = JSON.stringify(source);
    const known = credentials.get(key) ?? new Renewal<ExecStatus>(fetcherOf(source));
    credentials.set(key, known);
    return known;
}

function fetcherOf({ cluster, exec, token, tokenFile }: Source) {
    if (exec === undefined) {
        return tokenReader(tokenFile ?? "", token);
    }
    return async () => {
        const value = await runPlugin(exec, cluster);
        return { value, until: Date.parse(value.expirationTimestamp ?? "") || undefined };
    };
}

/** Fetches the current user's credential, so that an error of a plugin or of a token's file comes before all requests. */
export async function fetchCredential(config: KubeConfig): Promise<void> {
    const user = config.getCurrentUser();
    await (user === null ? undefined : credentialOf(user)?.get());
}

/**
 * Drops the current user's credential, which the API server has refused. False for a credential that can't be renewed.
 * `requestedAt` is the time of the refused request on the monotonic clock: a credential that is newer is kept.
 */
export function refuseCredential(config: KubeConfig, requestedAt: number): boolean {
    const user = config.getCurrentUser();
    const credential = user === null ? undefined : credentialOf(user);
    credential?.refuse(requestedAt);
    return credential !== undefined || replaceToken(config, requestedAt);
}

class Renewing implements Authenticator {
    isAuthProvider({ authProvider }: User): boolean {
        return authProvider?.name === NAME;
    }

    async applyAuthentication(user: User, options: Parameters<Authenticator["applyAuthentication"]>[1]): Promise<void> {
        const { clientCertificateData, clientKeyData, token } = (await credentialOf(user)?.get()) ?? {};
        if (token) {
            options.headers = { ...options.headers, Authorization: `Bearer ${token}` };
        }
        if (clientCertificateData && clientKeyData) {
            Object.assign(options, { cert: clientCertificateData, key: clientKeyData });
        }
    }
}

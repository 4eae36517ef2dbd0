import type { KubeConfig, User } from "../clientNode";
import type { FullCluster } from "./extraFields";
import { proxyFor } from "./proxy";

/**
 * Completes the servers of a kubeconfig as kubectl does: an address without a scheme gets one, `proxy-url` is set for
 * calls, watches, logs and commands, because the client ignores the environment's proxy, and a context without a user
 * is anonymous.
 */
export function completeServers(config: KubeConfig): void {
    config.clusters = config.getClusters().map((cluster: FullCluster) => {
        const server = addressOf(cluster, config);
        return { ...cluster, server, proxyUrl: farNames(cluster.proxyUrl || proxyFor(server)) };
    });
    const context = config.getContextObject(config.getCurrentContext());
    if (context !== null && !context.user) {
        config.users = [...config.getUsers(), { name: ANONYMOUS }];
        config.contexts = config.getContexts().map((each) => (each === context ? { ...each, user: ANONYMOUS } : each));
    }
    openPlain(config);
}

/** Lets a SOCKS proxy look up the server's name, as client-go does: only the proxy may know it. */
function farNames(proxy: string | undefined): string | undefined {
    return proxy?.replace(/^socks5:/, "socks5h:");
}

const ANONYMOUS = "anonymous of flux-minicluster";

function addressOf({ caData, caFile, name, server, skipTLSVerify }: FullCluster, config: KubeConfig): string {
    if (/^[a-z][a-z0-9+.-]*:\/\//i.test(server)) {
        return server;
    }
    const users = config.getContexts().flatMap((context) => (context.cluster === name ? [context.user] : []));
    const hasCertificate = config
        .getUsers()
        .some((user) => users.includes(user.name) && Boolean(user.certData || user.certFile));
    return `${[caData, caFile, skipTLSVerify, hasCertificate].some(Boolean) ? "https" : "http"}://${server}`;
}

/**
 * Allows a server without TLS, such as `kubectl proxy`, to which the client connects only with
 * `insecure-skip-tls-verify`. No credential is sent to it, as by kubectl.
 */
function openPlain(config: KubeConfig): void {
    const cluster = config.getCurrentCluster();
    const name = config.getContextObject(config.getCurrentContext())?.user;
    if (cluster === null || !cluster.server.startsWith("http:") || cluster.skipTLSVerify) {
        return;
    }
    config.clusters = config.getClusters().map((each) => (each === cluster ? { ...each, skipTLSVerify: true } : each));
    config.users = config.getUsers().map((user) => {
        const { impersonateUser, impersonation } = user as User & { impersonation?: object };
        return user.name === name ? ({ name, impersonateUser, impersonation } as User) : user;
    });
}

import type { Cluster, Context, KubeConfig } from "../clientNode";
import { pemProblems } from "./pem";
import { problemsOfUser } from "./usableUser";

/**
 * Fails if the current context of a kubeconfig can't be used, before anything is created. Reads its files, but asks
 * neither a plugin nor the API server. An error has this cause.
 */
export function requireUsable(config: KubeConfig, cause: unknown): void {
    const problems = problemsOf(config);
    if (problems.length > 0) {
        throw new Error(
            `The kubeconfig can't be used: ${problems.join(" ")}`,
            cause === undefined ? undefined : { cause },
        );
    }
}

function problemsOf(config: KubeConfig): string[] {
    const known = config.getContexts().map(({ name }) => name);
    const current = config.getCurrentContext();
    if (!current) {
        const choice = known.length > 0 ? ` Set one of ${known.join(", ")}, or give context.` : "";
        return [`it has no current context.${choice}`];
    }
    const context = config.getContextObject(current);
    if (context === null) {
        return [`its current context is "${current}"; it has ${known.join(", ") || "none with a cluster"}.`];
    }
    return [...clusterProblems(config, context), ...userProblems(config, context)];
}

function clusterProblems(config: KubeConfig, { cluster: name, name: context }: Context): string[] {
    const cluster = config.getCluster(name);
    if (cluster === null) {
        return [`context "${context}" names the cluster "${name}", which is not in it or has no server.`];
    }
    return [...serverProblems(cluster), ...proxyProblems(cluster), ...authorityProblems(cluster)];
}

function serverProblems({ name, server }: Cluster): string[] {
    const isAddress = URL.canParse(server) && /^https?:$/.test(new URL(server).protocol);
    return isAddress ? [] : [`the server of cluster "${name}" is no address such as https://host:6443.`];
}

/** The value isn't shown: it may have a password. */
function proxyProblems({ name, proxyUrl }: Cluster): string[] {
    if (!proxyUrl) {
        return [];
    }
    const url = URL.canParse(proxyUrl) ? new URL(proxyUrl) : undefined;
    if (url === undefined || !/^(https?|socks5h?):$/.test(url.protocol)) {
        return [`the proxy of cluster "${name}" (proxy-url or HTTPS_PROXY) must be an http, https or socks5 URL.`];
    }
    const isKnown = url.protocol.startsWith("http") || url.username === "";
    return isKnown
        ? []
        : [`the SOCKS proxy of cluster "${name}" has a user name, which isn't supported. Use an http proxy.`];
}

function authorityProblems({ caData, caFile, name }: Cluster): string[] {
    const property = `certificate-authority of cluster "${name}"`;
    return pemProblems(property, caFile, caData, "CERTIFICATE");
}

function userProblems(config: KubeConfig, { name: context, user: name }: Context): string[] {
    const user = config.getUser(name);
    if (user === null) {
        return [`context "${context}" names the user "${name}", which is not in it.`];
    }
    return problemsOfUser(user);
}

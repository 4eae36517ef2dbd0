type Cause = Error & { readonly code?: string };

/** An error and its causes, from the outermost on. */
function causesOf(error: unknown): Cause[] {
    const causes: Cause[] = [];
    for (let at = error; at instanceof Error && !causes.includes(at); at = at.cause) {
        causes.push(at);
    }
    return causes;
}

const AUTHORITY = new Set([
    "CERT_SIGNATURE_FAILURE",
    "CERT_UNTRUSTED",
    "DEPTH_ZERO_SELF_SIGNED_CERT",
    "SELF_SIGNED_CERT_IN_CHAIN",
    "UNABLE_TO_GET_ISSUER_CERT",
    "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
    "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);

/** Why no connection to the API server can be made, and the cure, if the error is a known one. */
export function connectionTrouble(error: unknown): string | undefined {
    const causes = causesOf(error);
    const code = proxyStatus(causes);
    if (code !== undefined) {
        return refusalOfProxy(code);
    }
    for (const { code = "", message } of causes) {
        if (AUTHORITY.has(code)) {
            return (
                `the certificate-authority of the kubeconfig hasn't signed the certificate that came (${code}). The kubeconfig may ` +
                "belong to another cluster, or a proxy speaks or inspects TLS: add the proxy's authority to " +
                "certificate-authority-data, or exempt the server from the inspection"
            );
        }
        if (code === "ERR_TLS_CERT_ALTNAME_INVALID") {
            return `${message}. Behind a tunnel, set tls-server-name of the kubeconfig's cluster to a name of the certificate`;
        }
        if (message === "bad port") {
            return (
                "Node makes no HTTP requests to the port of this server, which is one of other protocols, as 6000 and 10080 " +
                "are. Use another port"
            );
        }
        if (/wrong version number|packet length too long/.test(message)) {
            return "the server of the kubeconfig speaks no TLS. Write http:// in its address, or the port that speaks TLS";
        }
    }
    return undefined;
}

/** The HTTP status with which a proxy refuses a connection: in the words of undici and hpagent. */
function proxyStatus(causes: readonly Error[]): number | undefined {
    for (const { message } of causes) {
        const [, ...codes] =
            /^Proxy response \((\d+)\)|^Bad response: (\d+)$|^Proxy Authentication Required \((407)\)$/.exec(message) ??
            [];
        const code = codes.find((each) => each !== undefined);
        if (code !== undefined) {
            return Number(code);
        }
    }
    return undefined;
}

function refusalOfProxy(code: number): string {
    const cure =
        code === 407
            ? "Give its user and password in proxy-url or HTTPS_PROXY (http://USER:PASSWORD@HOST:PORT)"
            : "Allow the server there, or name it in NO_PROXY";
    return `the proxy refuses the connection to the API server with the HTTP status ${code}. ${cure}`;
}

const NETWORK_CODES = new Set([
    "ECONNREFUSED",
    "ECONNRESET",
    "EPIPE",
    "ETIMEDOUT",
    "EHOSTUNREACH",
    "ENETUNREACH",
    "EAI_AGAIN",
    "ENOTFOUND",
    "UND_ERR_SOCKET",
    "UND_ERR_CONNECT_TIMEOUT",
    "UND_ERR_HEADERS_TIMEOUT",
    "UND_ERR_BODY_TIMEOUT",
]);

/** True if no connection to the API server could be made or kept: an answer with an error is no such error. */
export function isUnreached(error: unknown): boolean {
    return isPassing(error) || connectionTrouble(error) !== undefined;
}

/** True for an error of the connection after which a later try may succeed. */
export function isPassing(error: unknown): boolean {
    const causes = causesOf(error);
    const isCut = ({ code = "", message, name }: Cause) =>
        NETWORK_CODES.has(code) ||
        name === "TimeoutError" ||
        /^Socks5 proxy rejected connection - (ConnectionRefused|Failure|HostUnreachable|NetworkUnreachable)$/.test(
            message,
        );
    return causes.some(isCut) || (proxyStatus(causes) ?? 0) >= 500;
}

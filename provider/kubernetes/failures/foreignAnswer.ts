export type Headers = Readonly<Record<string, string | string[] | undefined>>;

const typeOf = (headers: Headers): string => String(headers["content-type"] ?? "");

/** True if an answer is a web page, which no API server sends. */
export function isPage(headers: Headers = {}): boolean {
    return /^text\/html\b/.test(typeOf(headers));
}

/** True if an answer isn't JSON. All answers of the API server are, except for logs. */
export function isNoJson(headers: Headers): boolean {
    return !/^application\/([a-z.-]+\+)?json\b/.test(typeOf(headers));
}

/** Says that an answer is not one of the API server. */
export function foreignAnswer(code: number, headers: Headers = {}, server?: string): string {
    const place = server === undefined ? "" : ` from ${server}`;
    const what = code >= 300 && code < 400 ? "a redirection" : isPage(headers) ? "a web page" : "no JSON";
    return (
        `an HTTP status ${code} came${place} with ${what}, so a proxy or a login has answered, not the API server. ` +
        "Log in there, or check the server and the proxy of the kubeconfig"
    );
}

/** The text of an answer. Fails if its end is missing, so that the request may be repeated: JSON of Kubernetes is an object. */
export function whole(text: string, code: number, headers: Headers): string {
    if (code >= 300 || isNoJson(headers) || text.trimEnd().endsWith("}")) {
        return text;
    }
    const message = "an answer of the API server isn't whole: a proxy may have cut it";
    throw Object.assign(new Error(message), { code: "ECONNRESET" });
}

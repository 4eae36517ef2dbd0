import { type ClientRequest, type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps, type RequestOptions } from "node:https";

import { type Kube, USER_AGENT } from "../client";
import type { Container } from "./exec";
import { foreignAnswer, isPage } from "../failures/foreignAnswer";

/** Which part of a container's log is read. */
export interface LogPart {
    /** Continue with the lines that the container writes. */
    readonly follow?: boolean;
    /** The log of the container's instance before its last restart. */
    readonly previous?: boolean;
    /** Only lines of this time and later, in whole seconds. */
    readonly sinceTime?: string;
    /** So many lines, counted from the end of what there is. */
    readonly tailLines?: number;
    /** Begin each line with its time and a space. */
    readonly timestamps?: boolean;
}

/** Limits of the exchange. */
export interface LogLimits {
    /** Longest wait for the answer, and for more of it. The time in which the reader works on a chunk doesn't count. */
    readonly seconds: number;
    /** Ends the exchange with the signal's reason. */
    readonly signal?: AbortSignal;
}

/** Reads a container's log in chunks. The client's own call holds the whole log in memory. */
export async function* readLog(
    kube: Kube,
    container: Container,
    part: LogPart,
    limits: LogLimits,
): AsyncGenerator<Buffer, void, undefined> {
    const response = await open(kube, container, part, limits);
    const chunks = response[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
    try {
        for (;;) {
            const { done, value } = await within(response, limits, chunks.next()).catch(broken);
            if (done === true) {
                return;
            }
            yield value;
        }
    } finally {
        response.destroy();
    }
}

/** Node's message for a connection that broke is "aborted". */
function broken(error: NodeJS.ErrnoException): never {
    const { code } = error;
    throw code === "ECONNRESET" ? Object.assign(new Error("the connection to the API server broke"), { code }) : error;
}

async function open(kube: Kube, container: Container, part: LogPart, limits: LogLimits): Promise<IncomingMessage> {
    const requestedAt = performance.now();
    const response = await send(kube, container, part, limits);
    const isRefused = response.statusCode === 401 && kube.refused(requestedAt);
    const answer = isRefused ? await send(kube, container, part, limits) : response;
    if (isRefused) {
        response.destroy();
    }
    const { headers, statusCode: code = 0 } = answer;
    if (code === 200 && !isPage(headers)) {
        return answer;
    }
    const body = String(Buffer.concat(await within(answer, limits, answer.toArray())));
    const message = code < 400 ? foreignAnswer(code, headers, kube.server) : `HTTP status ${code}`;
    throw Object.assign(new Error(message), { code, body, headers });
}

async function send(kube: Kube, container: Container, part: LogPart, limits: LogLimits): Promise<IncomingMessage> {
    const url = addressOf(kube, container, part);
    const options: RequestOptions = {};
    await kube.config.applyToHTTPSOptions(options);
    options.headers = { ...options.headers, "User-Agent": USER_AGENT };
    // Node limits neither the time to an answer nor that between two parts of it.
    const request = (url.protocol === "https:" ? requestHttps : requestHttp)(url, options);
    const answered = new Promise<IncomingMessage>((resolve, reject) => {
        request.once("response", resolve);
        request.on("error", reject);
    });
    request.end();
    return within(request, limits, answered);
}

function addressOf({ server }: Kube, { container, namespace, pod }: Container, part: LogPart): URL {
    const url = new URL(`${server}/api/v1/namespaces/${namespace}/pods/${pod}/log`);
    for (const [name, value] of Object.entries({ container, ...part })) {
        if (value !== undefined) {
            url.searchParams.set(name, String(value));
        }
    }
    return url;
}

/** The result of an exchange, which ends with a timeout after so many seconds, or by the signal. */
async function within<T>(
    exchange: ClientRequest | IncomingMessage,
    { seconds, signal }: LogLimits,
    result: Promise<T>,
): Promise<T> {
    const error = Object.assign(new Error(`the API server sent nothing for ${seconds} s`), { name: "TimeoutError" });
    const timer = setTimeout(() => exchange.destroy(error), seconds * 1000);
    const abort = () => void exchange.destroy(signal?.reason as Error);
    signal?.addEventListener("abort", abort);
    try {
        if (signal?.aborted) {
            abort();
        }
        return await result;
    } finally {
        clearTimeout(timer);
        signal?.removeEventListener("abort", abort);
    }
}

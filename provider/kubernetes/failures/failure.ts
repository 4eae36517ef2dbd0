import { connectionTrouble, isPassing } from "./connectionTrouble";
import { foreignAnswer, type Headers, isPage } from "./foreignAnswer";

/** The API server's refusal of a request. */
export interface ApiFailure {
    readonly code: number;
    /** Kubernetes' reason, for example `AlreadyExists`. */
    readonly reason: string;
    readonly message: string;
}

/** The API server's refusal in an error; undefined for any other error. */
export function apiFailure(error: unknown): ApiFailure | undefined {
    const { body, code, headers } = (error ?? {}) as { body?: unknown; code?: unknown; headers?: Headers };
    // The code of a DOMException is a number too, but below 400.
    if (typeof code !== "number" || code < 400) {
        return undefined;
    }
    const status = parse(body);
    const message = isPage(headers) ? foreignAnswer(code, headers) : status.message || `HTTP status ${code}`;
    return { code, reason: status.reason ?? "", message };
}

/** Kubernetes' Status, as far as it matters. */
interface Status {
    readonly kind?: string;
    readonly message?: string;
    readonly reason?: string;
    readonly details?: { readonly name?: string };
}

function parse(body: unknown): Status {
    if (typeof body !== "string") {
        return body ?? {};
    }
    try {
        return (JSON.parse(body) as Status | null) ?? {};
    } catch {
        return { message: body };
    }
}

export function hasCode(error: unknown, code: number): boolean {
    return apiFailure(error)?.code === code;
}

/**
 * True if the API server answers that this object doesn't exist. A 404 without a Status that names the object comes from a
 * proxy or from another API, and tells nothing of the object.
 */
export function isNotFound(error: unknown): boolean {
    const { details, kind, reason } = hasCode(error, 404) ? parse((error as { body?: unknown }).body) : {};
    return kind === "Status" && reason === "NotFound" && details?.name !== undefined;
}

/** The result of a call; undefined if the API server answers that the object doesn't exist. */
export async function ifThere<T>(call: Promise<T>): Promise<T | undefined> {
    try {
        return await call;
    } catch (error) {
        if (isNotFound(error)) {
            return undefined;
        }
        throw hasCode(error, 404) ? new Error(PROXY, { cause: error }) : error;
    }
}

const PROXY =
    "an HTTP status 404 came without Kubernetes' Status for the object, so a proxy has answered, or another API. " +
    "Check the server and the context of the kubeconfig";

/** The result of a call to an API that a cluster may not have; undefined if it doesn't have the API or the object. */
export async function ifServed<T>(call: Promise<T>): Promise<T | undefined> {
    try {
        return await call;
    } catch (error) {
        if (hasCode(error, 404)) {
            return undefined;
        }
        throw error;
    }
}

/** The message of an error of a call to the API server. */
export function sentence(error: unknown): string {
    const failure = apiFailure(error);
    if (failure !== undefined) {
        return failure.message;
    }
    const { cause, message } = error as Error;
    const trouble = connectionTrouble(error);
    if (trouble !== undefined) {
        return trouble;
    }
    return cause instanceof Error && message !== PROXY ? `${message}: ${cause.message}` : message;
}

/** Milliseconds after which the API server wants the next try, which it gives in seconds or as a date. */
export function retryAfter(error: unknown, now = Date.now()): number | undefined {
    const { headers = {} } = (error ?? {}) as { headers?: Readonly<Record<string, string>> };
    const text = headers["retry-after"];
    if (text === undefined) {
        return undefined;
    }
    const milliseconds = /^\d+$/.test(text.trim()) ? Number(text) * 1000 : Date.parse(text) - now;
    return Number.isNaN(milliseconds) ? undefined : Math.max(0, milliseconds);
}

/** True if a later try may succeed: the API server can't be reached, is overloaded or restarts. */
export function isTransient(error: unknown): boolean {
    const failure = apiFailure(error);
    return failure === undefined ? isPassing(error) : failure.code === 429 || failure.code >= 500;
}

import { noteUse } from "./kubeconfig/access";
import * as k8s from "./clientNode";
import { refuseCredential } from "./kubeconfig/credentials";
import { foreignAnswer, isNoJson, isPage, whole } from "./failures/foreignAnswer";
import { orTold } from "./failures/slowAnswer";

/** The shared reason of all timeouts: making one takes long, and most requests need none. */
const TIMED_OUT = new DOMException("The operation was aborted due to timeout", "TimeoutError");

/** Milliseconds by which the API server's header Date differs from an equal clock: it has whole seconds, and takes its way. */
const SAME_CLOCK = 3000;

/** A time limit that starts again with each part of an answer. */
class TimeLimit {
    private readonly controller = new AbortController();
    private timer: NodeJS.Timeout | undefined;

    constructor(readonly seconds: number) {
        this.restart();
    }

    get signal(): AbortSignal {
        return this.controller.signal;
    }

    /** Also starts a limit that has ended: a request that is repeated has the same signal. */
    restart(): void {
        if (this.timer === undefined) {
            this.timer = setTimeout(() => this.controller.abort(TIMED_OUT), this.seconds * 1000);
            this.timer.unref();
        } else {
            this.timer.refresh();
        }
    }

    end(): void {
        clearTimeout(this.timer);
        this.timer = undefined;
    }
}

const limits = new WeakMap<AbortSignal, TimeLimit>();

/** The signal of a new request: it aborts after so many seconds without an answer, or without more of it. */
export function timeLimit(seconds: number): AbortSignal {
    const limit = new TimeLimit(seconds);
    limits.set(limit.signal, limit);
    return limit.signal;
}

/**
 * Sends the requests of the client. A request whose answer is slow but continues doesn't time out. A request whose
 * credential is refused is repeated once with a renewed one.
 */
export class Patient implements k8s.HttpLibrary {
    /** By how many milliseconds the API server's clock is ahead of this machine's. */
    private ahead = 0;

    constructor(private readonly config: k8s.KubeConfig) {}

    /** The time by the API server's clock, as far as it is known: deadlines of objects count by it. */
    now(): Date {
        return new Date(Date.now() + this.ahead);
    }

    send(request: k8s.RequestContext): k8s.Observable<k8s.ResponseContext> {
        return new k8s.Observable(this.answer(request));
    }

    private async answer(request: k8s.RequestContext): Promise<k8s.ResponseContext> {
        const requestedAt = performance.now();
        const response = await this.ask(request);
        if (response.httpStatusCode !== 401 || !refuseCredential(this.config, requestedAt)) {
            return response;
        }
        await response.body.text();
        await this.config.applySecurityAuthentication(request);
        return this.ask(request);
    }

    /** Sends a request. Fails if the answer isn't one of an API server. */
    private async ask(request: k8s.RequestContext): Promise<k8s.ResponseContext> {
        const { server = "" } = this.config.getCurrentCluster() ?? {};
        const response = await orTold(`the API server at ${server}`, send(request, server));
        this.setClock(response.headers["date"]);
        const isLog = /\/pods\/[^/]+\/log$/.test(new URL(request.getUrl()).pathname);
        if (response.httpStatusCode < 300 && (isLog ? isPage : isNoJson)(response.headers)) {
            await response.body.text();
            throw new Error(foreignAnswer(response.httpStatusCode, response.headers, server));
        }
        if (response.httpStatusCode !== 401) {
            noteUse(this.config);
        }
        return response;
    }

    private setClock(date: string | undefined): void {
        const ahead = Date.parse(date ?? "") - Date.now();
        if (!Number.isNaN(ahead)) {
            this.ahead = Math.abs(ahead) > SAME_CLOCK ? ahead : 0;
        }
    }
}

async function send(request: k8s.RequestContext, server: string): Promise<k8s.ResponseContext> {
    const limit = limits.get(request.getSignal() as AbortSignal);
    limit?.restart();
    try {
        const response = await new k8s.IsomorphicFetchHttpLibrary().send(request).toPromise();
        return withLimit(response, limit, server);
    } catch (error) {
        limit?.end();
        throw named(error, limit, server);
    }
}

/** Names the server that was silent: the error of an aborted request says nothing of it. */
function named(error: unknown, limit: TimeLimit | undefined, server: string): unknown {
    if (limit === undefined || limit.signal.reason !== TIMED_OUT) {
        return error;
    }
    const message = `the API server at ${server} does not answer (${limit.seconds} s)`;
    return Object.assign(new Error(message), { name: "TimeoutError" });
}

function withLimit(response: k8s.ResponseContext, limit: TimeLimit | undefined, server: string): k8s.ResponseContext {
    const { body } = response;
    limit?.restart();
    const binary = async () => {
        const chunks: Uint8Array[] = [];
        try {
            for await (const chunk of body.stream() ?? []) {
                chunks.push(chunk);
                limit?.restart();
            }
        } catch (error) {
            throw named(error, limit, server);
        } finally {
            limit?.end();
        }
        return Buffer.concat(chunks);
    };
    response.body = {
        binary,
        text: async () => whole((await binary()).toString(), response.httpStatusCode, response.headers),
        stream: () => body.stream(),
    };
    return response;
}

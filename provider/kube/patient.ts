import * as k8s from "./clientNode";
import { refuseCredential } from "./credentials";

/** The shared reason of all timeouts: making one takes long, and most requests need none. */
const TIMED_OUT = new DOMException("The operation was aborted due to timeout", "TimeoutError");

/** A time limit that starts again with each part of an answer. */
class TimeLimit {
    private readonly controller = new AbortController();
    private timer: NodeJS.Timeout | undefined;

    constructor(private readonly seconds: number) {
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
    constructor(private readonly config: k8s.KubeConfig) {}

    send(request: k8s.RequestContext): k8s.Observable<k8s.ResponseContext> {
        return new k8s.Observable(this.answer(request));
    }

    private async answer(request: k8s.RequestContext): Promise<k8s.ResponseContext> {
        const requestedAt = performance.now();
        const response = await send(request);
        if (response.httpStatusCode !== 401 || !refuseCredential(this.config, requestedAt)) {
            return response;
        }
        await response.body.text();
        await this.config.applySecurityAuthentication(request);
        return send(request);
    }
}

async function send(request: k8s.RequestContext): Promise<k8s.ResponseContext> {
    const limit = limits.get(request.getSignal() as AbortSignal);
    limit?.restart();
    try {
        const response = await new k8s.IsomorphicFetchHttpLibrary().send(request).toPromise();
        return withLimit(response, limit);
    } catch (error) {
        limit?.end();
        throw error;
    }
}

function withLimit(response: k8s.ResponseContext, limit: TimeLimit | undefined): k8s.ResponseContext {
    const { body } = response;
    limit?.restart();
    const binary = async () => {
        const chunks: Uint8Array[] = [];
        try {
            for await (const chunk of body.stream() ?? []) {
                chunks.push(chunk);
                limit?.restart();
            }
        } finally {
            limit?.end();
        }
        return Buffer.concat(chunks);
    };
    response.body = {
        binary,
        text: async () => (await binary()).toString(),
        stream: () => body.stream(),
    };
    return response;
}

import { subscribe } from "node:diagnostics_channel";
import { connect } from "node:net";

/** Milliseconds between checks that the engine is still running. */
const PULSE = 2000;

let cancelled: AbortController | undefined;

/**
 * A signal that aborts when the user interrupts the update or the engine dies. On Ctrl-C, Pulumi makes the call Cancel.
 * The plugin passes it on. Pulumi's own host of dynamic resources answers it and does nothing else, but Node
 * publishes the call on a diagnostics channel; on a Node that doesn't, a wait runs to its end.
 */
export function cancellation(): AbortSignal {
    return controller().signal;
}

/** Aborts the signal, also one that a later wait asks for. */
export function cancel(): void {
    controller().abort(new Error("the update was cancelled"));
}

function controller(): AbortController {
    if (cancelled === undefined) {
        cancelled = new AbortController();
        subscribe("http2.server.stream.start", (message) => {
            const { headers } = message as { headers?: Record<string, unknown> };
            if (String(headers?.[":path"] ?? "").endsWith("/Cancel")) {
                cancel();
            }
        });
        watchEngine(cancelled);
    }
    return cancelled;
}

/** Aborts when the engine dies: the host outlives an engine that was killed, but can't return its result any more. */
function watchEngine(controller: AbortController): void {
    const [host, port] = engineAddress();
    if (port === undefined) {
        return;
    }
    const timer = setInterval(() => {
        const socket = connect({ host, port: Number(port) });
        socket.on("connect", () => socket.destroy());
        socket.on("error", (error: NodeJS.ErrnoException) => {
            if (error.code === "ECONNREFUSED") {
                controller.abort(new Error("the Pulumi engine has ended"));
                clearInterval(timer);
            }
        });
    }, PULSE);
    timer.unref();
}

/** Host and port of the engine: the last argument of the provider host, after those of `--logflow` and `--tracing`. */
export function engineAddress(): [host: string, port?: string] {
    const match = /^(.*):(\d+)$/.exec(process.argv.slice(2).at(-1) ?? "");
    return match === null ? [""] : [match[1], match[2]];
}

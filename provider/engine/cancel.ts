import { subscribe } from "node:diagnostics_channel";
import { connect } from "node:net";

/** Milliseconds between looks at whether the engine is still there. */
const PULSE = 2000;

let cancelled: AbortController | undefined;

/**
 * Aborts when the user interrupts the update or the engine dies. Pulumi tells the dynamic provider host of a Ctrl-C by
 * a call named Cancel that the host answers and drops; Node shows it on a diagnostics channel. On a Node that doesn't,
 * a wait simply runs to its end.
 */
export function cancellation(): AbortSignal {
    cancelled ??= listen();
    return cancelled.signal;
}

function listen(): AbortController {
    const controller = new AbortController();
    subscribe("http2.server.stream.start", (message) => {
        const { headers } = message as { headers?: Record<string, unknown> };
        if (String(headers?.[":path"] ?? "").endsWith("/Cancel")) {
            controller.abort(new Error("the update was cancelled"));
        }
    });
    watchEngine(controller);
    return controller;
}

/** The host outlives an engine that was killed; nobody would take its result. */
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
                controller.abort(new Error("the Pulumi engine is gone"));
                clearInterval(timer);
            }
        });
    }, PULSE);
    timer.unref();
}

/** Host and port of the engine: the host's last argument, behind options of `--logflow` and `--tracing`. */
export function engineAddress(): [host: string, port?: string] {
    const match = /^(.*):(\d+)$/.exec(process.argv.slice(2).at(-1) ?? "");
    return match === null ? [""] : [match[1], match[2]];
}

import type { Writable } from "node:stream";

/** Seconds in which a connection must be established. */
const CONNECT_SECONDS = 15;
/** Seconds between pings, as in kubectl. Pings also keep idle connections open. */
const PING_SECONDS = 5;
/** Pings without an answer after which a connection is broken, as in kubectl. */
const UNANSWERED = 12;

/**
 * The methods of the client's WebSocket in Node. The client declares it with the types of a package that isn't
 * installed, so its type is `any`.
 */
export interface Socket {
    close(): void;
    on(event: "close" | "message" | "pong", listener: () => void): void;
    pause(): void;
    ping(): void;
    resume(): void;
    terminate(): void;
}

/** An error after which a call may be repeated. */
export function lost(message: string): Error {
    return Object.assign(new Error(message), { code: "ECONNRESET" });
}

export function timeout(what: string, seconds: number): Error {
    return Object.assign(new Error(`${what} within ${seconds} s`), { code: "ETIMEDOUT" });
}

/** A connection that is being established; fails after a time limit, and then closes a connection that comes later. */
export async function established(connecting: Promise<Socket>, pod: string): Promise<Socket> {
    let timer: NodeJS.Timeout | undefined;
    const tooLate = new Promise<never>((_resolve, reject) => {
        const late = () => reject(timeout(`the connection to pod ${pod} was not established`, CONNECT_SECONDS));
        timer = setTimeout(late, CONNECT_SECONDS * 1000);
    });
    try {
        return await Promise.race([connecting, tooLate]);
    } catch (error) {
        connecting.then(
            (socket) => socket.close(),
            () => undefined,
        );
        throw error;
    } finally {
        clearTimeout(timer);
    }
}

/** What a guarded connection is for. */
export interface Guarded {
    readonly pod: string;
    /** The streams that take what comes. */
    readonly readers: readonly Writable[];
    /** Aborts when the connection isn't needed any more. */
    readonly over: AbortSignal;
}

/**
 * Reports a connection that ends, or whose other side doesn't answer pings any more. Reads no more of it while a reader
 * has enough.
 */
export function guard(socket: Socket, { over, pod, readers }: Guarded, tell: (error: Error) => void): void {
    const broke = () => tell(lost(`the connection to ${pod} broke`));
    if (over.aborted) {
        return;
    }
    let [unanswered, isPaused] = [0, false];
    const timer = setInterval(() => {
        // A connection that isn't read gives no answers either.
        unanswered = isPaused ? 0 : unanswered;
        if (unanswered++ < UNANSWERED) {
            socket.ping();
        } else {
            broke();
            socket.terminate();
        }
    }, PING_SECONDS * 1000);
    const answered = () => (unanswered = 0);
    const keepPace = () => {
        const full = readers.filter(({ writableNeedDrain }) => writableNeedDrain);
        if (full.length > 0 && !isPaused) {
            isPaused = true;
            socket.pause();
            void Promise.all(full.map(drained)).then(() => {
                isPaused = false;
                socket.resume();
            });
        }
    };
    socket.on("message", answered);
    socket.on("message", keepPace);
    socket.on("pong", answered);
    socket.on("close", broke);
    over.addEventListener("abort", () => clearInterval(timer), { once: true });
}

/** Resolves when a stream takes more, or never will. */
function drained(stream: Writable): Promise<void> {
    return new Promise((resolve) => {
        const finish = () => {
            stream.off("drain", finish).off("close", finish);
            resolve();
        };
        stream.on("drain", finish).on("close", finish);
    });
}

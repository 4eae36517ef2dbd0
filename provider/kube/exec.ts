import { PassThrough, type Readable, Writable } from "node:stream";

import type { Kube } from "./client";
import * as k8s from "./clientNode";

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
interface Socket {
    close(): void;
    on(event: "close" | "message" | "pong", listener: () => void): void;
    ping(): void;
    terminate(): void;
}

/** A container of a pod. */
export interface Container {
    readonly namespace: string;
    readonly pod: string;
    readonly container: string;
}

/** A command to run. */
export interface Execution {
    readonly command: readonly string[];
    /** Standard input. It has no end, because older proxies can't pass one on: the command must end by itself. */
    readonly input: string;
    /** Ends the connection, but not the command. */
    readonly signal: AbortSignal;
    /** Timeout of the command in seconds, its connection included: then the call fails, and may be repeated. */
    readonly seconds: number;
}

/** The result of a command in a container. */
export interface Executed {
    readonly exitCode: number;
    readonly stdout: string;
    readonly stderr: string;
}

/**
 * Runs a command in a container. The command continues when its connection breaks, so it must be one that may be
 * repeated.
 */
export async function execute(
    kube: Kube,
    container: Container,
    { command, input, seconds, signal }: Execution,
): Promise<Executed> {
    const [stdout, stderr, stdin] = [new Collector(), new Collector(), new PassThrough()];
    stdin.write(input);
    const late = new AbortController();
    const timer = setTimeout(
        () => late.abort(timeout(`a command in pod ${container.pod} has not ended`, seconds)),
        seconds * 1000,
    );
    try {
        const either = AbortSignal.any([signal, late.signal]);
        const exitCode = await attach(kube, container, { command, stdin, stdout, stderr, signal: either });
        return { exitCode, stdout: stdout.text, stderr: stderr.text };
    } finally {
        clearTimeout(timer);
    }
}

function timeout(what: string, seconds: number): Error {
    return Object.assign(new Error(`${what} within ${seconds} s`), { code: "ETIMEDOUT" });
}

/** A command with streams of the caller. */
export interface Attachment {
    readonly command: readonly string[];
    readonly stdin?: Readable;
    readonly stdout: Writable;
    /** Without it, the command has a terminal. */
    readonly stderr?: Writable;
    readonly signal: AbortSignal;
    /** Is called when the connection is established. */
    readonly connected?: () => void;
}

/** Runs a command in a container with these streams; returns its exit code. */
export async function attach(
    kube: Kube,
    { container, namespace, pod }: Container,
    { command, connected, signal, stderr, stdin, stdout }: Attachment,
): Promise<number> {
    signal.throwIfAborted();
    let report: (status: k8s.V1Status) => void = () => {};
    const reported = new Promise<k8s.V1Status>((resolve) => (report = resolve));
    const [input, error, tty] = [stdin ?? null, stderr ?? null, stderr === undefined];
    const connecting = new k8s.Exec(kube.config)
        .exec(namespace, pod, container, [...command], stdout, error, input, tty, (status) => report(status))
        .catch((reason: unknown) => Promise.reject(connectError(reason, pod)));
    const over = new AbortController();
    const broken = new Promise<never>((_resolve, reject) => {
        const leave = () => reject(signal.reason as Error);
        const tooLong = () => reject(timeout(`the connection to pod ${pod} was not established`, CONNECT_SECONDS));
        const timer = setTimeout(tooLong, CONNECT_SECONDS * 1000);
        signal.addEventListener("abort", leave, { once: true, signal: over.signal });
        connecting.then((socket) => guard(socket, pod, over.signal, reject), reject).finally(() => clearTimeout(timer));
    });
    connecting.then(connected, () => undefined);
    try {
        return exitCodeOf(await Promise.race([reported, broken]));
    } finally {
        over.abort();
        broken.catch(() => undefined);
        connecting.then(
            (socket) => socket.close(),
            () => undefined,
        );
    }
}

/** Reports a connection that ends, or whose other side doesn't answer pings any more. */
function guard(socket: Socket, pod: string, over: AbortSignal, tell: (error: Error) => void): void {
    const broke = () => tell(Object.assign(new Error(`the connection to ${pod} broke`), { code: "ECONNRESET" }));
    if (over.aborted) {
        return;
    }
    let unanswered = 0;
    const timer = setInterval(() => {
        if (unanswered++ < UNANSWERED) {
            socket.ping();
        } else {
            broke();
            socket.terminate();
        }
    }, PING_SECONDS * 1000);
    for (const sign of ["message", "pong"] as const) {
        socket.on(sign, () => (unanswered = 0));
    }
    socket.on("close", broke);
    over.addEventListener("abort", () => clearInterval(timer), { once: true });
}

class Collector extends Writable {
    private readonly chunks: Buffer[] = [];

    override _write(chunk: Buffer, _encoding: string, done: () => void): void {
        this.chunks.push(chunk);
        done();
    }

    get text(): string {
        return Buffer.concat(this.chunks).toString();
    }
}

/** The exit code of a command, which Kubernetes reports as the cause of a failure. */
export function exitCodeOf({ details, message, reason, status }: k8s.V1Status): number {
    if (status === "Success") {
        return 0;
    }
    const cause = details?.causes?.find((candidate) => candidate.reason === "ExitCode");
    if (cause?.message === undefined) {
        throw new Error(message ?? reason ?? "the command could not be run");
    }
    return Number(cause.message);
}

/**
 * The error of a connection. If the upgrade to a WebSocket was refused, the client gives only the HTTP status, in its
 * message.
 */
export function connectError(error: unknown, pod: string): Error {
    const { error: cause, message } = error as { error?: Error; message?: string };
    const code = /Unexpected server response: (\d+)/.exec(message ?? "")?.[1];
    if (code === undefined) {
        return cause ?? new Error(message);
    }
    const cure = code === "403" ? "; the right to create pods/exec is needed" : "";
    const body = { message: `a command can't be run in pod ${pod}: HTTP status ${code}${cure}` };
    return Object.assign(new Error(body.message), { code: Number(code), body });
}

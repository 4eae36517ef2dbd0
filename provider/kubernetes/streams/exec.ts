import { finished, PassThrough, type Readable, Writable } from "node:stream";
import { promisify } from "node:util";

import type { Kube } from "../client";
import * as k8s from "../clientNode";
import { orTold } from "../failures/slowAnswer";
import { established, guard, lost, type Socket, timeout } from "./socket";

/** A container of a pod. */
export interface Container {
    readonly namespace: string;
    readonly pod: string;
    readonly container: string;
}

/** Bytes of a message at most: proxies may limit it. */
export const MESSAGE = 64 * 1024;

/** A command to run. */
export interface Execution {
    readonly command: readonly string[];
    /** Standard input. It has no end, because older proxies can't pass one on: the command must end by itself. */
    readonly input: string | Buffer;
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
    const bytes = typeof input === "string" ? Buffer.from(input) : input;
    for (let from = 0; from < bytes.length; from += MESSAGE) {
        stdin.write(bytes.subarray(from, from + MESSAGE));
    }
    const exitCode = await attachFor(seconds, kube, container, { command, stdin, stdout, stderr, signal });
    return { exitCode, stdout: stdout.text, stderr: stderr.text };
}

/** Does the same as attach, and fails after so many seconds. */
export async function attachFor(
    seconds: number,
    kube: Kube,
    container: Container,
    attachment: Attachment,
): Promise<number> {
    const late = new AbortController();
    const timer = setTimeout(
        () => late.abort(timeout(`a command in pod ${container.pod} has not ended`, seconds)),
        seconds * 1000,
    );
    try {
        const signal = AbortSignal.any([attachment.signal, late.signal]);
        const what = `a command in pod ${container.pod} at ${kube.server}`;
        return await orTold(what, attach(kube, container, { ...attachment, signal }));
    } finally {
        clearTimeout(timer);
    }
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

/**
 * Runs a command in a container with these streams; returns its exit code when they have taken its output. An exit code
 * of 137 or 143 may be that of a command whose pod has ended.
 */
export async function attach(kube: Kube, container: Container, attachment: Attachment): Promise<number> {
    const { connected, signal, stderr, stdout } = attachment;
    const { pod } = container;
    signal.throwIfAborted();
    const over = new AbortController();
    const readers = stderr === undefined ? [stdout] : [stdout, stderr];
    const broken = new Promise<never>((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true, signal: over.signal });
        readers.forEach((reader) => reader.on("error", reject));
    });
    broken.catch(() => undefined);
    const { connecting, reported } = start(kube, container, attachment);
    const running = connecting.then((socket) => {
        connected?.();
        return new Promise<never>((_resolve, reject) => guard(socket, { pod, readers, over: over.signal }, reject));
    });
    try {
        const status = await Promise.race([reported, running, broken]);
        const exitCode = exitCodeOf(status);
        await Promise.race([Promise.all(readers.map(taken)), broken]);
        return exitCode;
    } finally {
        over.abort();
        running.catch(() => undefined);
        connecting.then(
            (socket) => socket.close(),
            () => undefined,
        );
    }
}

/** Starts a command. Its status comes after its output. */
function start(kube: Kube, { container, namespace, pod }: Container, { command, stderr, stdin, stdout }: Attachment) {
    let report: (status: k8s.V1Status) => void = () => {};
    const reported = new Promise<k8s.V1Status>((resolve) => (report = resolve));
    const [input, error, tty] = [stdin ?? null, stderr ?? null, stderr === undefined];
    const open = (): Promise<Socket> =>
        new k8s.Exec(kube.config)
            .exec(namespace, pod, container, [...command], stdout, error, input, tty, (status) => report(status))
            .catch((reason: unknown) => Promise.reject(connectError(reason, { pod, server: kube.server })));
    return { connecting: established(renewing(kube, open), pod), reported };
}

/** Opens a connection, and once again with a renewed credential if the API server has refused the first one. */
export async function renewing<T>(kube: Kube, open: () => Promise<T>): Promise<T> {
    const requestedAt = performance.now();
    try {
        return await open();
    } catch (error) {
        if ((error as { code?: unknown }).code !== 401 || !kube.refused(requestedAt)) {
            throw error;
        }
        return open();
    }
}

/** Resolves when a stream that the client has ended has taken everything. The client doesn't end the process's own. */
async function taken(stream: Writable): Promise<void> {
    if (stream.writableEnded) {
        await promisify(finished)(stream, { readable: false });
    }
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

/** What container runtimes say of a command for a container that has ended: its pod may have a successor. */
const ENDED =
    /container (is )?not running|container not found|CONTAINER_EXITED|no running task|exec in a (stopped|deleted)/i;

/** The exit code of a command, which Kubernetes reports as the cause of a failure. */
export function exitCodeOf({ details, message, reason, status }: k8s.V1Status): number {
    if (status === "Success") {
        return 0;
    }
    const cause = details?.causes?.find((candidate) => candidate.reason === "ExitCode");
    if (cause?.message === undefined) {
        const why = message ?? reason ?? "the command could not be run";
        throw ENDED.test(why) ? lost(why) : new Error(why);
    }
    return Number(cause.message);
}

/**
 * The error of a connection. If the upgrade to a WebSocket was refused, the client gives only the HTTP status, in its
 * message.
 */
export function connectError(error: unknown, { pod, right = "pods/exec", server }: Refused): Error {
    const { error: cause, message } = error as { error?: Error; message?: string };
    const code = /Unexpected server response: (\d+)/.exec(message ?? "")?.[1];
    if (code === undefined) {
        return cause ?? new Error(message);
    }
    const what = right === "pods/exec" ? `a command can't be run in pod ${pod}` : `pod ${pod} can't be connected to`;
    const body = { message: `${what}: HTTP status ${code}${cureOf(code, right, server)}` };
    return Object.assign(new Error(body.message), { code: Number(code), body });
}

/** A connection to a pod that was refused. */
interface Refused {
    readonly pod: string;
    /** The right that it needs. @default pods/exec */
    readonly right?: string;
    readonly server: string;
}

/** Only kubectl proxy, which speaks no TLS, refuses commands to clients that have the right. */
function cureOf(code: string, right: string, server: string): string {
    if (code === "403") {
        const filter = server.startsWith("http:") ? " (kubectl proxy also needs --disable-filter)" : "";
        return `; the right to create ${right} is needed${filter}`;
    }
    // 400 is the API server's answer to a request whose header Upgrade a proxy has removed, and for a pod without a node.
    const noNode = code === "400" ? "the pod may have no node yet, or " : "";
    return /^(2\d\d|3\d\d|400|405|426|501)$/.test(code)
        ? `; ${noNode}a proxy or a login may pass no WebSockets. Let it pass the header Upgrade, or connect without it`
        : "";
}

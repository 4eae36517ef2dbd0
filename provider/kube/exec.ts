import { PassThrough, type Readable, Writable } from "node:stream";

import type { Kube } from "./client";
import * as k8s from "./clientNode";

/** A container of a pod. */
export interface Container {
    readonly namespace: string;
    readonly pod: string;
    readonly container: string;
}

/** What is to be run. */
export interface Execution {
    readonly command: readonly string[];
    /** Standard input. It has no end, since older proxies can't tell one: the command has to end by itself. */
    readonly input: string;
    /** Ends the connection, not the command. */
    readonly signal: AbortSignal;
}

/** What a command did in a container. */
export interface Executed {
    readonly exitCode: number;
    readonly stdout: string;
    readonly stderr: string;
}

/** Runs a command in a container. It outlives a connection that breaks, so it has to be one that may be run again. */
export async function execute(kube: Kube, container: Container, { command, input, signal }: Execution): Promise<Executed> {
    const [stdout, stderr, stdin] = [new Collector(), new Collector(), new PassThrough()];
    stdin.write(input);
    const exitCode = await attach(kube, container, { command, stdin, stdout, stderr, signal });
    return { exitCode, stdout: stdout.text, stderr: stderr.text };
}

/** A command whose streams are somebody's own. */
export interface Attachment {
    readonly command: readonly string[];
    readonly stdin?: Readable;
    readonly stdout: Writable;
    /** None where there is a terminal. */
    readonly stderr?: Writable;
    readonly signal: AbortSignal;
}

/** Runs a command in a container with these streams; gives its exit code. Without stderr it has a terminal. */
export async function attach(
    kube: Kube,
    { container, namespace, pod }: Container,
    { command, signal, stderr, stdin, stdout }: Attachment,
): Promise<number> {
    signal.throwIfAborted();
    let report: (status: k8s.V1Status) => void = () => {};
    const reported = new Promise<k8s.V1Status>((resolve) => (report = resolve));
    const [input, error, tty] = [stdin ?? null, stderr ?? null, stderr === undefined];
    const socket = await new k8s.Exec(kube.config)
        .exec(namespace, pod, container, [...command], stdout, error, input, tty, (status) => report(status))
        .catch((reason: unknown) => Promise.reject(connectError(reason, pod)));
    const heard = new AbortController();
    const closed = new Promise<never>((_resolve, reject) => {
        socket.onclose = () => reject(Object.assign(new Error(`the connection to ${pod} broke`), { code: "ECONNRESET" }));
        signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true, signal: heard.signal });
    });
    try {
        return exitCodeOf(await Promise.race([reported, closed]));
    } finally {
        heard.abort();
        closed.catch(() => undefined);
        socket.close();
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

/** Kubernetes gives the exit code of a command as the cause of a failure. */
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

/** Of a refused upgrade to a WebSocket the client gives only the HTTP status, in its message. */
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

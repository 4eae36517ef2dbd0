import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";

/** `users[].user.exec` of a kubeconfig. */
export interface ExecConfig {
    readonly apiVersion?: string;
    readonly command: string;
    readonly args?: readonly string[] | null;
    readonly env?: readonly { readonly name: string; readonly value: string }[] | null;
    readonly installHint?: string;
    readonly provideClusterInfo?: boolean;
}

/** What a plugin gives: a token, or a certificate with its key. */
export interface ExecStatus {
    readonly token?: string;
    readonly clientCertificateData?: string;
    readonly clientKeyData?: string;
    readonly expirationTimestamp?: string;
}

/**
 * Runs a credential plugin. It gets no standard input: a plugin that asks a question would never end.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins
 */
export async function runPlugin(exec: ExecConfig, cluster: object | undefined): Promise<ExecStatus> {
    const { stderr, stdout } = await run(exec, cluster);
    const status = statusOf(stdout);
    if (!status.token && !(status.clientCertificateData && status.clientKeyData)) {
        // The output may hold a part of a credential: the message doesn't repeat it.
        throw new Error(`${named(exec)} printed no credential${stderr === "" ? "" : `: ${stderr}`}`);
    }
    return status;
}

async function run(exec: ExecConfig, cluster: object | undefined): Promise<{ stderr: string; stdout: string }> {
    const { args, command, env } = exec;
    const variables = Object.fromEntries((env ?? []).map(({ name, value }) => [name, value]));
    const child = spawn(command, args ?? [], {
        env: { ...process.env, ...variables, KUBERNETES_EXEC_INFO: JSON.stringify(infoFor(exec, cluster)) },
        stdio: ["ignore", "pipe", "pipe"],
    });
    const ended = once(child, "close") as Promise<[number | null, string | null]>;
    const texts = Promise.all([textOf(child.stdout), textOf(child.stderr)]);
    try {
        const [[stdout, complaint], [code, signal]] = await Promise.all([texts, ended]);
        const stderr = complaint.trim();
        if (code !== 0) {
            throw new Error(stderr || (signal === null ? `exit code ${code}` : `it was ended by ${signal}`));
        }
        return { stderr, stdout };
    } catch (error) {
        const { code, message } = error as NodeJS.ErrnoException;
        const hint = code === "ENOENT" && exec.installHint ? `. ${exec.installHint}` : "";
        throw new Error(`${named(exec)} failed: ${code ?? message}${hint}`);
    }
}

async function textOf(stream: Readable): Promise<string> {
    return Buffer.concat(await stream.toArray()).toString();
}

function named({ command }: ExecConfig): string {
    return `the command ${command}, which the kubeconfig names for its credentials,`;
}

/** The kind of object that plugins take from their environment and print. */
const KIND = "ExecCredential";

function infoFor({ apiVersion, provideClusterInfo }: ExecConfig, cluster: object | undefined): object {
    const spec = { interactive: false, ...(provideClusterInfo === true ? { cluster } : {}) };
    return { apiVersion, kind: KIND, spec };
}

function statusOf(stdout: string): ExecStatus {
    try {
        return (JSON.parse(stdout) as { status?: ExecStatus } | null)?.status ?? {};
    } catch {
        return {};
    }
}

import { runChild } from "./child";

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

/** Seconds that a plugin gets, with a login in a browser. kubectl has no limit; but without one, an update never ends. */
const LIMIT = 60;

type Cancellation = () => AbortSignal;

let cancellation: Cancellation | undefined;

/** Ends plugins when the signal aborts. It is asked for when a plugin starts. */
export function endPluginsBy(signal: Cancellation): void {
    cancellation = signal;
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
    const { args, command } = exec;
    const limits = { seconds: LIMIT, cancelled: cancellation?.() ?? new AbortController().signal };
    try {
        const { code, signal, stdout, ...ended } = await runChild(
            command,
            args ?? [],
            environmentOf(exec, cluster),
            limits,
        );
        const stderr = ended.stderr.trim();
        if (code !== 0) {
            throw new Error(stderr || (signal === null ? `exit code ${code}` : `it was ended by ${signal}`));
        }
        return { stderr, stdout };
    } catch (error) {
        throw new Error(`${named(exec)} failed: ${describe(exec, error as NodeJS.ErrnoException)}`);
    }
}

function environmentOf(exec: ExecConfig, cluster: object | undefined): NodeJS.ProcessEnv {
    const variables = Object.fromEntries((exec.env ?? []).map(({ name, value }) => [name, value]));
    return { ...process.env, ...variables, KUBERNETES_EXEC_INFO: JSON.stringify(infoFor(exec, cluster)) };
}

function describe({ installHint }: ExecConfig, { code, message }: NodeJS.ErrnoException): string {
    // The code of a DOMException is a number.
    const what = typeof code === "string" ? code : message;
    return code === "ENOENT" && installHint ? `${what}. ${installHint}` : what;
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

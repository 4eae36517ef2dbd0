import { foreignLines } from "../../contract/foreignText";
import { runChild } from "./child";

/** `users[].user.exec` of a kubeconfig. */
export interface ExecConfig {
    readonly apiVersion?: string;
    readonly command: string;
    readonly args?: readonly string[] | null;
    readonly env?: readonly { readonly name: string; readonly value: string }[] | null;
    readonly installHint?: string;
    readonly interactiveMode?: string;
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
    const { clientCertificateData, clientKeyData, token } = status;
    // The output may hold a part of a credential: no message repeats it.
    if (Boolean(clientCertificateData) !== Boolean(clientKeyData)) {
        throw new Error(`${named(exec)} printed a certificate or a key, but not both`);
    }
    if (!token && !clientCertificateData) {
        throw new Error(`${named(exec)} printed no credential${stderr === "" ? "" : `: ${stderr}`}`);
    }
    if (token && !/^[\x20-\x7e]*$/.test(token)) {
        throw new Error(
            `${named(exec)} printed a token with a line break or another character that no header can have`,
        );
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
        const stderr = shown(ended.stderr);
        if (code !== 0) {
            throw new Error(stderr || (signal === null ? `exit code ${code}` : `it was ended by ${signal}`));
        }
        return { stderr, stdout };
    } catch (error) {
        throw new Error(`${named(exec)} failed: ${describe(exec, error as PluginError)}`);
    }
}

type PluginError = NodeJS.ErrnoException & { readonly stderr?: string };

/** A text for an error. */
function shown(text: string): string {
    return foreignLines(text.replaceAll("\r\n", "\n")).trim();
}

function environmentOf(exec: ExecConfig, cluster: object | undefined): NodeJS.ProcessEnv {
    const variables = Object.fromEntries((exec.env ?? []).map(({ name, value }) => [name, value]));
    return { ...process.env, ...variables, KUBERNETES_EXEC_INFO: JSON.stringify(infoFor(exec, cluster)) };
}

function describe({ installHint }: ExecConfig, { code, message, stderr = "" }: PluginError): string {
    // The code of a DOMException is a number.
    const what = typeof code === "string" ? code : message;
    const printed = shown(stderr);
    const hint = code === "ENOENT" && installHint ? `. ${shown(installHint)}` : "";
    return `${what}${printed === "" ? "" : `. It printed: ${printed}`}${hint}`;
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

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The first part of all tokens. */
export const TOKEN = "token-that-nobody-may-see";

/** Addresses of the Kubernetes clusters. */
export const SERVERS = { main: "https://cluster", second: "https://second" } as const;

/** A kubeconfig with numbered credentials. */
export function kubeconfigOf(server: string, token: number | string): string {
    return JSON.stringify({
        apiVersion: "v1",
        kind: "Config",
        clusters: [{ name: "c", cluster: { server } }],
        users: [{ name: "u", user: { token: `${TOKEN}-${token}` } }],
        contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
        "current-context": "c",
    });
}

/** Number of the credentials in a token. Those of the environment's kubeconfig have none. */
export function numberOf(token: string): number {
    return Number(token.split("-").at(-1));
}

/** The secret kubeconfig of the program. */
export const KUBECONFIG = kubeconfigOf(SERVERS.main, 0);

let file: string | undefined;

/** The path of a kubeconfig whose credentials don't expire. */
function ambientFile(): string {
    if (file === undefined) {
        const folder = mkdtempSync(join(tmpdir(), "flux-minicluster-model-"));
        process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
        file = join(folder, "kubeconfig");
        useContext("main");
    }
    return file;
}

/** `kubectl config use-context` in the environment's kubeconfig. */
export function useContext(current: keyof typeof SERVERS): void {
    const names = Object.keys(SERVERS) as (keyof typeof SERVERS)[];
    const config = {
        ...JSON.parse(kubeconfigOf(SERVERS.main, "ambient")),
        clusters: names.map((name) => ({ name, cluster: { server: SERVERS[name] } })),
        contexts: names.map((name) => ({ name, context: { cluster: name, user: "u" } })),
        "current-context": current,
    };
    writeFileSync(file as string, JSON.stringify(config));
}

/** What the user's environment has. */
export interface Environment {
    /** It has a kubeconfig. */
    readonly ambient: boolean;
    /** The user allows Pulumi to drop what it can't find. */
    readonly forgets: boolean;
}

/** Runs work with an environment. */
export async function withEnvironment<T>({ ambient, forgets }: Environment, work: () => Promise<T>): Promise<T> {
    const given = {
        KUBECONFIG: ambient ? ambientFile() : "/nowhere/kubeconfig",
        PULUMI_K8S_DELETE_UNREACHABLE: String(forgets),
    };
    const before = Object.keys(given).map((name) => [name, process.env[name]] as const);
    Object.assign(process.env, given);
    try {
        return await work();
    } finally {
        before.forEach(([name, value]) => {
            if (value === undefined) {
                delete process.env[name];
            } else {
                process.env[name] = value;
            }
        });
    }
}

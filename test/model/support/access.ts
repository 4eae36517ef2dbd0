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
        writeFileSync(file, kubeconfigOf(SERVERS.main, "ambient"));
    }
    return file;
}

/** Runs work with the environment's kubeconfig, or with none. */
export async function withAmbient<T>(there: boolean, work: () => Promise<T>): Promise<T> {
    const { KUBECONFIG: before } = process.env;
    process.env["KUBECONFIG"] = there ? ambientFile() : "/nowhere/kubeconfig";
    try {
        return await work();
    } finally {
        if (before === undefined) {
            delete process.env["KUBECONFIG"];
        } else {
            process.env["KUBECONFIG"] = before;
        }
    }
}

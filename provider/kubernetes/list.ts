import type { Kube } from "./client";

/** Largest number of objects in one answer of the API server. */
const PAGE = 500;

interface Page<T> {
    readonly items?: readonly T[];
    readonly metadata?: { readonly continue?: string };
}

/** Lists all objects at a path, as the API server sends them. Fails if the signal aborts between two pages. */
export async function listAll<T>(
    kube: Kube,
    path: string,
    query: Readonly<Record<string, string>>,
    signal: AbortSignal,
): Promise<T[]> {
    const objects: T[] = [];
    for await (const page of pagesOf<T>(kube, path, query, signal)) {
        objects.push(...page);
    }
    return objects;
}

/** As listAll, page by page, for objects that needn't all be in memory. */
export async function* pagesOf<T>(
    kube: Kube,
    path: string,
    query: Readonly<Record<string, string>>,
    signal: AbortSignal,
): AsyncGenerator<readonly T[]> {
    for (let next = ""; ; ) {
        const page: Page<T> = await kube.read(path, { ...query, limit: String(PAGE), ...(next && { continue: next }) });
        yield page.items ?? [];
        next = page.metadata?.continue ?? "";
        if (next === "") {
            return;
        }
        signal.throwIfAborted();
    }
}

import type { State } from "./snapshot";
import type { Done } from "./stack";
import { resourceNameOf, type Wish } from "./wish";

/** Why an operation was refused. */
export function refusalsOf({ message }: Error, { before, kind }: Done["operation"]): string[] {
    const isProtected = kind === "destroy" && before.some(({ protect }) => protect === true);
    return [
        ...(/ has been running for /.test(message) ? ["a command runs"] : []),
        ...(/ Flux jobs?( \(\d+\))? runs?: /.test(message) ? ["jobs run on the cluster"] : []),
        ...(isProtected ? ["the cluster is protected"] : []),
    ];
}

/** What is notable about a successful update. */
export function notesOf(wish: Wish, before: readonly State[], runs: boolean): string[] {
    const fields = (["absent", "astray", "protect", "twin"] as const).filter((name) => wish[name] === true);
    const name = resourceNameOf(wish);
    const isRenamed =
        wish.absent !== true && before.some((state) => state.type === "IndexedJob" && !state.name.startsWith(name));
    const renamed = isRenamed ? [`renamed${runs ? ", and its command still runs" : ""}`] : [];
    return [...fields.map((field) => `with ${field}`), ...renamed];
}

interface Operation {
    readonly engine: string | undefined;
    readonly kept: Map<string, unknown>;
}

const OPERATION = Symbol.for("flux-minicluster.operation");
const holder = globalThis as { [OPERATION]?: Operation };

/** Forgets what this process has kept for the operation of another engine. A process with inline programs runs many. */
export function beginOperation(engine: string): void {
    const { engine: known, kept } = holder[OPERATION] ?? { engine: undefined, kept: new Map() };
    // The verbs in the process of the plugin may have looked before its first resource is made.
    holder[OPERATION] = { engine, kept: known === undefined || known === engine ? kept : new Map() };
}

/** A map for the operation of this process, the same one for all copies of the package. */
export function keptInOperation<T>(name: string): Map<string, T> {
    const { kept } = (holder[OPERATION] ??= { engine: undefined, kept: new Map() });
    const map = (kept.get(name) ?? new Map()) as Map<string, T>;
    kept.set(name, map);
    return map;
}

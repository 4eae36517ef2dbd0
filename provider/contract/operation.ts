import { AsyncLocalStorage } from "node:async_hooks";

/**
 * What a process keeps for one operation of Pulumi, in one value that begins and ends with it. The engine passes nothing
 * from verb to verb but inputs and outputs.
 */
export interface Operation {
    readonly kept: Map<unknown, unknown>;
}

interface Operations {
    /** The operation of a process that has one: that of the verbs, and the first one that a program has begun. */
    readonly own: Operation;
    /** Address of the engine of `own`, when it is known. */
    engine?: string;
    /** By the program's connection to the engine, which lives as long as the operation. */
    readonly ofClients: WeakMap<object, Operation>;
    /** By the address of the engine: two copies of Pulumi's SDK have two connections. */
    readonly ofEngines: Map<string, WeakRef<Operation>>;
    readonly current: AsyncLocalStorage<Operation>;
}

/** Names them among the values of the process. */
export const OPERATIONS = Symbol.for("flux-minicluster.operations");
const holder = globalThis as { [OPERATIONS]?: Operations };

/** Those of this process, the same ones for all copies of the package. */
function operations(): Operations {
    return (holder[OPERATIONS] ??= {
        own: newOperation(),
        ofClients: new WeakMap(),
        ofEngines: new Map(),
        current: new AsyncLocalStorage(),
    });
}

function newOperation(): Operation {
    return { kept: new Map() };
}

/**
 * The operation of a program that has this connection to the engine at this address. A process with inline programs runs
 * many, also at the same time.
 */
export function operationOf(client: object, engine: string): Operation {
    const all = operations();
    all.engine ??= engine;
    const known = all.ofClients.get(client) ?? operationAt(engine) ?? newOperation();
    all.ofClients.set(client, known);
    all.ofEngines.set(engine, new WeakRef(known));
    return known;
}

/** The operation of an engine of which a program of this process has made resources. */
export function operationAt(engine: string): Operation | undefined {
    const { engine: ofOwn, ofEngines, own } = operations();
    return engine === ofOwn ? own : ofEngines.get(engine)?.deref();
}

/** The same function, which keeps what it keeps for this operation. */
export function within<A extends unknown[], T>(operation: Operation, call: (...words: A) => T): (...words: A) => T {
    return (...words) => operations().current.run(operation, call, ...words);
}

/** A map for an operation, the same one for all copies of the package. */
export function keptInOperation<T>(name: string, operation = currentOperation()): Map<string, T> {
    return keep(operation, name, () => new Map<string, T>());
}

/** What this copy of the package keeps for each operation. It is made at its first use there. */
export function keptByCopy<T>(make: () => T): () => T {
    return () => keep(currentOperation(), make, make);
}

function currentOperation(): Operation {
    const { current, own } = operations();
    return current.getStore() ?? own;
}

function keep<T>({ kept }: Operation, key: unknown, make: () => T): T {
    if (!kept.has(key)) {
        kept.set(key, make());
    }
    return kept.get(key) as T;
}

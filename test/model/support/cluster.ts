import { type Clock, processes } from "./clock";

export type Kind = "configmaps" | "events" | "jobs" | "pods" | "secrets" | "services";

/** A Kubernetes object. It is frozen, so that callers can get it without a copy. */
export interface Item {
    readonly metadata: {
        readonly name: string;
        readonly namespace: string;
        readonly uid: string;
        readonly resourceVersion: string;
        readonly generation: number;
        readonly creationTimestamp: string;
        readonly deletionTimestamp?: string;
        readonly labels?: Readonly<Record<string, string>>;
        readonly annotations?: Readonly<Record<string, string>>;
        readonly ownerReferences?: readonly { readonly uid: string; readonly kind: string; readonly name: string }[];
    };
    readonly [key: string]: any;
}

export interface Change {
    readonly type: "ADDED" | "DELETED" | "MODIFIED";
    readonly kind: Kind;
    readonly item: Item;
    readonly before?: Item;
}

type Listener = (change: Change) => void;

/** The objects of a Kubernetes cluster, with versions and a history for watches. */
export class Cluster {
    revision = 100;
    /** Open watches. `end` closes a watch; with a code, because the API server no longer has its version. */
    readonly openWatches = new Set<{ end(code: number | undefined): void }>();
    /** The history has no changes before this revision. */
    private forgotten = 0;
    private readonly items = new Map<string, Item>();
    private history: Change[] = [];
    private readonly listeners = new Set<Listener>();
    /** The UID of its namespace kube-system. */
    readonly uid: string;

    constructor(
        readonly namespaces: ReadonlySet<string>,
        readonly clock: Clock,
        /** Returns UIDs that are unique in all clusters. */
        private readonly nextUid: () => string,
    ) {
        this.uid = nextUid();
    }

    get(kind: Kind, namespace: string, name: string): Item | undefined {
        return this.items.get(`${kind}/${namespace}/${name}`);
    }

    list(kind: Kind, namespace: string, select: (item: Item) => boolean = () => true): Item[] {
        const prefix = `${kind}/${namespace}/`;
        return [...this.items].filter(([key, item]) => key.startsWith(prefix) && select(item)).map(([, item]) => item);
    }

    create(kind: Kind, body: any): Item {
        const metadata = {
            ...body.metadata,
            uid: this.nextUid(),
            generation: 1,
            creationTimestamp: new Date(this.clock.now).toISOString(),
        };
        return this.put("ADDED", kind, { ...body, metadata });
    }

    /** Replaces an object. A changed spec raises the generation. */
    update(kind: Kind, before: Item, after: any): Item {
        const changed = before.spec !== after.spec && JSON.stringify(before.spec) !== JSON.stringify(after.spec);
        const generation = before.metadata.generation + (changed ? 1 : 0);
        return this.put("MODIFIED", kind, { ...after, metadata: { ...after.metadata, generation } }, before);
    }

    setStatus(kind: Kind, item: Item, status: object): void {
        const { name, namespace, uid } = item.metadata;
        const live = this.get(kind, namespace, name);
        if (live?.metadata.uid === uid) {
            this.update(kind, live, { ...live, status: { ...live.status, ...status } });
        }
    }

    /** Removes an object, if the live object has the same UID. */
    remove(kind: Kind, item: Item): void {
        const { name, namespace, uid } = item.metadata;
        const live = this.get(kind, namespace, name);
        if (live?.metadata.uid !== uid) {
            return;
        }
        this.items.delete(`${kind}/${namespace}/${name}`);
        this.revision++;
        const last = freeze({ ...live, metadata: { ...live.metadata, resourceVersion: String(this.revision) } });
        this.emit({ type: "DELETED", kind, item: last, before: live });
    }

    /** Calls the listener for all changes after a revision. Undefined if the history no longer has them. */
    watch(since: number, listener: Listener): (() => void) | undefined {
        if (since < this.forgotten) {
            return undefined;
        }
        this.history.filter(({ item }) => Number(item.metadata.resourceVersion) > since).forEach(listener);
        return this.listen(listener);
    }

    listen(listener: Listener): () => void {
        this.listeners.add(listener);
        return () => this.listeners.delete(listener);
    }

    /** Compacts the history, as etcd does. */
    forget(): void {
        this.forgotten = ++this.revision;
        this.history = [];
    }

    private put(type: Change["type"], kind: Kind, body: any, before?: Item): Item {
        this.revision++;
        const item = freeze({ ...body, metadata: { ...body.metadata, resourceVersion: String(this.revision) } });
        this.items.set(`${kind}/${item.metadata.namespace}/${item.metadata.name}`, item);
        this.emit({ type, kind, item, before });
        return item;
    }

    private emit(change: Change): void {
        this.history.push(change);
        for (const listener of [...this.listeners]) {
            listener(change);
        }
    }
}

function freeze<T>(value: T): T {
    if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
        Object.freeze(value);
        Object.values(value).forEach(freeze);
    }
    return value;
}

/** Merges a patch as RFC 7396 says. */
export function merge(base: any, patch: any): any {
    if (typeof patch !== "object" || patch === null || Array.isArray(patch)) {
        return patch;
    }
    const entries = Object.entries(patch).filter(([, value]) => value !== null);
    const kept = Object.entries(base ?? {}).filter(([key]) => !(key in patch));
    return Object.fromEntries([...kept, ...entries.map(([key, value]) => [key, merge(base?.[key], value)])]);
}

/** Runs an action of the cluster's controllers, which belongs to no process of the user. */
export function byController(clock: Clock, milliseconds: number, act: () => void): void {
    processes.run(undefined, () => clock.set(act, milliseconds));
}

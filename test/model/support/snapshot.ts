import { normalize } from "./aliases";

/** A resource in a stack's state, with the needed fields of pulumi/pulumi's resource.State. */
export interface State {
    /** The URN without stack and project. */
    readonly key: string;
    readonly name: string;
    readonly type: string;
    readonly component?: boolean;
    readonly id: string;
    readonly inputs: Readonly<Record<string, any>>;
    readonly outputs: Readonly<Record<string, any>>;
    /** Keys of resources. */
    readonly dependencies: readonly string[];
    /** Keys of the resources on which an input depends, by input. */
    readonly propertyDependencies: Readonly<Record<string, readonly string[]>>;
    readonly secretNames: readonly string[];
    readonly parent?: string;
    /** An explicit provider. */
    readonly provider?: { readonly key: string; readonly id: string };
    readonly protect?: boolean;
    readonly retainOnDelete?: boolean;
    readonly deletedWith?: string;
    readonly replaceWith?: readonly string[];
    readonly ignoreChanges?: readonly string[];
    readonly replaceOnChanges?: readonly string[];
    /** The key of the former resource, until the state is saved. */
    readonly alias?: string;
    /** The resource waits for its deletion, because its replacement exists. */
    readonly delete?: boolean;
    /** The resource is deleted, and its replacement does not exist yet. */
    readonly pendingReplacement?: boolean;
    readonly taint?: boolean;
    readonly initErrors?: readonly string[];
}

/** The states that a running operation changes in place. */
export type Mutable<T> = { -readonly [Name in keyof T]: T[Name] };

export interface Operation {
    readonly key: string;
    readonly name: string;
    readonly type: "creating" | "deleting" | "updating";
}

/** The state of a stack in the backend, after backend/snapshot.go. */
export class Snapshot {
    /** As it was saved last. */
    states: readonly State[] = [];
    operations: readonly Operation[] = [];
    private base: Mutable<State>[] = [];
    private news: Mutable<State>[] = [];
    private readonly done = new Set<State>();
    private pending: Operation[] = [];
    /** States whose step has ended in this operation. Later steps of them are never pending. */
    private readonly ended = new Set<State>();
    private creating: readonly Operation[] = [];
    private closed = true;

    /** The resource of this name or key that does not wait for its deletion. */
    find(name: string): State | undefined {
        return this.states.find((state) => (state.name === name || state.key === name) && !state.delete);
    }

    /** Replaces a state between two operations. */
    put(state: State, instead: State): void {
        this.states = this.states.map((of) => (of === instead ? state : of));
    }

    /** Begins an operation. Returns the states, which the operation may change. */
    open(): Mutable<State>[] {
        this.base = this.states.map((state) => ({ ...state }));
        this.news = [];
        this.done.clear();
        this.pending = [];
        this.ended.clear();
        // An interrupted creation stays until the user clears it.
        this.creating = this.operations.filter(({ type }) => type === "creating");
        this.closed = false;
        return this.base;
    }

    /** A refresh has changed the states at the beginning of the operation. */
    rebase(states: Mutable<State>[]): void {
        this.base = states;
    }

    begin(operation: Operation, of: State): void {
        if (!this.ended.has(of)) {
            this.pending.push(operation);
        }
        this.save();
    }

    end(operation: Operation | undefined, of: State): void {
        this.pending = this.pending.filter((other) => other !== operation);
        this.ended.add(of);
    }

    /** The state has no further place in the snapshot. */
    drop(state: State): void {
        this.done.add(state);
    }

    add(state: State): void {
        this.news.push(state);
    }

    save(): void {
        if (!this.closed) {
            const all = [...this.news, ...this.base].filter((state) => !this.done.has(state));
            this.states = normalize(all);
            // The engine shares these lists with the saved states.
            all.forEach((state, index) => (state.replaceWith = this.states[index].replaceWith));
            this.operations = [...this.pending, ...this.creating];
        }
    }

    /** Ends an operation. After a kill nothing more is saved. */
    close(killed: boolean): void {
        if (!killed) {
            this.save();
        }
        this.closed = true;
    }

    /** The CLI was killed. */
    freeze(): void {
        this.closed = true;
    }
}

/** The UID in the id of an IndexedJob, which is the last part. */
export function uidOf(state: State | undefined): string {
    return state?.id.split("/")[2] ?? "";
}

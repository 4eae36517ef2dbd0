/** A resource in a stack's state, with the needed fields of pulumi/pulumi's resource.State. */
export interface State {
    readonly name: string;
    readonly type: string;
    readonly id: string;
    readonly inputs: Readonly<Record<string, any>>;
    readonly outputs: Readonly<Record<string, any>>;
    readonly dependencies: readonly string[];
    /** Names of the resources on which an input depends, by input. */
    readonly propertyDependencies: Readonly<Record<string, readonly string[]>>;
    readonly secretNames: readonly string[];
    /** The resource waits for its deletion, because its replacement exists. */
    readonly delete?: boolean;
    /** The resource is deleted, and its replacement does not exist yet. */
    readonly pendingReplacement?: boolean;
    readonly taint?: boolean;
    readonly initErrors?: readonly string[];
}

export interface Operation {
    readonly name: string;
    readonly type: "creating" | "deleting" | "updating";
}

/** The state of a stack in the backend. Each change is kept when the CLI is killed. */
export class Snapshot {
    states: readonly State[] = [];
    operations: readonly Operation[] = [];

    /** The resource of this name that does not wait for its deletion. */
    find(name: string): State | undefined {
        return this.states.find((state) => state.name === name && !state.delete);
    }

    begin(operation: Operation): void {
        this.operations = [...this.operations, operation];
    }

    end({ name, type }: Operation): void {
        // backend/snapshot.go: interrupted creations stay until a refresh clears them.
        this.operations = this.operations.filter((of) => of.name !== name || of.type !== type);
    }

    /** Replaces a state, or adds it at the end. */
    put(state: State, instead?: State): void {
        this.states =
            instead !== undefined && this.states.includes(instead)
                ? this.states.map((of) => (of === instead ? state : of))
                : [...this.states, state];
    }

    remove(state: State): void {
        this.states = this.states.filter((of) => of !== state);
    }

    /** The resources in the order of deletion: dependents first. */
    reversed(): State[] {
        const sorted: State[] = [];
        const visit = (state: State): void => {
            if (!sorted.includes(state)) {
                this.states.filter((other) => dependsOn(other, state.name)).forEach(visit);
                sorted.push(state);
            }
        };
        this.states.forEach(visit);
        return sorted;
    }

    /** All direct and indirect dependents of a resource, in the order of the state. */
    dependents(name: string): State[] {
        const found = new Set([name]);
        return this.states.filter((state) => {
            const depends = [...found].some((of) => dependsOn(state, of));
            if (depends) {
                found.add(state.name);
            }
            return depends && !state.delete;
        });
    }
}

function dependsOn({ dependencies, propertyDependencies }: State, name: string): boolean {
    return dependencies.includes(name) || Object.values(propertyDependencies).some((of) => of.includes(name));
}

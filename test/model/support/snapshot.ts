/** A resource in a stack's state; what of pulumi/pulumi's resource.State matters here. */
export interface State {
    readonly name: string;
    readonly type: string;
    readonly id: string;
    readonly inputs: Readonly<Record<string, any>>;
    readonly outputs: Readonly<Record<string, any>>;
    readonly dependencies: readonly string[];
    /** Names of the resources that an input comes from, by input. */
    readonly propertyDependencies: Readonly<Record<string, readonly string[]>>;
    readonly secretNames: readonly string[];
    /** Waits for its deletion: its replacement is there. */
    readonly delete?: boolean;
    /** Is deleted: its replacement is to come. */
    readonly pendingReplacement?: boolean;
    readonly taint?: boolean;
    readonly initErrors?: readonly string[];
}

export interface Operation {
    readonly name: string;
    readonly type: "creating" | "deleting" | "updating";
}

/** What the backend holds of a stack: each change of it outlives the CLI. */
export class Snapshot {
    states: readonly State[] = [];
    operations: readonly Operation[] = [];

    /** The resource of this name that is not on its way out. */
    find(name: string): State | undefined {
        return this.states.find((state) => state.name === name && !state.delete);
    }

    begin(operation: Operation): void {
        this.operations = [...this.operations, operation];
    }

    end({ name, type }: Operation): void {
        // backend/snapshot.go: creations that were interrupted stay until a refresh clears them.
        this.operations = this.operations.filter((of) => of.name !== name || of.type !== type);
    }

    /** Puts a state in the place of another, or at the end. */
    put(state: State, instead?: State): void {
        this.states =
            instead !== undefined && this.states.includes(instead)
                ? this.states.map((of) => (of === instead ? state : of))
                : [...this.states, state];
    }

    remove(state: State): void {
        this.states = this.states.filter((of) => of !== state);
    }

    /** In the order in which they may be deleted: first what depends on others. */
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

    /** All that depends on a resource, near or far, in the order of the state. */
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

import { CliGone, Interrupted } from "./calls";
import { Deletes } from "./deletes";
import { edgesOf } from "./graph";
import { isProviderType } from "./keys";
import type { Mutable, State } from "./snapshot";
import { has, Targets } from "./targets";

/** The refresh of the state before anything else (deploymentExecutor.refresh). */
export class Refreshes extends Deletes {
    /** Reads all resources. A failure ends nothing before the last one is read. */
    // oxlint-disable-next-line complexity -- the cases of the engine's function
    protected async refreshAll(): Promise<void> {
        const { exclude = [], target = [] } = this.options;
        if (this.previous.length === 0) {
            return;
        }
        this.requireKnown([...target, ...exclude]);
        const fresh = new Map<State, Mutable<State> | undefined>();
        let failure: Error | undefined;
        const states = new Targets(this.options).refreshed(this.previous);
        // Of resources that --target-dependents adds, the engine doesn't load the provider.
        const isNamed = (state: State) => this.options.target === undefined || has(this.options.target, state);
        states.filter(isNamed).forEach((state) => this.ensureProvider(state));
        for (const state of states) {
            if (this.interrupted) {
                break;
            }
            try {
                await this.read(state, (read) => fresh.set(state, read));
            } catch (error) {
                if (error instanceof CliGone) {
                    throw error;
                }
                failure ??= error as Error;
            }
        }
        this.rebuild(fresh);
        if (failure !== undefined || this.interrupted) {
            throw failure ?? new Interrupted(true);
        }
    }

    protected requireKnown(names: readonly string[] | undefined): void {
        if ((names ?? []).some((of) => !this.isInState(of))) {
            throw new Error("a named resource does not exist");
        }
    }

    protected isInState(name: string): boolean {
        return this.previous.some((state) => this.isNamed([name], state));
    }

    /** RefreshStep. Keeps undefined if the object is gone. */
    private async read(state: Mutable<State>, keep: (read: Mutable<State> | undefined) => void): Promise<void> {
        this.ops.set(state.name, "same");
        if (
            state.component === true ||
            isProviderType(state.type) ||
            (state.pendingReplacement === true && this.rules.refreshSkipsPending)
        ) {
            return;
        }
        if (!this.isLoaded(state)) {
            throw new Error(`the provider of ${state.key} isn't known`);
        }
        const { failed, ...answer } = await this.readObject(state);
        if (answer.id === undefined || answer.id === "") {
            this.ops.set(state.name, "delete");
            keep(undefined);
            return;
        }
        const inputs =
            answer.inputs === undefined ? state.inputs : withProviderText(answer.inputs, state.inputs["__provider"]);
        const fresh = { ...state, id: answer.id, initErrors: failed, inputs, outputs: answer.props ?? {} };
        keep(fresh);
        // The engine asks what an update would change, to show it.
        await this.diffOf(state, fresh, state.inputs);
    }

    private async readObject(
        state: State,
    ): Promise<{ id?: string; props?: object; inputs?: object; failed?: readonly string[] }> {
        try {
            return await this.callFor(state, "read", state.inputs, (verbs) => verbs.read(state.id, state.outputs));
        } catch (error) {
            const { id, inputs, properties, reasons } = error as any;
            if (id === undefined) {
                throw error;
            }
            return { id, props: properties, inputs, failed: reasons };
        }
    }

    /** rebuildBaseState: references to resources that are gone are removed. */
    private rebuild(fresh: ReadonlyMap<State, Mutable<State> | undefined>): void {
        const states: Mutable<State>[] = [];
        const left = new Set<string>();
        for (const of of this.previous) {
            const state = fresh.has(of) ? fresh.get(of) : of;
            if (state === undefined) {
                continue;
            }
            const isLeft = (key: string) => left.has(key);
            if (edgesOf(state).some(({ key, kind }) => kind !== "parent" && !isLeft(key))) {
                const properties = Object.entries(state.propertyDependencies)
                    .map(([name, keys]) => [name, keys.filter(isLeft)] as const)
                    .filter(([, keys]) => keys.length > 0);
                state.propertyDependencies = Object.fromEntries(properties);
                state.dependencies = state.dependencies.filter(isLeft);
                state.replaceWith = state.replaceWith?.filter(isLeft);
                state.deletedWith = isLeft(state.deletedWith ?? "") ? state.deletedWith : undefined;
            }
            states.push(state);
            left.add(state.key);
        }
        adoptOrphans(states, left);
        this.index(states);
        this.snapshot.rebase(states);
    }
}

/** undangleParentResources: the children of a resource that is gone get its parent. */
function adoptOrphans(states: readonly Mutable<State>[], left: ReadonlySet<string>): void {
    const parents = new Map<string, string | undefined>();
    for (const state of states) {
        if (state.parent !== undefined && !left.has(state.parent)) {
            state.parent = parents.get(state.parent);
        }
        parents.set(state.key, state.parent);
    }
}

function withProviderText(inputs: object, text: unknown): Record<string, any> {
    return text === undefined ? { ...inputs } : { ...inputs, __provider: text };
}

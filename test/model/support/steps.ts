import { CliGone, type Provider } from "./calls";
import { isProviderType } from "./keys";
import { DeleteProtected, OperationState, type Step } from "./operationState";
import { mustSave, withProviderText } from "./saving";
import type { Mutable, Operation, State } from "./snapshot";

export { CliGone, Interrupted, type Provider } from "./calls";
export type { Op, UpOptions } from "./operationState";
export { UNKNOWN } from "./unknown";

type Values = Readonly<Record<string, any>>;

/** The steps of a deployment (step.go), and the moments of saving their results (backend/snapshot.go). */
export class Steps extends OperationState {
    private providers = 0;

    /** SameStep. Without a registration, the state is only carried on. */
    protected sameStep(
        old: Mutable<State>,
        fresh: Mutable<State>,
        { registers = false, untargeted = false } = {},
    ): Step {
        return {
            state: fresh,
            registers,
            run: async () => {
                fresh.id = old.id;
                fresh.outputs = old.outputs;
                this.ops.set(fresh.name, "same");
                if (isProviderType(fresh.type) && !untargeted) {
                    this.load(fresh);
                }
                this.news.set(fresh.key, fresh);
                this.snapshot.end(undefined, fresh);
                this.snapshot.drop(old);
                this.snapshot.add(fresh);
                if (mustSave(old, fresh)) {
                    this.save();
                }
            },
        };
    }

    /** A resource that is not created, because it is not a target or the operation is a destroy. */
    protected skippedCreateStep(fresh: Mutable<State>): Step {
        return { state: fresh, registers: true, run: async () => void this.news.set(fresh.key, fresh) };
    }

    /** CreateStep, also of a replacement. With `deletesLater` the old resource is deleted at last. */
    protected createStep(fresh: Mutable<State>, old?: Mutable<State>, deletesLater = false): Step {
        return {
            state: fresh,
            registers: true,
            run: async () => {
                this.ops.set(fresh.name, old === undefined ? "create" : "replace");
                const failure = await this.attempt(fresh, "creating", async () => {
                    const { id, outs } = await this.createObject(fresh);
                    fresh.id = id;
                    fresh.outputs = withProviderText(outs, fresh);
                });
                if (failure !== undefined && !this.keep(failure, fresh)) {
                    throw failure;
                }
                if (old !== undefined && deletesLater) {
                    old.delete = true;
                }
                if (isProviderType(fresh.type)) {
                    this.load(fresh);
                }
                this.news.set(fresh.key, fresh);
                this.snapshot.add(fresh);
                if (old?.pendingReplacement === true) {
                    this.snapshot.drop(old);
                }
                this.save();
                if (failure !== undefined) {
                    throw failure;
                }
            },
        };
    }

    private async createObject(fresh: State): Promise<{ id: string; outs: object }> {
        if (this.options.preview === true) {
            return { id: "", outs: fresh.inputs };
        }
        if (fresh.component === true) {
            return { id: "", outs: {} };
        }
        if (isProviderType(fresh.type)) {
            this.providers++;
            return { id: `provider-${this.providers}-${Math.random()}`, outs: fresh.inputs };
        }
        return this.callFor(fresh, "create", fresh.inputs, (verbs) => verbs.create(fresh.inputs));
    }

    protected updateStep(old: Mutable<State>, fresh: Mutable<State>): Step {
        return {
            state: fresh,
            registers: true,
            run: async () => {
                this.ops.set(fresh.name, "update");
                fresh.id = old.id;
                const failure = await this.attempt(fresh, "updating", async () => {
                    fresh.outputs = withProviderText(await this.updateObject(old, fresh), fresh);
                });
                if (failure !== undefined) {
                    if (!this.keep(failure, fresh)) {
                        throw failure;
                    }
                    // The object was not updated with these inputs (OnResourceStepPost).
                    fresh.inputs = old.inputs;
                }
                this.news.set(fresh.key, fresh);
                this.snapshot.drop(old);
                this.snapshot.add(fresh);
                this.save();
                if (failure !== undefined) {
                    throw failure;
                }
            },
        };
    }

    private async updateObject(old: State, fresh: State): Promise<object> {
        if (isProviderType(fresh.type)) {
            this.load(fresh);
        }
        if (this.options.preview === true || isProviderType(fresh.type)) {
            return fresh.inputs;
        }
        if (fresh.component === true) {
            return {};
        }
        const { outs } = await this.callFor(fresh, "update", old.inputs, (verbs) =>
            verbs.update(old.id, old.outputs, fresh.inputs),
        );
        return outs;
    }

    /** DeleteStep. With `pending` the state is kept for the replacement. */
    protected deleteStep(state: Mutable<State>, { pending = false, replacing = false } = {}): Step {
        return {
            state,
            run: async () => {
                if (!pending) {
                    this.ops.set(state.name, replacing ? (this.ops.get(state.name) ?? "replace") : "delete");
                }
                if (!replacing && state.protect === true) {
                    throw new DeleteProtected(`${state.key} is protected`);
                }
                const failure = await this.attempt(state, "deleting", () => this.deleteObject(state));
                if (failure !== undefined) {
                    throw failure;
                }
                if (pending) {
                    state.pendingReplacement = true;
                }
                if (state.pendingReplacement !== true) {
                    this.snapshot.drop(state);
                }
                this.save();
            },
        };
    }

    private async deleteObject(state: State): Promise<void> {
        const isKept =
            this.options.preview === true ||
            (state.retainOnDelete === true && this.rules.retains) ||
            (this.rules.deletesWith && state.deletedWith !== undefined && this.deleted.has(state.deletedWith)) ||
            state.component === true ||
            isProviderType(state.type);
        if (!isKept) {
            if (!this.isLoaded(state)) {
                throw new Error(`the provider of ${state.key} isn't known`);
            }
            await this.callFor(state, "delete", state.inputs, (verbs) => verbs.delete(state.id, state.outputs));
        }
    }

    /** RemovePendingReplaceStep: the resource is already deleted. */
    protected removePendingStep(state: Mutable<State>): Step {
        return {
            state,
            run: async () => {
                this.ops.set(state.name, "delete");
                this.snapshot.drop(state);
                this.save();
            },
        };
    }

    protected callFor<T>(
        { ignoreChanges = [], key, type }: Pick<State, "ignoreChanges" | "key" | "type">,
        verb: string,
        oldInputs: Values,
        act: (verbs: Provider) => Promise<T>,
    ): Promise<T> {
        return this.call(type, verb, { key, oldInputs, ignoreChanges }, act);
    }

    /** Runs a step, which is pending meanwhile. Returns its failure. */
    private async attempt(state: State, type: Operation["type"], act: () => Promise<void>): Promise<Error | undefined> {
        const operation = { key: state.key, name: state.name, type };
        if (this.options.preview !== true) {
            this.snapshot.begin(operation, state);
        }
        try {
            await act();
            return undefined;
        } catch (error) {
            if (error instanceof CliGone) {
                throw error;
            }
            return error as Error;
        } finally {
            if (!this.gone) {
                this.snapshot.end(operation, state);
            }
        }
    }

    /** A failure with an id: the resource exists, but is not ready. Returns false for other failures. */
    private keep(failure: Error, fresh: Mutable<State>): boolean {
        const { id, properties, reasons } = failure as { id?: string; properties?: object; reasons?: string[] };
        if (id === undefined) {
            return false;
        }
        fresh.id = id;
        fresh.outputs = withProviderText(JSON.parse(JSON.stringify(properties ?? {})) as Values, fresh);
        fresh.initErrors = reasons ?? [];
        return true;
    }
}

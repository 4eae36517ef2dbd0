import type { Diff } from "./calls";
import { Dependents, providerDiff } from "./dependents";
import type { Registration } from "./program";
import type { Mutable, State } from "./snapshot";

export type Values = Readonly<Record<string, any>>;

/** The goal of a registration, with the old state. */
export interface Goal {
    readonly wanted: Registration;
    /** The arguments of the program. */
    readonly news: Values;
    readonly fresh: Mutable<State>;
    readonly old: Mutable<State> | undefined;
    /** Why the registration is refused, which the engine does only after the check. */
    readonly invalid?: string;
}

/** How the engine decides whether a resource changes (diff, providerChanged). */
export class Diffs extends Dependents {
    protected isReplacedByName({ fresh, old }: Goal): boolean {
        return this.isNamed(this.options.replace, fresh) || old?.taint === true;
    }

    protected async diff(goal: Goal, old: Mutable<State>): Promise<Diff> {
        const { fresh, wanted } = goal;
        const replaced = (by: string): Diff => ({ changes: true, replaces: [by] });
        if (this.isReplacedByName(goal)) {
            return replaced("id");
        }
        if (fresh.replaceWith?.some((key) => this.replaced.has(key)) === true) {
            return replaced("replaceWith");
        }
        if (this.rules.newer && fresh.deletedWith !== undefined && this.replaced.has(fresh.deletedWith)) {
            return replaced("deletedWith");
        }
        if (this.hasOtherProvider(old, fresh)) {
            return replaced("provider");
        }
        if (fresh.component === true) {
            return { changes: JSON.stringify(old.inputs) !== JSON.stringify(fresh.inputs) };
        }
        return this.diffOf({ ...fresh, ignoreChanges: wanted.ignoreChanges }, old, fresh.inputs);
    }

    /** providerChanged: another provider replaces the resource if its configuration asks for it. */
    // oxlint-disable-next-line complexity -- the cases of the engine's function
    private hasOtherProvider(old: State, fresh: State): boolean {
        if (old.component !== fresh.component) {
            return true;
        }
        if (old.provider?.key === fresh.provider?.key && old.provider?.id === fresh.provider?.id) {
            return false;
        }
        const [from, to] = [old.provider?.key, fresh.provider?.key];
        if (from !== undefined && to !== undefined && this.aliased.get(from) === to) {
            return false;
        }
        const inputsOf = (states: ReadonlyMap<string, State>, key?: string) => states.get(key ?? "")?.inputs ?? {};
        return (providerDiff(inputsOf(this.olds, from), inputsOf(this.news, to)).replaces ?? []).length > 0;
    }
}

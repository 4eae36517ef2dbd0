import { formerKeys } from "./aliases";
import type { Diff } from "./calls";
import { ignoreChanges, replaceOnChanges } from "./dependents";
import { Diffs, type Goal, type Values } from "./diffs";
import { edgesOf } from "./graph";
import { isProviderType, keyOf } from "./keys";
import type { Step } from "./operationState";
import type { Registration } from "./program";
import { References } from "./references";
import type { Mutable, State } from "./snapshot";
import { Targets } from "./targets";

/** The former key of a resource, and why its aliases are refused. */
interface Found {
    readonly alias?: string;
    readonly invalid?: string;
}

/** How the step generator plans the steps of a registration (generateSteps to continueStepsFromDiff). */
export class Registering extends Diffs {
    protected targets = new Targets({});
    protected readonly program = new References();

    /** The steps of a registered resource. */
    protected async plan(wanted: Registration): Promise<Step[]> {
        const news = this.program.resolve(wanted.inputs, this.options.preview === true) as Values;
        const parent = this.program.keyOf(wanted.parent);
        const key = keyOf(wanted.type, wanted.name, parent);
        if (this.registered.has(key)) {
            throw new Error(`${key} is registered twice`);
        }
        this.registered.add(key);
        const { alias, invalid } = this.findOld(wanted, key, parent);
        const old = this.olds.get(alias ?? key);
        const fresh: Mutable<State> = { ...this.program.stateOf(wanted, key, news), alias };
        const goal: Goal = { wanted, news, fresh, old, invalid };
        if (this.options.runProgram === true) {
            const steps = this.planOfDestroy(goal);
            if (steps !== undefined) {
                return steps;
            }
            this.toDelete.push(fresh);
        }
        return this.validate(await this.planFromCheck(goal));
    }

    /** getOldResource: the former key, if the resource is found by an alias. */
    private findOld(wanted: Registration, key: string, parent: string | undefined): Found {
        const taken = this.aliased.has(key) ? `${key} was already taken by an alias` : undefined;
        if (this.olds.has(key)) {
            return { invalid: taken };
        }
        const ancestry = {
            former: this.former,
            inherits: this.rules.inheritsAliases,
            keyOfName: (name: string) => this.program.keyOf(name),
        };
        const alias = formerKeys(wanted, parent, ancestry).find((of) => this.olds.has(of));
        if (alias === undefined) {
            return { invalid: taken };
        }
        const isShared = this.registered.has(alias) || this.aliased.has(alias);
        this.aliased.set(alias, key);
        this.former.set(key, alias);
        return { alias, invalid: taken ?? (isShared ? `${alias} belongs to two resources` : undefined) };
    }

    /** `destroy --run-program` creates and changes nothing that has a provider. */
    private planOfDestroy({ fresh, old }: Goal): Step[] | undefined {
        if (this.needsSkipped(fresh)) {
            this.skippedCreates.add(fresh.key);
            return [this.skippedCreateStep(fresh)];
        }
        if (fresh.component === true || isProviderType(fresh.type)) {
            return undefined;
        }
        if (old === undefined) {
            this.skippedCreates.add(fresh.key);
            return [this.skippedCreateStep(fresh)];
        }
        this.unchanged.add(fresh.key);
        this.toDelete.push(fresh);
        fresh.inputs = old.inputs;
        return [this.sameStep(old, fresh, { registers: true })];
    }

    private needsSkipped(fresh: State): boolean {
        return [...edgesOf(fresh).map(({ key }) => key), fresh.provider?.key ?? ""].some((key) =>
            this.skippedCreates.has(key),
        );
    }

    /** continueStepsFromImport. */
    // oxlint-disable-next-line complexity -- the cases of the engine's function
    private async planFromCheck(goal: Goal): Promise<Step[]> {
        const { fresh, old, wanted } = goal;
        const recreating = this.deleted.has(fresh.key);
        const isIncluded = isProviderType(fresh.type) || this.targets.includes(fresh);
        const withoutOlds = recreating || old === undefined || this.isReplacedByName(goal);
        if (fresh.component === true) {
            fresh.inputs = old === undefined ? goal.news : ignoreChanges(goal.news, old.inputs, wanted.ignoreChanges);
        } else if (!isIncluded && this.rules.skipsUntargeted) {
            fresh.inputs = old?.inputs ?? {};
        } else {
            const news =
                old === undefined || withoutOlds
                    ? goal.news
                    : ignoreChanges(goal.news, old.inputs, wanted.ignoreChanges);
            fresh.inputs = await this.check(fresh, withoutOlds ? {} : old.inputs, news);
        }
        if (goal.invalid !== undefined) {
            throw new Error(goal.invalid);
        }
        if (recreating) {
            this.deleted.delete(fresh.key);
            this.replaced.add(fresh.key);
            return [this.createStep(fresh, old)];
        }
        this.targets.note(fresh, isIncluded);
        if (old !== undefined) {
            return isIncluded ? this.planFromDiff(goal, old) : this.passBy(fresh.key, old);
        }
        if (!isIncluded) {
            this.unchanged.add(fresh.key);
            this.skippedCreates.add(fresh.key);
            return [this.skippedCreateStep(fresh)];
        }
        this.created.add(fresh.key);
        return [this.createStep(fresh)];
    }

    /** An untargeted resource keeps its old state, after the states that it needs and that no step has handled. */
    private passBy(key: string, old: Mutable<State>): Step[] {
        if (!this.isLoaded(old)) {
            throw new Error(`the provider of untargeted ${key} is not registered`);
        }
        const steps: Step[] = [];
        // oxlint-disable-next-line complexity -- the cases of the engine's function
        const visit = (state: Mutable<State>, registers: boolean): void => {
            if (state.delete === true) {
                return;
            }
            this.registered.add(state.key);
            this.unchanged.add(key).add(state.key);
            const provider = state.provider && this.olds.get(state.provider.key);
            if (
                this.rules.passesProviders &&
                provider !== undefined &&
                provider.id === state.provider?.id &&
                !this.hasGeneratedStep(provider.key) &&
                !this.isOperatedOn(provider.key)
            ) {
                visit(provider, false);
            }
            for (const of of this.chance.needed(edgesOf(state).map((edge) => edge.key))) {
                if (this.hasGeneratedStep(of)) {
                    continue;
                }
                const needed = this.olds.get(of);
                if (needed === undefined) {
                    throw new Error(`${of}, which untargeted ${key} needs, isn't in the state`);
                }
                visit(needed, false);
            }
            steps.push(this.sameStep(state, { ...state }, { registers, untargeted: true }));
        };
        visit(old, true);
        return steps;
    }

    /** continueStepsFromDiff. */
    private async planFromDiff(goal: Goal, old: Mutable<State>): Promise<Step[]> {
        const { fresh, wanted } = goal;
        const hasInitErrors = (old.initErrors ?? []).length > 0;
        const diff = replaceOnChanges(await this.diff(goal, old), wanted.replaceOnChanges, hasInitErrors);
        if ((diff.changes === true && (diff.replaces ?? []).length > 0) || old.pendingReplacement === true) {
            return this.planOfReplacement(goal, old, diff);
        }
        if (diff.changes === true || hasInitErrors) {
            this.updated.add(fresh.key);
            return [this.updateStep(old, fresh)];
        }
        this.unchanged.add(fresh.key);
        return [this.sameStep(old, fresh, { registers: true })];
    }

    // oxlint-disable-next-line complexity -- the cases of the engine's function
    private async planOfReplacement(goal: Goal, old: Mutable<State>, diff: Diff): Promise<Step[]> {
        const { fresh, news, wanted } = goal;
        if (fresh.protect === true && old.protect === true) {
            this.failed = true;
            if (this.options.preview !== true) {
                throw new Error(`${fresh.key} is protected and can't be replaced`);
            }
        }
        this.replaced.add(fresh.key);
        if (fresh.component !== true && !this.isReplacedByName(goal) && this.rules.checksTwice) {
            fresh.inputs = await this.check(fresh, {}, news);
        }
        if (wanted.deleteBeforeReplace ?? diff.deleteBeforeReplace ?? false) {
            const steps = await this.deletionsBefore(old, fresh.key);
            this.ensureProvider(old);
            if (old.pendingReplacement !== true) {
                if (this.rules.newer) {
                    this.deleted.add(old.key);
                }
                steps.push(this.deleteStep(old, { pending: true, replacing: true }));
            }
            return [...steps, this.createStep(fresh, old)];
        }
        const isGone = this.rules.neverDeletesTwice && old.pendingReplacement === true;
        return [this.createStep(fresh, old, !isGone)];
    }

    /** validateSteps: a target can't depend on a resource that is not created because it is no target. */
    private validate(steps: Step[]): Step[] {
        if (!this.targets.isConstrained && this.options.replace === undefined) {
            return steps;
        }
        for (const { registers, state } of steps) {
            if (registers === true && !this.skippedCreates.has(state.key) && this.needsSkipped(state)) {
                this.failed = true;
                if (this.options.preview !== true) {
                    throw new Error(`${state.key} depends on a resource that is not a target and doesn't exist`);
                }
            }
        }
        return steps;
    }

    private async check(fresh: State, olds: Values, news: Values): Promise<Values> {
        if (isProviderType(fresh.type)) {
            return news;
        }
        const { failures = [], inputs } = await this.callFor(fresh, "check", olds, (verbs) => verbs.check(olds, news));
        if (failures.length > 0) {
            // issueCheckFailures shows the value of a named property, even of a secret one.
            const texts = failures.map(({ property, reason }) =>
                property === ""
                    ? reason
                    : `property ${property} value {${JSON.stringify((inputs as any)[property])}} has a problem: ${reason}`,
            );
            throw new Error(`${fresh.name}: ${texts.join("; ")}`);
        }
        return inputs as Values;
    }
}

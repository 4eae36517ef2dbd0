import { Interrupted } from "./calls";
import { antichains, Graph } from "./graph";
import type { Step } from "./operationState";
import { Registering } from "./registering";
import type { Mutable, State } from "./snapshot";
import { has, withDependencies, withDependents } from "./targets";

/** The end of an update or a destroy: deletes what the program no longer has (GenerateDeletes, ScheduleDeletes). */
export class Deletes extends Registering {
    protected async deleteRest(): Promise<void> {
        if (this.previous.length === 0) {
            return;
        }
        const isIncluded = await this.included();
        const steps = new Map<Mutable<State>, Step>();
        const sames: Step[] = [];
        for (const state of this.previous) {
            if (isIncluded(state)) {
                this.planDeletion(state, steps);
            } else if (!this.isOperatedOn(state.key)) {
                sames.push(this.sameStep(state, { ...state }, { untargeted: true }));
            }
        }
        for (const state of this.toDelete.filter(isIncluded)) {
            this.deleted.add(state.key);
            steps.set(state, this.deleteStep(state));
        }
        this.requireTargets([...steps.keys()]);
        for (const step of sames) {
            await this.executeStep(step, []);
        }
        await this.runDeletions(steps);
    }

    private planDeletion(state: Mutable<State>, steps: Map<Mutable<State>, Step>): void {
        this.planDeletionStep(state, steps);
        if (this.deleted.has(state.key)) {
            this.ensureProvider(state);
        }
    }

    private planDeletionStep(state: Mutable<State>, steps: Map<Mutable<State>, Step>): void {
        if (state.delete === true) {
            if (this.pendingDeletes.has(state)) {
                return;
            }
            this.deleted.add(state.key);
            const isGone = this.rules.neverDeletesTwice && state.pendingReplacement === true;
            steps.set(state, isGone ? this.removePendingStep(state) : this.deleteStep(state, { replacing: true }));
        } else if (!this.isOperatedOn(state.key)) {
            this.deleted.add(state.key);
            steps.set(
                state,
                state.pendingReplacement === true ? this.removePendingStep(state) : this.deleteStep(state),
            );
        }
    }

    private async included(): Promise<(state: Mutable<State>) => boolean> {
        const { exclude, excludeDependents = false, target } = this.options;
        if (target !== undefined) {
            const allowed = await this.deletableTargets(target);
            return ({ key }) => allowed.has(key);
        }
        if (exclude !== undefined) {
            const roots = this.previous.filter((state) => has(exclude, state));
            const kept = withDependencies(roots, this.schedulingGraph(), excludeDependents, this.chance);
            return ({ key }) => !(kept.has(key) && this.olds.has(key));
        }
        return () => true;
    }

    /** determineAllowedResourcesToDeleteFromTargets: asks by `diff` which dependents a deletion would replace. */
    private async deletableTargets(target: readonly string[]): Promise<Set<string>> {
        const allowed = new Set<string>();
        const roots = this.previous.filter((state) => has(target, state));
        const named = [...withDependents(roots, this.schedulingGraph())].map((key) =>
            this.previous.filter((state) => state.key === key),
        );
        for (const states of this.chance.targets(named)) {
            for (const state of states) {
                allowed.add(state.key);
                const dependents = [...(await this.replacedWith(state)), ...this.named(state.key)];
                dependents.forEach(({ key }) => allowed.add(key));
            }
        }
        return allowed;
    }

    private requireTargets(states: readonly State[]): void {
        const { preview, target, targetDependents } = this.options;
        if (target !== undefined && targetDependents !== true && states.some((state) => !has(target, state))) {
            this.failed = true;
            if (preview !== true) {
                throw new Error("a resource that is not a target would be deleted");
            }
        }
    }

    private async runDeletions(steps: ReadonlyMap<Mutable<State>, Step>): Promise<void> {
        const kept = new Set<State>();
        const seen = new Set<Step>();
        const graph = this.schedulingGraph();
        for (const chain of antichains(graph, [...steps.keys()])) {
            for (const step of this.erroredSteps.filter((of) => !seen.has(of))) {
                // What a failed step needs can't be deleted.
                seen.add(step);
                const known = this.graph.states.includes(step.state) ? this.graph : new Graph(this.toDelete);
                const needed = known.transitiveDependenciesOf(step.state, this.rules.keepsCopies);
                needed.forEach((state) => kept.add(state));
            }
            for (const state of this.chance.deletions(chain.filter((of) => !kept.has(of)))) {
                if (this.interrupted) {
                    throw new Interrupted(false);
                }
                await this.executeStep(steps.get(state)!, []);
            }
        }
    }

    private schedulingGraph(): Graph<Mutable<State>> {
        return new Graph([...this.toDelete, ...this.previous]);
    }
}

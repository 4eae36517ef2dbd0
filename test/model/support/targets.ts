import type { Chance } from "./chance";
import { edgesOf, type Graph } from "./graph";
import type { UpOptions } from "./operationState";
import type { Mutable, State } from "./snapshot";

/** The resources that `--target` and `--exclude` name, and those that they imply with `--...-dependents`. */
export class Targets {
    private readonly targets: Set<string> | undefined;
    private readonly excludes: Set<string> | undefined;

    constructor(private readonly options: UpOptions) {
        this.targets = options.target && new Set(options.target);
        this.excludes = options.exclude && new Set(options.exclude);
    }

    get isConstrained(): boolean {
        return this.targets !== undefined;
    }

    /** isIncludedInOperation. */
    includes(state: State): boolean {
        if (this.targets !== undefined) {
            return this.isTargeted(state);
        }
        return this.excludes === undefined || !this.isExcluded(state);
    }

    /** Registered resources come after those on which they depend. So the dependents see what this has noted. */
    note(state: State, isIncluded: boolean): void {
        if (this.excludes !== undefined && !isIncluded && this.isExcluded(state)) {
            this.excludes.add(state.key);
        } else if (isIncluded && this.targets !== undefined && this.isTargeted(state)) {
            this.targets.add(state.key);
        }
    }

    /** The resources that a refresh reads. It doesn't take those of a named provider for its dependents. */
    refreshed(states: readonly Mutable<State>[]): Mutable<State>[] {
        const { exclude, excludeDependents = false, target, targetDependents = false } = this.options;
        const named = new Set<string>();
        const isNamed = (state: State, names: readonly string[], follows: boolean): boolean => {
            const isOne = has(names, state) || (follows && edgesOf(state).some(({ key }) => named.has(key)));
            if (isOne) {
                named.add(state.key);
            }
            return isOne;
        };
        if (exclude !== undefined) {
            return states.filter((state) => !isNamed(state, exclude, excludeDependents));
        }
        return target === undefined ? [...states] : states.filter((state) => isNamed(state, target, targetDependents));
    }

    private isTargeted(state: State): boolean {
        return (
            has(this.options.target, state) ||
            (this.options.targetDependents === true && needsOneOf(state, this.targets!))
        );
    }

    private isExcluded(state: State): boolean {
        return (
            has(this.options.exclude, state) ||
            (this.options.excludeDependents === true && needsOneOf(state, this.excludes!))
        );
    }
}

export function has(names: readonly string[] | undefined, { key, name }: State): boolean {
    return names?.some((of) => of === key || of === name) ?? false;
}

function needsOneOf(state: State, keys: ReadonlySet<string>): boolean {
    return keys.has(state.provider?.key ?? "") || edgesOf(state).some(({ key }) => keys.has(key));
}

/** getTargetDependents: the targets in the state, and all that depend on them or are their children. */
export function withDependents(roots: readonly Mutable<State>[], graph: Graph<Mutable<State>>): Set<string> {
    const found = new Set<string>();
    const frontier = [...roots];
    for (let next = frontier.shift(); next !== undefined; next = frontier.shift()) {
        if (!found.has(next.key)) {
            found.add(next.key);
            frontier.push(...graph.dependingOn(next, found, true));
        }
    }
    return found;
}

/** getExcludeDependencies: the excluded resources, and all that they need. */
export function withDependencies(
    roots: readonly Mutable<State>[],
    graph: Graph<Mutable<State>>,
    alsoDependents: boolean,
    chance: Chance,
): Set<string> {
    const found = new Set<string>();
    const frontier = [...roots];
    for (let next = frontier.shift(); next !== undefined; next = frontier.shift()) {
        if (!found.has(next.key)) {
            found.add(next.key);
            frontier.push(...chance.excluded([...graph.dependenciesOf(next)]));
            frontier.push(...(alsoDependents ? graph.dependingOn(next, found, true) : []));
        }
    }
    return found;
}

import type { State } from "./snapshot";

/** A kind of reference from a resource to another one. */
interface Edge {
    readonly kind: "deletedWith" | "dependency" | "parent" | "property" | "replaceWith";
    readonly key: string;
}

/** GetAllDependencies, without the provider. */
export function edgesOf(state: State): Edge[] {
    const edges = (kind: Edge["kind"], keys: readonly (string | undefined)[]): Edge[] =>
        keys.flatMap((key) => (key === undefined ? [] : [{ kind, key }]));
    return [
        ...edges("parent", [state.parent]),
        ...edges("dependency", state.dependencies),
        ...edges("property", Object.values(state.propertyDependencies).flat()),
        ...edges("deletedWith", [state.deletedWith]),
        ...edges("replaceWith", state.replaceWith ?? []),
    ];
}

/** Resources in an order in which each comes after those on which it depends, after resource/graph. */
export class Graph<T extends State> {
    constructor(readonly states: readonly T[]) {}

    /** The direct and indirect dependents, in the order of the states. */
    dependingOn(root: T, ignored: ReadonlySet<string>, includesChildren: boolean): T[] {
        const found = new Set([root.key]);
        return this.states.slice(this.states.indexOf(root) + 1).filter((state) => {
            const depends =
                !ignored.has(state.key) &&
                (edgesOf(state).some(({ key, kind }) => (includesChildren || kind !== "parent") && found.has(key)) ||
                    found.has(state.provider?.key ?? ""));
            if (depends) {
                found.add(state.key);
            }
            return depends;
        });
    }

    /** The direct dependencies, with the parent and the children of a component. */
    dependenciesOf(of: T): Set<T> {
        const before = this.states.slice(0, this.states.indexOf(of));
        const keys = new Set(edgesOf(of).flatMap(({ key, kind }) => (kind === "parent" ? [] : [key])));
        if (of.provider !== undefined) {
            keys.add(of.provider.key);
        }
        const found = new Set<T>();
        for (const state of before) {
            if (keys.has(state.key)) {
                found.add(state);
                if (state.component === true) {
                    before.filter((child) => this.isWithin(child, state.key)).forEach((child) => found.add(child));
                }
            }
            if (state.key === of.parent) {
                found.add(state);
            }
        }
        return found;
    }

    /** All direct and indirect dependencies. With `copies`, also each state of a key that waits for its deletion. */
    transitiveDependenciesOf(of: T, copies: boolean): Set<T> {
        const found = new Set<T>();
        const lookup = (from: T, key: string) => (copies ? this.copiesBefore(from, key) : this.lastOf(from, key));
        const visit = (state: T): void => {
            if (!found.has(state)) {
                found.add(state);
                const keys = [...edgesOf(state).map(({ key }) => key), ...(state.provider ? [state.provider.key] : [])];
                keys.flatMap((key) => lookup(state, key)).forEach(visit);
            }
        };
        (this.states.includes(of) ? [of] : lookup(of, of.key)).forEach(visit);
        found.delete(of);
        return found;
    }

    private lastOf(from: T, key: string): T[] {
        const same = this.states.filter((state) => state.key === key);
        const wanted = same.filter((state) => (state.delete ?? false) === (from.delete ?? false));
        return [wanted.at(-1) ?? same.at(-1)].filter((state) => state !== undefined);
    }

    private copiesBefore(from: T, key: string): T[] {
        const same = this.states.slice(0, this.states.indexOf(from)).filter((state) => state.key === key);
        const [olds, news] = [true, false].map((old) => same.filter((state) => (state.delete ?? false) === old));
        return olds.length > 0 && (from.delete === true || news.length === 0) ? olds : news;
    }

    private isWithin(state: State, ancestor: string): boolean {
        for (let at: State | undefined = state; at?.parent !== undefined; ) {
            if (at.parent === ancestor) {
                return true;
            }
            const { parent }: { parent?: string } = at;
            at = this.states.findLast(({ key }) => key === parent);
        }
        return false;
    }
}

/** ScheduleDeletes: sets of resources that no longer depend on each other, in the order of their deletion. */
export function antichains<T extends State>(graph: Graph<T>, condemned: readonly T[]): T[][] {
    const left = new Set(condemned);
    const chains: T[][] = [];
    while (left.size > 0) {
        const free = condemned.filter(
            (state) => left.has(state) && [...graph.dependenciesOf(state)].every((of) => !left.has(of)),
        );
        free.forEach((state) => left.delete(state));
        chains.unshift(free);
    }
    return chains;
}

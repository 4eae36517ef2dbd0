import { keyOf, nameOf, qualifiedTypeOf, typeOf } from "./keys";
import type { Alias } from "./resourceOptions";
import type { State } from "./snapshot";

/** The parts of a registration that its aliases can name. */
interface Named {
    readonly name: string;
    readonly type: string;
    readonly aliases?: readonly Alias[];
}

/** generateAliases: the keys that a resource may have had. */
export function formerKeys(
    { aliases = [], name, type }: Named,
    parent: string | undefined,
    { former, keyOfName, inherits }: Ancestry,
): string[] {
    const own = aliases.map((alias) => collapse(alias));
    const parentBefore = parent === undefined || !inherits ? undefined : former.get(parent);
    const inherited =
        parentBefore === undefined
            ? []
            : [keyOf(type, name), ...own].map((key) =>
                  keyOf(typeOf(key), renamed(nameOf(key), nameOf(parent!), nameOf(parentBefore)), parentBefore),
              );
    return [...new Set([...own, ...inherited])];

    function collapse(alias: Alias): string {
        if (alias.key !== undefined) {
            return alias.key;
        }
        const named = alias.parent === undefined ? undefined : keyOfName(alias.parent);
        // If the parent was found by an alias, its former key is meant.
        const from = named === undefined ? parent : (former.get(named) ?? named);
        return keyOf(alias.type ?? type, alias.name ?? name, alias.noParent === true ? undefined : from);
    }
}

export interface Ancestry {
    /** The keys by which registered resources were found in the state, by their new keys. */
    readonly former: ReadonlyMap<string, string>;
    /** The children of a renamed parent have aliases too. */
    readonly inherits: boolean;
    keyOfName(name: string): string | undefined;
}

/** inheritedChildAlias: a child that begins with its parent's name had the former name in it. */
function renamed(child: string, parent: string, before: string): string {
    return child.startsWith(parent) ? before + child.slice(parent.length) : child;
}

/** NormalizeURNReferences: saved states name other resources by their new keys. */
export function normalize(states: readonly State[]): State[] {
    if (states.every(({ alias }) => alias === undefined)) {
        return states.map((state) => ({ ...state }));
    }
    const aliased = new Map<string, string>();
    for (const { alias, key, name, parent, type } of states) {
        if (alias !== undefined) {
            aliased.set(alias, key);
        }
        const newParent = parent === undefined ? undefined : aliased.get(parent);
        if (newParent !== undefined) {
            aliased.set(key, `${qualifiedTypeOf(newParent)}$${type}::${name}`);
        }
    }
    const fix = <T extends string | undefined>(key: T): T => (aliased.get(key ?? "") as T) ?? key;
    return states.map((state) => ({
        ...state,
        key: fix(state.key),
        alias: undefined,
        parent: fix(state.parent),
        deletedWith: fix(state.deletedWith),
        dependencies: state.dependencies.map(fix),
        replaceWith: state.replaceWith?.map(fix),
        provider: state.provider && { ...state.provider, key: fix(state.provider.key) },
        propertyDependencies: Object.fromEntries(
            Object.entries(state.propertyDependencies).map(([name, keys]) => [name, keys.map(fix)]),
        ),
    }));
}

import type { State } from "./snapshot";

type Values = Readonly<Record<string, any>>;

/** The outputs of a dynamic resource contain the text of its provider. */
export function withProviderText(outputs: object, { inputs }: State): Values {
    return "__provider" in inputs ? { ...outputs, __provider: inputs["__provider"] } : (outputs as Values);
}

/** sameSnapshotMutation.mustWrite: an unchanged state is saved with the next change. */
export function mustSave(old: State, fresh: State): boolean {
    const kept = ({
        deletedWith,
        dependencies,
        inputs,
        key,
        outputs,
        parent,
        protect = false,
        provider,
        replaceWith = [],
        retainOnDelete = false,
        type,
    }: State) =>
        JSON.stringify([
            key,
            type,
            retainOnDelete,
            provider,
            parent,
            deletedWith,
            replaceWith,
            protect,
            sorted(inputs),
            sorted(outputs),
            [...dependencies].sort(),
        ]);
    return kept(old) !== kept(fresh);
}

function sorted(values: Values): [string, unknown][] {
    return Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1));
}

import { isDeepStrictEqual } from "node:util";

import type { State } from "./snapshot";

type Values = Readonly<Record<string, any>>;

/** The outputs of a dynamic resource contain the text of its provider. */
export function withProviderText(outputs: object, { inputs }: State): Values {
    return "__provider" in inputs ? { ...outputs, __provider: inputs["__provider"] } : (outputs as Values);
}

/** The fields whose changes are saved at once (sameSnapshotMutation.mustWrite). */
const SAVED = [
    "key",
    "type",
    "inputs",
    "outputs",
    "parent",
    "provider",
    "protect",
    "retainOnDelete",
    "deletedWith",
    "replaceWith",
] as const;

/** An unchanged state is saved with the next change. */
export function mustSave(old: State, fresh: State): boolean {
    return (
        SAVED.some((name) => !isSame(old[name], fresh[name])) ||
        !isSame([...old.dependencies].sort(), [...fresh.dependencies].sort())
    );
}

function isSame(a: unknown, b: unknown): boolean {
    const [from, to] = [a ?? false, b ?? false];
    const areEmpty = [from, to].every((value) => value === false || (Array.isArray(value) && value.length === 0));
    return from === to || areEmpty || isDeepStrictEqual(from, to);
}

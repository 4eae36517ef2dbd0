import type { State } from "./snapshot";

/** Orders that the real engine decides by chance. A comparison with a real run uses those of the run. */
export interface Chance {
    /** Resources that no longer depend on each other, in the order of their deletion. */
    deletions<T extends State>(states: readonly T[]): readonly T[];
    /** The targets, each with the states of its key. */
    targets<T extends State>(states: readonly T[][]): readonly T[][];
    /** Resources with `replaceWith` of the same resource. */
    cascade<T extends State>(states: readonly T[]): readonly T[];
}

export const ANY: Chance = {
    deletions: (states) => states,
    targets: (states) => states,
    cascade: (states) => states,
};

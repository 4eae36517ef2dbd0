import type { State } from "./snapshot";

/** Orders that the real engine decides by chance. A comparison with a real run uses those of the run. */
export interface Chance {
    /** Resources that no longer depend on each other, in the order of their deletion. */
    deletions<T extends State>(states: readonly T[]): readonly T[];
    /** The targets, each with the states of its key. */
    targets<T extends State>(states: readonly T[][]): readonly T[][];
    /** The resources that an excluded one needs. Of two states with one key, only the first one is followed. */
    excluded<T extends State>(states: readonly T[]): readonly T[];
    /** Keys of the resources that an untargeted one needs. */
    needed(keys: readonly string[]): readonly string[];
    /** Resources with `replaceWith` of the same resource. */
    cascade<T extends State>(states: readonly T[]): readonly T[];
}

export const ANY: Chance = {
    deletions: (states) => states,
    targets: (states) => states,
    excluded: (states) => states,
    needed: (keys) => keys,
    cascade: (states) => states,
};

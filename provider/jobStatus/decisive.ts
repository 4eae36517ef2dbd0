import type { Observation } from "../observe/pods/observation";
import { isOver, type Trouble } from "../observe/pods/trouble";
import type { Sized } from "./phase";
import type { Phase } from "./properties";

/** A look at a cluster that hasn't reached its goal. */
export interface Look {
    readonly phase: Phase;
    readonly seen: Observation;
    readonly all: readonly Trouble[];
    readonly inputs: Sized;
    readonly now: number;
}

/**
 * The problems with exceeded limits if they leave too few ranks: those of ranks that come later, that leave, or that a
 * command can do without leave enough.
 */
export function decisive({ all, inputs, now, phase, seen }: Look): Trouble[] {
    const { size } = inputs;
    const present = new Set(seen.ranks().map(({ rank }) => rank));
    const missing = () => Array.from({ length: size }, (_, rank) => rank).filter((rank) => !present.has(rank));
    const ranksOf = ({ pod }: Trouble) => (pod === undefined ? missing() : [pod.rank]).filter((rank) => rank < size);
    const over = all.filter((trouble) => isOver(trouble, now) && ranksOf(trouble).length > 0);
    const out = new Set(over.flatMap(ranksOf));
    return out.has(0) || size - out.size < requiredRanks(phase, inputs) ? over : [];
}

/** The number of ranks, the lead included, without which the goal isn't reached. */
function requiredRanks(
    phase: Phase,
    { commandNodes = 1, ephemeral, needed, needsAllRanks, quorum, size, sizedBy }: Sized,
): number {
    if (!ephemeral) {
        return (sizedBy === "cluster" ? quorum : undefined) ?? needed;
    }
    if (needsAllRanks) {
        return size;
    }
    // More nodes than `size` may come later, when the cluster grows.
    return Math.max(Math.min(size, commandNodes), phase === "running" ? 1 : (quorum ?? size));
}

import { lackOfCores } from "../cores";
import type { Reader, Values } from "../reader";

/** Numbers of an mpirun's processes. */
export interface Counts {
    readonly tasks?: number;
    /** Tasks of each node. */
    readonly perNode?: number;
    readonly nodes?: number;
    /** True if the tasks go round the nodes. */
    readonly isCyclic?: boolean;
}

/** Tasks that Flux starts. */
export interface Started {
    /** The place of their mpirun. */
    readonly path: string;
    readonly tasks: number;
    readonly nodes: number;
    readonly coresPerTask?: number;
}

export interface Slots {
    readonly size: number;
    readonly slots: number;
}

/**
 * Tasks and nodes for Flux. mpirun has a process for each slot by default, and fills the slots of a node before those of
 * the next one.
 */
export function spreadOver(
    { isCyclic, nodes: most, perNode, tasks }: Counts,
    { size, slots }: Slots,
): {
    readonly tasks: number;
    readonly nodes: number;
} {
    const places = Math.min(most ?? size, size);
    const each = perNode ?? slots;
    const all = tasks ?? places * each;
    const nodes = isCyclic ? all : Math.ceil(all / each);
    return { tasks: all, nodes: Math.max(1, Math.min(places, nodes)) };
}

/** Gives Flux as many cores as the tasks of a rank need: mpirun doesn't count cores, but slots. */
export function spreadTasks(reader: Reader, args: Values, runs: readonly Started[]): void {
    for (const { path, ...options } of runs) {
        const lack = lackOfCores({ ...args, ...options });
        if (lack !== undefined) {
            const found = `starts ${lack.tasks} tasks; a rank needs ${lack.need} cores for them, more than ${lack.giver} gives.`;
            reader.warn(
                path,
                `${found} So cores is now ${lack.need}, and the tasks share the CPUs; or raise the amount.`,
            );
            args.cores = lack.need;
        }
    }
}

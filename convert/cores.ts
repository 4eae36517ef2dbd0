import { type Amounts, coresOf, giverOfCores } from "../components/features/resources";
import type { Values } from "./reader";

/** Tasks that need more cores of a rank than the arguments give. */
export interface Lack {
    readonly tasks: number;
    /** Cores that a rank needs. */
    readonly need: number;
    /** The argument that gives fewer. */
    readonly giver: string;
}

/** The cores that the tasks of the command lack, if they do. */
export function lackOfCores(args: Values): Lack | undefined {
    const { coresPerTask = 1, minSize, nodes, size = 1 } = args;
    // As many ranks as the command is sure to get.
    const ranks = nodes ?? minSize ?? size;
    const { tasks = ranks } = args;
    const need = Math.ceil(tasks / Math.min(tasks, ranks)) * coresPerTask;
    const amounts = amountsOf(args);
    return need <= (coresOf(args.cores, amounts) ?? Infinity)
        ? undefined
        : { tasks, need, giver: giverOfCores(args.cores, amounts) };
}

export function amountsOf({ resources: { limits = {}, requests = {} } = {} }: Values): Amounts {
    return { limits, requests };
}

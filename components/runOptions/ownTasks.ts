import type { RunOptions } from "../../provider/contract/runOptions";
import { callsIn, programName } from "./calls";

/** What a command is, besides its words. */
export interface Around {
    /** True if Flux tells the tasks how they find each other. */
    readonly hasRendezvous: boolean;
    /** Number of tasks, as far as it is known. */
    readonly count: number;
}

/** What to do in place of a program that starts tasks. */
type Cure = "flux" | "mpi" | "torch";

/** The programs that start tasks themselves. */
const STARTERS: Readonly<Record<string, Cure>> = {
    flux: "flux",
    horovodrun: "mpi",
    mpiexec: "mpi",
    "mpiexec.hydra": "mpi",
    "mpiexec.mpich": "mpi",
    "mpiexec.openmpi": "mpi",
    mpirun: "mpi",
    "mpirun.mpich": "mpi",
    "mpirun.openmpi": "mpi",
    orterun: "mpi",
    prterun: "mpi",
    srun: "mpi",
    torchrun: "torch",
};

/** The commands of `flux` that start tasks. */
const OF_FLUX = ["alloc", "batch", "bulksubmit", "run", "submit"];

/** Options that only say what a program is. */
const ASKS = /^(-h|-V|--help|--version)$/;

/** Options by which torchrun finds the other hosts. */
const OF_TORCH = /^--?(nnodes|master[-_]|rdzv[-_]|node[-_]rank)/;

/** Variables by which a script gives each of its tasks other work. */
const TASK = /\b(FLUX_TASK_RANK|FLUX_TASK_LOCAL_ID|PMI_RANK|JOB_COMPLETION_INDEX|MINICLUSTER_RANK)\b/;

/** A program of a command that starts tasks itself, which each task of the command would do. */
export interface Starter {
    /** The program, such as `flux run` or `mpirun`. */
    readonly shown: string;
    readonly cure: Cure;
}

/** The program in the command that starts tasks itself, if there is one. */
export function starterIn(command: readonly string[], around: Around): Starter | undefined {
    if (command.some((word) => TASK.test(word))) {
        return undefined;
    }
    return callsIn(command)
        .map((words) => starterOf(words, around))
        .find((starter) => starter !== undefined);
}

function starterOf([program, ...rest]: readonly string[], around: Around): Starter | undefined {
    const name = programName(program);
    if (!Object.hasOwn(STARTERS, name) || ASKS.test(rest[0] ?? "")) {
        return undefined;
    }
    const cure = STARTERS[name];
    if (cure === "flux") {
        const command = rest.find((word) => !word.startsWith("-")) ?? "";
        return OF_FLUX.includes(command) ? { shown: `flux ${command}`, cure } : undefined;
    }
    return cure === "torch" && !trainsAlone(rest, around) ? undefined : { shown: name, cure };
}

/** True if each torchrun trains on its own, although there are several. */
function trainsAlone(words: readonly string[], { count, hasRendezvous }: Around): boolean {
    const isAlone = words.includes("--standalone") || (!hasRendezvous && !words.some((word) => OF_TORCH.test(word)));
    return isAlone && count > 1;
}

/** Number of tasks of a job on so many nodes. */
export function countOf({ nodes, tasks, tasksPerNode }: RunOptions, otherwise: number): number {
    return tasksPerNode === undefined ? (tasks ?? nodes ?? otherwise) : tasksPerNode * (nodes ?? otherwise);
}

/** Who runs the command. */
export type Runner = "cluster" | "job" | "submit";

const MPI = "Give the program itself";

const CURES: Readonly<Record<Runner, Readonly<Record<Cure, string>>>> = {
    cluster: {
        flux: "Give launcher: true, so that the lead runs the command once; or give the program itself, and tasks.",
        mpi: `${MPI} and tasks, so that Flux starts it: docs/mpi.md.`,
        torch: "Give rendezvous: {}, and torchrun without --standalone.",
    },
    job: {
        flux: "Give the program itself, and tasks; each step of a script can be a FluxJob.",
        mpi: `${MPI} and tasks, so that Flux starts it: docs/mpi.md.`,
        torch: "Give rendezvous: {}, and torchrun without --standalone.",
    },
    submit: {
        flux: "Give the program itself behind the options -N and -n.",
        mpi: `${MPI} behind the options -N and -n, so that Flux starts it: docs/mpi.md.`,
        torch: "Give torchrun how the tasks find each other (--nnodes, --rdzv-endpoint), or submit one task.",
    },
};

/** What the preview says of a command that starts tasks itself; undefined for another one. */
export function ownTasksNotice(command: readonly string[], runner: Runner, around: Around): string | undefined {
    const starter = starterIn(command, around);
    return (
        starter &&
        `calls ${starter.shown}, which starts tasks itself; here each task of the command calls it. ${CURES[runner][starter.cure]}`
    );
}

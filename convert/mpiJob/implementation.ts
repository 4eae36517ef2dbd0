import type { Reader, Values } from "../reader";

const PATH = "spec.mpiImplementation";

interface Run {
    /** The arguments of the command. */
    readonly command: Values;
    readonly environment: Values;
    readonly implementation: string;
}

/**
 * Warns of what an implementation of MPI needs to find the other tasks. Flux offers PMI-1 to each task. MPICH reads it by
 * itself.
 * @see https://flux-framework.readthedocs.io/projects/flux-core/en/latest/man7/flux-shell-options.html
 */
export function warnOfImplementation(reader: Reader, { command, environment, implementation }: Run): void {
    if (command.rendezvous !== undefined) {
        return;
    }
    if (implementation === "OpenMPI") {
        const option = command.launcher ? "-o pmi=pmix for flux run" : 'shellOptions: { pmi: "pmix" }';
        const later = `From 5 on it needs the plugin flux-pmix beside Flux, and ${option}`;
        const before = "before, it needs its own component for Flux, which is built by default";
        const cure = "Without them, each task runs alone, as rank 0 of 1. MPICH needs neither.";
        reader.warn(PATH, `is Open MPI. ${later}; ${before}. ${cure}`);
    }
    if (implementation === "Intel") {
        const reason = "is Intel MPI, which finds Flux' PMI by itself, unless I_MPI_PMI_LIBRARY names another library.";
        const cure = "The image's entry point doesn't run: if it reads setvars.sh of oneAPI, do so in hooks.init.";
        reader.warn(PATH, `${reason} ${cure}`);
    }
    if (Object.hasOwn(environment, "I_MPI_PMI_LIBRARY")) {
        const reason = "has I_MPI_PMI_LIBRARY, by which Intel MPI asks another library than Flux' libpmi.so.";
        reader.warn("args.environment", `${reason} Remove it.`);
    }
}

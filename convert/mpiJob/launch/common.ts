import { options, type Options } from "./launch";

/** Where the MPI Operator has the files for mpirun. */
const OWN_FILES = /^\/etc\/mpi\/(hostfile|discover_hosts\.sh)$/;

/** Options with hosts. Those of the operator's own file are all ranks. */
export function hostfiles(names: string): Options {
    return options(names, 1, (_, { text }) => (OWN_FILES.test(text) ? undefined : `names hosts. ${HOSTS}`));
}

export const HOSTS = "Flux takes all ranks. To choose some, give nodes or requires.";
export const PRINTS = "Flux prints other things: see flux jobs and flux job eventlog.";
export const SSH = "It is about the start by ssh, which Flux replaces. Remove it.";
export const OUTPUT = "Give outputFile, or look into the log of the lead.";
export const PLACEMENT = "Flux places and binds the tasks; give shellOptions such as cpu-affinity.";

/** Binding to nothing, as the argument of Flux. Other bindings depend on whether the pod shares its CPUs. */
export const BINDING: Options = options("bind-to binding", 1, (launch, { text }) => {
    if (text === "none") {
        launch.shellOptions["cpu-affinity"] = "off";
        return undefined;
    }
    return `the pods decide: see docs/cpus.md. If ranks don't share nodes, give shellOptions: { "cpu-affinity": "per-task" }.`;
});

export const WORKING_DIR: Options = options("wdir wd", 1, (launch, value) => {
    launch.workingDir = value;
});

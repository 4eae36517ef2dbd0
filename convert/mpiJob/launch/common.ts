import { options, type Options } from "./launch";

/** Where the MPI Operator has the files for mpirun. */
const OWN_FILES = /^\/etc\/mpi\/(hostfile|discover_hosts\.sh)$/;

/** Options with hosts. Those of the operator's own file are all ranks. */
export function hostfiles(names: string): Options {
    return options(names, 1, (_, { text }) =>
        OWN_FILES.test(text) ? undefined : "names hosts. Flux takes all ranks; to choose some, give nodes or requires.",
    );
}

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

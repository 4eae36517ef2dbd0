import { BINDING, hostfiles, WORKING_DIR } from "./common";
import { needless, number, options, type Options, setVariable, without } from "./launch";

/** Options of mpiexec of MPICH and of Intel MPI, whose process manager is Hydra. */
export const HYDRA: Options = {
    ...number("n np", "tasks"),
    ...number("ppn perhost grr", "perNode"),
    ...options("rr", 0, (launch, option) => {
        launch.perNode = { ...option, text: "1", raw: "1" };
    }),
    ...options("genv env", 2, (launch, name, value) => setVariable(launch, name.text, value)),
    ...needless("genvlist envlist", 1),
    // The tasks have all variables of the pods.
    ...needless("genvall envall verbose v print-all-exitcodes enable-auto-cleanup disable-hostname-propagation"),
    ...hostfiles("f hostfile machinefile machine configfile"),
    ...BINDING,
    ...WORKING_DIR,
    ...without(
        1,
        "hosts host H usize order-nodes bootstrap launcher bootstrap-exec launcher-exec bootstrap-exec-args launcher-exec-args rmk " +
            "localhost hostname-propagation pmi-args nameserver iface map-by membind topolib demux gpus-per-proc " +
            "gpu-subdevs-per-proc path prepend-pattern outfile-pattern errfile-pattern outfile errfile tmpdir tune s gtool",
    ),
};

import { BINDING, HOSTS, hostfiles, OUTPUT, PLACEMENT, PRINTS, SSH, WORKING_DIR } from "./common";
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
    ...without("genvnone envnone", 0, "The tasks have all variables of the pods; unset them in the command."),
    ...hostfiles("f hostfile machinefile machine configfile"),
    ...without("hosts host H usize", 1, HOSTS),
    ...without("nolocal skip-launch-node", 0, HOSTS),
    ...without("order-nodes", 1, HOSTS),
    ...without("bootstrap launcher bootstrap-exec launcher-exec bootstrap-exec-args launcher-exec-args", 1, SSH),
    ...without("rmk localhost hostname-propagation pmi-args nameserver", 1, SSH),
    ...without("enable-x disable-x localroot pmi-port pmi_port", 0, SSH),
    ...options("iface", 1, () => "is an interface for mpiexec. Give FI_TCP_IFACE or UCX_NET_DEVICES in environment."),
    ...BINDING,
    ...without("map-by membind topolib demux gpus-per-proc gpu-subdevs-per-proc", 1, PLACEMENT),
    ...WORKING_DIR,
    ...without("path", 1, "Set PATH in environment, or in hooks.init."),
    ...without("prepend-rank l", 0, OUTPUT),
    ...without("prepend-pattern outfile-pattern errfile-pattern outfile errfile", 1, OUTPUT),
    ...without("profile info tv tvsu gdb trace check_mpi disable-auto-cleanup enable-hostname-propagation", 0, PRINTS),
    ...without("tmpdir tune s gtool", 1, PRINTS),
};

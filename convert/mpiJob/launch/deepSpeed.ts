import { HOSTS, hostfiles, OUTPUT, PLACEMENT, SSH } from "./common";
import { isNumber, type Launch, needless, NO_NUMBER, number, options, type Options, without } from "./launch";
import type { Word } from "./word";

const ELASTIC = "Here the number of tasks is fixed, and onRankLoss runs the command again.";

/** Options of deepspeed, whose script finds the other processes by variables. */
export const DEEP_SPEED: Options = {
    ...number("num_gpus num_accelerators", "perNode"),
    ...number("num_nodes", "nodes"),
    ...options("master_port", 1, (launch, port) => {
        if (!isNumber(port)) {
            return NO_NUMBER;
        }
        launch.rendezvous = { port };
        return undefined;
    }),
    ...needless("module no_python no_local_rank no_ssh_check force_multi no_ssh"),
    ...hostfiles("H hostfile"),
    ...without("i include e exclude", 1, HOSTS),
    ...without("master_addr", 1, "It is the host of the first task, by rendezvous. Remove it."),
    ...without("launcher launcher_args ssh_port", 1, SSH),
    ...without("node_rank", 1, "Flux numbers the tasks. Remove it."),
    ...without("save_pid", 0, "Remove it."),
    ...without("enable_each_rank_log", 1, OUTPUT),
    ...without("autotuning", 1, "Run the autotuner by itself, with launcher."),
    ...without("elastic_training", 0, ELASTIC),
    ...without("min_elastic_nodes max_elastic_nodes", 1, ELASTIC),
    ...without("bind_cores_to_rank", 0, PLACEMENT),
    ...without("bind_core_list", 1, PLACEMENT),
};

/**
 * The script as deepspeed starts it: by Python, unless it says otherwise. The variables of rendezvous are those that it
 * sets.
 */
export function withPython(launch: Launch, given: ReadonlySet<string>): void {
    const [{ path }] = launch.program;
    const word = (text: string): Word => ({ text, raw: text, expands: false, path });
    launch.rendezvous ??= {};
    if (!given.has("no_python")) {
        const added = [word("python3"), word("-u"), ...(given.has("module") ? [word("-m")] : [])];
        launch.added = added.length;
        launch.program = [...added, ...launch.program];
    }
}

import { hostfiles } from "./common";
import { isNumber, type Launch, needless, NO_NUMBER, number, options, type Options, without } from "./launch";
import type { Word } from "./word";

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
    ...without(
        1,
        "i include e exclude master_addr launcher launcher_args ssh_port node_rank enable_each_rank_log autotuning min_elastic_nodes " +
            "max_elastic_nodes bind_core_list",
    ),
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

import {
    type Effect,
    hostfiles,
    isNumber,
    type Launch,
    needless,
    NO_NUMBER,
    number,
    options,
    type Options,
    setVariable,
    without,
    type Word,
} from "./launch";

/** Settings of Horovod as variables, each with the value of an option without one. */
const SETTINGS: readonly (readonly [option: string, variable: string, value?: string])[] = [
    ["autotune", "HOROVOD_AUTOTUNE", "1"],
    ["autotune-log-file", "HOROVOD_AUTOTUNE_LOG"],
    ["cache-capacity", "HOROVOD_CACHE_CAPACITY"],
    ["cycle-time-ms", "HOROVOD_CYCLE_TIME"],
    ["hierarchical-allgather", "HOROVOD_HIERARCHICAL_ALLGATHER", "1"],
    ["hierarchical-allreduce", "HOROVOD_HIERARCHICAL_ALLREDUCE", "1"],
    ["log-level", "HOROVOD_LOG_LEVEL"],
    ["timeline-filename", "HOROVOD_TIMELINE"],
];

function setting([option, variable, fixed]: (typeof SETTINGS)[number]): Options {
    const effect: Effect = (launch, value) =>
        setVariable(
            launch,
            variable,
            fixed === undefined ? value : { ...value, text: fixed, raw: fixed, expands: false },
        );
    return options(option, fixed === undefined ? 1 : 0, effect);
}

/** Options of horovodrun. */
export const HOROVOD: Options = {
    ...number("np num-proc", "tasks"),
    ...number("slots slots-per-host", "perNode"),
    ...Object.assign({}, ...SETTINGS.map(setting)),
    ...options("fusion-threshold-mb", 1, setThreshold),
    ...needless("mpi verbose disable-cache cb check-build"),
    ...needless("start-timeout", 1),
    ...hostfiles("hostfile"),
    ...without(
        1,
        "H hosts p ssh-port i ssh-identity-file network-interfaces network-interface output-filename host-discovery-script min-np " +
            "min-num-proc max-np max-num-proc reset-limit elastic-timeout mpi-args binding-args config-file " +
            "autotune-warmup-samples autotune-steps-per-sample autotune-bayes-opt-max-samples autotune-gaussian-process-noise " +
            "num-nccl-streams thread-affinity gloo-timeout-seconds stall-check-warning-time-seconds " +
            "stall-check-shutdown-time-seconds mlsl-bgt-affinity",
    ),
    ...without(2, "blacklist-cooldown-range"),
};

/** Horovod's variable has bytes. */
function setThreshold(launch: Parameters<Effect>[0], value: Word): string | undefined {
    const megabytes = Number(value.text);
    if (!(megabytes >= 0)) {
        return "is no number. Set HOROVOD_FUSION_THRESHOLD in environment, in bytes.";
    }
    const bytes = String(Math.floor(megabytes * 1024 * 1024));
    return setVariable(launch, "HOROVOD_FUSION_THRESHOLD", { ...value, text: bytes, raw: bytes, expands: false });
}

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

import { HOSTS, hostfiles, OUTPUT, PRINTS, SSH } from "./common";
import { type Effect, needless, number, options, type Options, setVariable, without } from "./launch";
import type { Word } from "./word";

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

const ELASTIC =
    "Horovod's elastic mode needs a list of hosts that changes; here the number of tasks is fixed, and onRankLoss runs the command again.";
const TUNING = "Set the variable of the same name in environment, HOROVOD_...";

/** Options of horovodrun. */
export const HOROVOD: Options = {
    ...number("np num-proc", "tasks"),
    ...number("slots slots-per-host", "perNode"),
    ...Object.assign({}, ...SETTINGS.map(setting)),
    ...options("fusion-threshold-mb", 1, setThreshold),
    ...needless("mpi verbose disable-cache cb check-build"),
    ...needless("start-timeout", 1),
    ...hostfiles("hostfile"),
    ...without("H hosts", 1, HOSTS),
    ...without("p ssh-port i ssh-identity-file", 1, SSH),
    ...without(
        "network-interfaces network-interface",
        1,
        "Set HOROVOD_GLOO_IFACE or NCCL_SOCKET_IFNAME in environment.",
    ),
    ...without("output-filename", 1, OUTPUT),
    ...without("gloo", 0, "Gloo needs horovodrun to start; build Horovod with MPI, or give rendezvous."),
    ...without("jsrun js", 0, "Remove it."),
    ...without("host-discovery-script min-np min-num-proc max-np max-num-proc reset-limit elastic-timeout", 1, ELASTIC),
    ...without("blacklist-cooldown-range", 2, ELASTIC),
    ...without("mpi-args binding-args", 1, "Give run options."),
    ...without("config-file", 1, TUNING),
    ...without("autotune-warmup-samples autotune-steps-per-sample autotune-bayes-opt-max-samples", 1, TUNING),
    ...without("autotune-gaussian-process-noise num-nccl-streams thread-affinity gloo-timeout-seconds", 1, TUNING),
    ...without("stall-check-warning-time-seconds stall-check-shutdown-time-seconds mlsl-bgt-affinity", 1, TUNING),
    ...without(
        "no-hierarchical-allreduce no-hierarchical-allgather no-autotune timeline-mark-cycles no-timeline-mark-cycles " +
            "no-stall-check stall-check mpi-threads-disable no-mpi-threads-disable tcp log-hide-timestamp log-with-timestamp " +
            "prefix-output-with-timestamp",
        0,
        `${TUNING} ${PRINTS}`,
    ),
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

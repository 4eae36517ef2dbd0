import type { Synonyms } from "../../provider/contract/suggestion";

/** Commands of Slurm, Kubernetes and Flux for ours. */
export const COMMAND_SYNONYMS: Synonyms = {
    alloc: "wake",
    batch: "submit",
    copy: "cp",
    delete: { say: "pulumi destroy deletes a MiniCluster; cancel cancels a job." },
    describe: ["status", "doctor", "explain"],
    events: "doctor",
    exec: "shell",
    get: ["list", "status"],
    info: "status",
    kill: "cancel",
    log: "logs",
    ls: "list",
    "port-forward": "forward",
    ps: "jobs",
    queue: "jobs",
    rm: { say: "pulumi destroy deletes a MiniCluster; cancel cancels a job." },
    sacct: ["jobs", "report"],
    salloc: ["wake", "shell"],
    sattach: "attach",
    sbatch: "submit --detach",
    scancel: "cancel",
    scale: { say: "The argument size, with pulumi up, changes its number of ranks." },
    scontrol: ["explain", "drain", "status"],
    scp: "cp",
    seff: "report",
    sinfo: ["status", "list"],
    squeue: "jobs",
    srun: "submit",
    ssh: "shell",
    sstat: ["status", "jobs"],
    stop: "cancel",
    tail: "logs -f",
    top: ["status", "jobs"],
    version: { say: "--version prints the version." },
};

const ARRAY = { say: "An array is the argument array of a FluxJob (docs/jobs.md)." };
const AFTER = { say: "A job after another one is the argument after of a FluxJob (docs/jobs.md)." };
const MEMORY = { say: "Flux doesn't schedule memory; resources of the MiniCluster gives it to the pods." };

/** Options of other programs, by the command. Those of `flux run` are in the table of run options. */
export const OPTION_SYNONYMS: Readonly<Record<string, Synonyms>> = {
    submit: {
        "--array": ARRAY,
        "--begin": { say: "On the lead, flux submit --begin-time has it." },
        "--chdir": "--cwd",
        "--constraint": "--requires",
        "--cpus-per-task": "--cores-per-task",
        "--dependency": AFTER,
        "--export": "--env",
        "--gres": "--gpus-per-task",
        "--hold": "--urgency 0",
        "--mem": MEMORY,
        "--mem-per-cpu": MEMORY,
        "--nice": "--urgency",
        "--nodelist": "--requires",
        "--ntasks-per-node": "--tasks-per-node",
        "--partition": "--flux-queue",
        "--priority": "--urgency",
        "--time": "--time-limit SECONDS",
        "--wait": { say: "It waits without it; --detach doesn't." },
        "--workdir": "--cwd",
    },
    jobs: {
        "--all": { say: "It lists all jobs without it." },
        "--partition": "--queue",
        "--starttime": "--since",
        "--state": "--filter",
        "--states": "--filter",
        "--user": { say: "A MiniCluster has the jobs of one user." },
    },
    logs: { "--tail": { say: "It prints the whole log; pipe it to tail." } },
    shell: { "--tty": { say: "It opens a terminal without it." } },
};

/** Letters of Slurm, Kubernetes and Flux, which keep their case. */
export const LETTER_SYNONYMS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    submit: {
        "-a": "--array",
        "-C": "--constraint",
        "-d": "--dependency",
        "-D": "--chdir",
        "-e": "--error-file",
        "-H": "--hold",
        "-i": "--input-file",
        "-J": "--job-name",
        "-p": "--partition",
        "-w": "--nodelist",
    },
    jobs: { "-a": "--all", "-p": "--partition", "-S": "--starttime", "-t": "--states", "-u": "--user" },
    shell: { "-i": "--tty", "-t": "--tty" },
};

import { digestsOf } from "../../provider/record/record";
import { ranOf as ranOfJob } from "../../provider/record/ran";
import { summarize } from "../../provider/observe/pods/pod";
import type { Ran } from "./model";
import { recordIn } from "./recorded";
import type { Source } from "./source";

/** Names of settings of a record. */
const LABELS: Readonly<Record<string, string>> = {
    mode: "Mode",
    quorum: "Quorum",
    tasks: "Tasks",
    tasksPerNode: "Tasks per node",
    coresPerTask: "Cores per task",
    gpusPerTask: "GPUs per task",
    runOptions: "Options of flux run",
    onRankLoss: "After the loss of a rank",
    launcher: "The command starts jobs itself",
    requests: "Requests of each pod",
    limits: "Limits of each pod",
    queueName: "Queue of Kubernetes",
    activeDeadlineSeconds: "Deadline",
    ttlSecondsAfterFinished: "Kept after its end",
    archive: "Archive",
};

/** What ran, as the Job and its pods have it; without the Job, as the stack's outputs have it. */
export function ranOf(source: Source): Ran {
    const { history, job, pods } = source;
    const record = recordIn(source);
    const { digests } = record ?? { digests: digestsOf(pods.map(summarize)) };
    const { code, command, image, runOptions, settings } = (job && ranOfJob(job)) ?? record ?? NOTHING;
    return {
        image: image ?? "",
        digests: digests.map((digest) => digest.image),
        command: command.length === 0 ? undefined : command,
        fluxVersion: history?.flux,
        code,
        settings: inWords({ ...settings, runOptions: runOptions.join(" ") }),
    };
}

const NOTHING: ReturnType<typeof ranOfJob> = { command: [], environment: [], runOptions: [], settings: {} };

function inWords(settings: Readonly<Record<string, string>>): Record<string, string> {
    const entries = Object.entries(settings).filter(([, value]) => value !== "");
    return Object.fromEntries(
        entries.map(([name, value]) => [LABELS[name] ?? name, name.includes("Seconds") ? `${value} s` : value]),
    );
}

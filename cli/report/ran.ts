import type { V1Container, V1Job, V1Pod } from "@kubernetes/client-node";

import { QUEUE_LABEL } from "../../provider/contract/labels";
import { FLUX_CONTAINER } from "../../provider/contract/names";
import { SCRIPT_ENVIRONMENT } from "../../provider/contract/scriptVariables";
import { isArchived } from "../../provider/observe/pods/archive";
import { parameterOf } from "../target/parameter";
import type { Ran } from "./model";
import type { Source } from "./source";

/** Parameters of the scripts that are arguments of the user. Other variables may have values that nobody else should read. */
const PARAMETERS = {
    mode: "Mode",
    quorum: "Quorum",
    tasks: "Tasks",
    tasksPerNode: "Tasks per node",
    coresPerTask: "Cores per task",
    gpusPerTask: "GPUs per task",
    runOptions: "Options of flux run",
    onRankLoss: "After the loss of a rank",
    launcher: "The command starts jobs itself",
} as const;

/** What ran, as the Job and its pods have it; without the Job, as the stack's outputs have it. */
export function ranOf(source: Source): Ran {
    const { history, job, pods } = source;
    const container = fluxContainer(job);
    const { args = [], image = "" } = container ?? {};
    return {
        image,
        digests: digestsOf(pods),
        command: args.length === 0 ? undefined : args,
        fluxVersion: history?.flux,
        code: codeOf(source),
        settings: {
            ...parametersOf(container),
            ...amountsOf(container),
            ...(job === undefined ? {} : settingsOf(job)),
        },
    };
}

function codeOf({ job, recorded }: Source): string | undefined {
    return job === undefined ? recorded.record?.code : parameterOf(job, "code");
}

function fluxContainer(job: V1Job | undefined): V1Container | undefined {
    return job?.spec?.template?.spec?.containers.find(({ name }) => name === FLUX_CONTAINER);
}

function digestsOf(pods: readonly V1Pod[]): string[] {
    const statuses = pods.flatMap(({ status }) => status?.containerStatuses ?? []);
    const ids = statuses.filter(({ name }) => name === FLUX_CONTAINER).map(({ imageID }) => imageID);
    return [...new Set(ids.filter(Boolean))].sort();
}

function parametersOf(container: V1Container | undefined): Record<string, string> {
    const valueOf = (variable: string) => container?.env?.find(({ name }) => name === variable)?.value ?? "";
    const entries = Object.entries(PARAMETERS).map(([parameter, label]) => [
        label,
        valueOf(SCRIPT_ENVIRONMENT[parameter as keyof typeof PARAMETERS])
            .trim()
            .replaceAll("\n", " "),
    ]);
    return known(entries.filter(([, value]) => value !== "false"));
}

function amountsOf(container: V1Container | undefined): Record<string, string> {
    const { limits, requests } = container?.resources ?? {};
    return known([
        ["Requests of each pod", amounts(requests)],
        ["Limits of each pod", amounts(limits)],
    ]);
}

function amounts(of: Readonly<Record<string, string>> = {}): string {
    return Object.entries(of)
        .map(([name, amount]) => `${name} ${amount}`)
        .join(", ");
}

function settingsOf(job: V1Job): Record<string, string> {
    const { activeDeadlineSeconds, ttlSecondsAfterFinished } = job.spec ?? {};
    return known([
        ["Queue of Kubernetes", job.metadata?.labels?.[QUEUE_LABEL] ?? ""],
        ["Deadline", activeDeadlineSeconds === undefined ? "" : `${activeDeadlineSeconds} s`],
        ["Kept after its end", ttlSecondsAfterFinished === undefined ? "" : `${ttlSecondsAfterFinished} s`],
        ["Archive", isArchived(job) ? "yes" : ""],
    ]);
}

function known(entries: readonly (readonly string[])[]): Record<string, string> {
    return Object.fromEntries(entries.filter(([, value]) => value !== ""));
}

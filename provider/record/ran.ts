import type { V1Container, V1Job } from "@kubernetes/client-node";

import { QUEUE_LABEL } from "../contract/labels";
import { FLUX_CONTAINER } from "../contract/names";
import type { RunRecord } from "../contract/record/runRecord";
import { RESTFUL_ENVIRONMENT, SCRIPT_ENVIRONMENT } from "../contract/scriptVariables";
import { isArchived } from "../observe/pods/archive";

/** Parameters of the scripts that are arguments of the user. Other variables may have values that nobody else should read. */
const SETTINGS = [
    "mode",
    "quorum",
    "tasks",
    "tasksPerNode",
    "coresPerTask",
    "gpusPerTask",
    "onRankLoss",
    "launcher",
] as const;

/** Variables that each cluster has, beside the parameters of the scripts. */
const OWN = new Set([
    ...Object.values(SCRIPT_ENVIRONMENT),
    ...Object.values(RESTFUL_ENVIRONMENT),
    "FLUX_EXEC_PATH_PREPEND",
    "FLUX_SSH",
    "FLUX_URI",
]);

export type Ran = Pick<RunRecord, "code" | "command" | "environment" | "image" | "runOptions" | "settings">;

/** What a Job runs, and with what. Of variables, it has the names. */
export function ranOf(job: V1Job): Ran {
    const { args = [], env = [], image, resources } = fluxIn(job) ?? {};
    const valueOf = (parameter: keyof typeof SCRIPT_ENVIRONMENT) => parameterOf(job, parameter)?.trim() ?? "";
    const names = env.map(({ name }) => name);
    const settings = SETTINGS.map((name) => [name, valueOf(name)]).filter(([, value]) => value !== "false");
    return {
        image,
        command: args.map(unescaped),
        code: valueOf("code") || undefined,
        environment: names.filter((name) => !OWN.has(name)).sort(),
        runOptions: valueOf("runOptions").split("\n").filter(Boolean),
        settings: known([...settings, ...amountsOf(resources), ...settingsOf(job)]),
    };
}

/** The value of a parameter of the pods' scripts. */
export function parameterOf(job: V1Job, parameter: keyof typeof SCRIPT_ENVIRONMENT): string | undefined {
    const value = fluxIn(job)?.env?.find(({ name }) => name === SCRIPT_ENVIRONMENT[parameter])?.value;
    return value && unescaped(value);
}

function fluxIn(job: V1Job): Partial<V1Container> | undefined {
    return job.spec?.template?.spec?.containers?.find(({ name }) => name === FLUX_CONTAINER);
}

/** Kubernetes expands $(NAME), so the manifest has $$ for each $. */
function unescaped(text: string): string {
    return text.replaceAll("$$", "$");
}

function amountsOf({ limits, requests }: V1Container["resources"] = {}): [string, string][] {
    return [
        ["requests", amounts(requests)],
        ["limits", amounts(limits)],
    ];
}

function amounts(of: Readonly<Record<string, string>> = {}): string {
    return Object.entries(of)
        .map(([name, amount]) => `${name} ${amount}`)
        .join(", ");
}

function settingsOf(job: V1Job): [string, string][] {
    const { activeDeadlineSeconds = "", ttlSecondsAfterFinished = "" } = job.spec ?? {};
    return [
        ["queueName", job.metadata?.labels?.[QUEUE_LABEL] ?? ""],
        ["activeDeadlineSeconds", String(activeDeadlineSeconds)],
        ["ttlSecondsAfterFinished", String(ttlSecondsAfterFinished)],
        ["archive", isArchived(job) ? "yes" : ""],
    ];
}

function known(entries: readonly (readonly string[])[]): Record<string, string> {
    return Object.fromEntries(entries.filter(([, value]) => value !== ""));
}

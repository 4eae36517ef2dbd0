import type { V1Job } from "@kubernetes/client-node";

import { causeOf } from "../../provider/jobStatus/failure";
import { outside } from "../../provider/jobStatus/readiness";
import { ending } from "../../provider/kubernetes/job";
import { heldBy, isHeld } from "../../provider/kubernetes/sleep";
import { initCause, podCause } from "../../provider/observe/pods/cause";
import { cureOf } from "../../provider/observe/causes/pods";
import { killedCause } from "../../provider/observe/pods/killed";
import { waitsForImage } from "../../provider/observe/pods/observation";
import { NO_TIMEOUTS } from "../../provider/observe/pods/observed";
import { isReady, type Pod, summarize } from "../../provider/observe/pods/pod";
import { isTold, type Trouble } from "../../provider/observe/pods/trouble";
import { troubles } from "../../provider/observe/pods/troubles";
import { awaited } from "../../provider/observe/pods/waitWords";
import { programName } from "../definition/programName";
import { andOthers, fail, type Finding, firstOf, ok, warn } from "./finding";
import { type Cluster, wantedRanks } from "./subject";

/** Reasons of a container that waits for its image for good. */
const IMAGE = /: (?:ErrImageNeverPull|InvalidImageName)\b/;

/** Whether the Job has the pods that it wants, and what keeps them from starting, except their image. */
export function checkPods(cluster: Cluster): Finding[] {
    const { job, seen } = cluster;
    const known = all(cluster);
    const found = [
        ...stateOf(job, seen.ranks()),
        ...own(
            known.filter((trouble) => !isOfImage(trouble)),
            seen.begun,
        ),
    ];
    return found.length > 0 ? firstOf(found) : [startOf(cluster, known)];
}

/** How many pods have started. A pod that starts slowly may have no problem that Kubernetes tells. */
function startOf({ job, seen }: Cluster, known: readonly Trouble[]): Finding {
    const wanted = wantedRanks(job);
    const slow = seen.ranks().filter(({ startedAt }) => startedAt === undefined);
    const started = seen.ranks().length - slow.length;
    const text = `${started} of ${wanted} pods have started`;
    if (started >= wanted) {
        return ok(text);
    }
    if (known.some(isOfImage)) {
        return warn(`${text}; the others wait for their image`, "see image");
    }
    const waits = awaited(slow, known, seen.begun);
    const whom = waits === undefined ? "" : `; ${[waits.pod?.name, waits.words].filter(Boolean).join(" ")}`;
    return warn(`${text}${whom}`, "none while the pods start; kubectl describe pod");
}

/** Whether the image can be pulled and has what the pods need: what its kubelet and its scripts say. */
export function checkImage(cluster: Cluster): Finding[] {
    const { pods, seen } = cluster;
    const ready = new Set(seen.ranks().flatMap((pod) => (isReady(pod) ? [pod.rank] : [])));
    const ended = pods.map(summarize).filter((pod) => pod.terminated !== undefined && !ready.has(pod.rank));
    const causes = ended.flatMap((pod) => {
        const text = podCause(pod) ?? killedCause(pod) ?? initCause(pod);
        return text === undefined ? [] : [{ text, pod }];
    });
    const found = [
        ...own(all(cluster).filter(isOfImage), seen.begun),
        ...kindsOf(causes, ({ text, pod }) => text.replaceAll(pod.name, "")).map(([{ text }, ...others]) =>
            fail(withOthers(text, others), `${cureOf(text)}; ${programName()} logs has the log`),
        ),
    ];
    const images = distinct(pods.flatMap(({ spec }) => spec?.containers.map(({ image = "" }) => image) ?? []));
    return found.length > 0 ? firstOf(found) : [ok(`no pod has a problem with ${images.join(", ") || "its image"}`)];
}

function all({ seen }: Cluster): Trouble[] {
    return isHeld(seen.job ?? {}) || ending(seen.job ?? {}) !== undefined
        ? []
        : [...troubles(seen, NO_TIMEOUTS).filter((trouble) => isDue(trouble, seen.begun)), ...outside(seen)];
}

/** False for a pod that is being deleted, and may end in time. */
function isDue(trouble: Trouble, now: number): boolean {
    return !trouble.pod?.deleting || isTold(trouble, now);
}

function isOfImage({ message, pod }: Trouble): boolean {
    return pod !== undefined && (waitsForImage(pod) || IMAGE.test(message));
}

/** A finding for each kind of problem. Many pods have the same one. */
function own(found: readonly Trouble[], now: number): Finding[] {
    const kindOf = ({ pod, row }: Trouble) => (pod === undefined ? row : row.replaceAll(pod.name, ""));
    return kindsOf(found, kindOf).map((kind) => findingOf(kind, now));
}

function kindsOf<T>(all: readonly T[], kindOf: (one: T) => string): T[][] {
    const kinds = new Map<string, T[]>();
    for (const one of all) {
        const kind = kindOf(one);
        kinds.set(kind, [...(kinds.get(kind) ?? []), one]);
    }
    return [...kinds.values()];
}

function findingOf([trouble, ...others]: readonly Trouble[], now: number): Finding {
    const { argument, grace, message, pod, quiet = 0 } = trouble;
    const text = withOthers(message, others);
    const isNormal = pod !== undefined && now < pod.createdAt + quiet * 1000;
    const cure = cureOf(message, argument === "timeouts.podCreation");
    return grace === Infinity || isNormal ? warn(text, cure) : fail(text, cure);
}

function withOthers(text: string, { length }: readonly unknown[]): string {
    return length === 0 ? text : `${text} (${andOthers(length).trim()})`;
}

function stateOf(job: V1Job, ranks: readonly Pod[]): Finding[] {
    const name = programName();
    const end = ending(job);
    if (end !== undefined) {
        const text = `the Job has failed: ${causeOf(`${end.reason}: ${end.message}`, ranks)}`;
        return end.failed
            ? [fail(text, `correct the cause, and run pulumi up; pulumi stack output and ${name} logs say more`)]
            : [ok("the Job has completed, so nothing runs; other triggers run it again")];
    }
    if (!isHeld(job)) {
        return [];
    }
    switch (heldBy(job)) {
        case "asleep":
            return [ok(`the cluster is asleep; ${name} wake wakes it, and so does ${name} submit`)];
        case "queued":
            return [ok("the Job waits in its queue of Kueue, so it has no pods")];
        case "suspended":
            return [warn("the Job is suspended", "set suspend to false")];
    }
}

function distinct(texts: readonly string[]): string[] {
    return [...new Set(texts)];
}

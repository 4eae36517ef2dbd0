import type { V1Job } from "@kubernetes/client-node";

import type { TimeoutsSpec } from "../../provider/contract/timeouts";
import { causeOf } from "../../provider/jobStatus/failure";
import { outside } from "../../provider/jobStatus/readiness";
import { ending } from "../../provider/kube/job";
import { asleepSince, isHeld } from "../../provider/kube/sleep";
import { initCause, podCause } from "../../provider/pods/cause";
import { cureOf } from "../../provider/pods/cures";
import { killedCause } from "../../provider/pods/killed";
import { waitsForImage } from "../../provider/pods/observation";
import { isReady, type Pod, summarize } from "../../provider/pods/pod";
import { isTold, type Trouble } from "../../provider/pods/trouble";
import { troubles } from "../../provider/pods/troubles";
import { awaited } from "../../provider/pods/waitWords";
import { fail, type Finding, firstOf, ok, warn } from "./finding";
import type { Cluster } from "./place";

/** The doctor waits for nothing: the limits of a wait only tell which problems last. */
const TIMEOUTS: TimeoutsSpec = { ready: 0, unschedulable: 0, imagePull: 0, podCreation: 0, podStart: 0, delete: 0 };

/** Reasons of a container that waits for its image for good. */
const IMAGE = /: (?:ErrImageNeverPull|InvalidImageName)\b/;

/** Whether the Job has the pods that it wants, and what keeps them from starting, except their image. */
export function checkPods(cluster: Cluster): Finding[] {
    const { job, seen } = cluster;
    const known = all(cluster);
    const found = [...stateOf(job, seen.ranks()), ...own(known.filter((trouble) => !isOfImage(trouble)))];
    return found.length > 0 ? firstOf(found) : [startOf(cluster, known)];
}

/** How many pods have started. A pod that starts slowly may have no problem that Kubernetes tells. */
function startOf({ job, seen }: Cluster, known: readonly Trouble[]): Finding {
    const wanted = job.spec?.parallelism ?? 1;
    const slow = seen.ranks().filter(({ startedAt }) => startedAt === undefined);
    const started = seen.ranks().length - slow.length;
    const text = `${started} of ${wanted} pods have started`;
    if (started >= wanted) {
        return ok(text);
    }
    if (known.some(isOfImage)) {
        return warn(`${text}; the others wait for their image`, "see image");
    }
    const waits = awaited(slow, known, Date.now());
    const whom = waits === undefined ? "" : `; ${[waits.pod?.name, waits.words].filter(Boolean).join(" ")}`;
    return warn(`${text}${whom}`, "none while the pods start; kubectl describe pod");
}

/** Whether the image can be pulled and has what the pods need: what its kubelet and its scripts say. */
export function checkImage(cluster: Cluster): Finding[] {
    const { pods, seen } = cluster;
    const ready = new Set(seen.ranks().flatMap((pod) => (isReady(pod) ? [pod.rank] : [])));
    const ended = pods.map(summarize).filter((pod) => pod.terminated !== undefined && !ready.has(pod.rank));
    const causes = ended.flatMap((pod) => podCause(pod) ?? killedCause(pod) ?? initCause(pod) ?? []);
    const found = [
        ...own(all(cluster).filter(isOfImage)),
        ...distinct(causes).map((text) => fail(text, `${cureOf(text)}; minicluster logs has the log`)),
    ];
    const images = distinct(pods.flatMap(({ spec }) => spec?.containers.map(({ image = "" }) => image) ?? []));
    return found.length > 0 ? firstOf(found) : [ok(`no pod has a problem with ${images.join(", ") || "its image"}`)];
}

function all({ seen }: Cluster): Trouble[] {
    return isHeld(seen.job ?? {}) || ending(seen.job ?? {}) !== undefined
        ? []
        : [...troubles(seen, TIMEOUTS).filter(isDue), ...outside(seen)];
}

/** False for a pod that is being deleted, and may end in time. */
function isDue(trouble: Trouble): boolean {
    return !trouble.pod?.deleting || isTold(trouble, Date.now());
}

function isOfImage({ message, pod }: Trouble): boolean {
    return pod !== undefined && (waitsForImage(pod) || IMAGE.test(message));
}

/** A finding for each kind of problem. Many pods have the same one. */
function own(found: readonly Trouble[]): Finding[] {
    const kinds = new Map<string, Trouble[]>();
    for (const trouble of found) {
        const kind = trouble.pod === undefined ? trouble.row : trouble.row.replaceAll(trouble.pod.name, "");
        kinds.set(kind, [...(kinds.get(kind) ?? []), trouble]);
    }
    return [...kinds.values()].map(findingOf);
}

function findingOf([trouble, ...others]: readonly Trouble[]): Finding {
    const { argument, grace, message, pod, quiet = 0 } = trouble;
    const text = others.length === 0 ? message : `${message} (and ${others.length} more)`;
    const isNormal = pod !== undefined && Date.now() < pod.createdAt + quiet * 1000;
    const cure = cureOf(message, argument === "timeouts.podCreation");
    return grace === Infinity || isNormal ? warn(text, cure) : fail(text, cure);
}

function stateOf(job: V1Job, ranks: readonly Pod[]): Finding[] {
    const end = ending(job);
    if (end !== undefined) {
        const text = `the Job has failed: ${causeOf(`${end.reason}: ${end.message}`, ranks)}`;
        return end.failed
            ? [fail(text, "correct the cause, and run pulumi up; pulumi stack output and minicluster logs tell more")]
            : [warn("the Job has completed, so nothing runs", "change triggers to run it again")];
    }
    if (!isHeld(job)) {
        return [];
    }
    return asleepSince(job) === undefined
        ? [warn("the Job is suspended", "set suspend to false; a queue of Kueue resumes its Jobs itself")]
        : [warn("the cluster is asleep", "minicluster wake, or submit a job")];
}

function distinct(texts: readonly string[]): string[] {
    return [...new Set(texts)];
}

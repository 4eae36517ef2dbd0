import { isDeepStrictEqual } from "node:util";

import { warner } from "../host/log";
import { identify, subject } from "../flux/job";
import { isArray } from "../flux/elements";
import { placeOf } from "../flux/clusterPlace";
import { isUnknown, UNKNOWN } from "../host/unknown";
import type { FluxSubmissionInputs, FluxSubmissionOutputs } from "./properties";
import { needsResults } from "./results";

/**
 * The inputs that force a new submission. An unknown value is no reason: if it turns out to be another one, the diff of
 * the registered resource says so. An unknown cluster is one, because it is recreated without the job.
 */
export function replacements(olds: FluxSubmissionOutputs, news: FluxSubmissionInputs): string[] {
    if (isUnknown(news.cluster)) {
        return ["cluster"];
    }
    const { name, namespace, uid = olds.clusterUid } = news.cluster;
    const [old, wanted] = [comparable(olds), comparable(news)];
    const changed = Object.keys(wanted).filter((key) => !isSame(old[key], wanted[key]));
    if (!isDeepStrictEqual({ ...placeOf(olds), namespace, name, uid }, placeOf(olds))) {
        changed.push("cluster");
    }
    // A FluxJob that goes to another cluster gets another ticket too.
    if (changed.length === 0 && !isSame(olds.nonce, news.nonce)) {
        changed.push("nonce");
    }
    return changed.length > 0 || isArray(olds) ? changed : rerun(olds, news);
}

/** The content of a job without its name, which a FluxJob keeps when it is renamed. */
function comparable({ after, ...inputs }: FluxSubmissionInputs): Record<string, unknown> {
    const { jobName: _name, ...content } = subject(inputs);
    return { ...content, after: dependencies(after) };
}

/** Dependencies on jobs whose ids may be unknown. */
function dependencies(after: FluxSubmissionInputs["after"]): unknown {
    if ((after as unknown) === UNKNOWN || (after ?? []).length === 0) {
        return after?.length === 0 ? undefined : after;
    }
    return after?.map((job) => {
        const ids = isUnknown([job.jobId, job.jobIds]) ? UNKNOWN : identify(job).slice(1);
        return { end: job.end ?? "ok", ids };
    });
}

/** True if two values are equal as far as the second one is known. */
function isSame(old: unknown, wanted: unknown): boolean {
    if (wanted === UNKNOWN) {
        return true;
    }
    if (!isTree(old) || !isTree(wanted) || !isUnknown(wanted)) {
        return isDeepStrictEqual(old, wanted);
    }
    const names = [old, wanted].map((of) => Object.keys(of).filter((name) => of[name] !== undefined));
    const isSameForm = Array.isArray(old) === Array.isArray(wanted) && isDeepStrictEqual(...pairOf(names));
    return isSameForm && names[0].every((name) => isSame(old[name], wanted[name]));
}

function pairOf([old, wanted]: readonly string[][]): [string[], string[]] {
    return [old.sort(), wanted.sort()];
}

function isTree(value: unknown): value is Record<string, unknown> {
    return typeof value === "object" && value !== null;
}

/** Submits a lost job again, and a failed one if it is to be rerun. Only a warning can show the reason in a preview. */
function rerun({ jobId, phase, reason }: FluxSubmissionOutputs, news: FluxSubmissionInputs): string[] {
    const again = phase === "lost" || (phase === "failed" && news.rerunFailed === true);
    if (again) {
        const why = phase === "lost" ? "its cluster has no record of it" : `it failed (${reason})`;
        warner(news.resourceUrn, news.jobName)(`${jobId} is submitted again: ${why}.`);
    }
    return again ? ["phase"] : [];
}

/** True if an update in place has something to do. */
export function isUpdated(olds: FluxSubmissionOutputs, news: FluxSubmissionInputs): boolean {
    // An unknown nonce or key is that of a ticket which gets a key: the nonce stays.
    const { key: _key, nonce: _nonce, resourceUrn: _urn, ...compared } = news;
    const isIncomplete = needsWait(olds, news) || needsResults(olds, news);
    return isUnknown(compared) || isIncomplete || !isDeepStrictEqual(settings(olds), settings(news));
}

export function needsWait({ phase }: FluxSubmissionOutputs, { wait }: FluxSubmissionInputs): boolean {
    return wait && phase !== "succeeded";
}

/** The inputs that can change without a wait. The URN is left out: only the progress lines use it. */
function settings(of: FluxSubmissionInputs): unknown {
    const { context, interrupt, keeps, kubeconfig, maxBytes, rerunFailed, secretOutput, timeouts, wait } = of;
    return { context, interrupt, keeps, kubeconfig, maxBytes, rerunFailed, secretOutput, timeouts, wait };
}

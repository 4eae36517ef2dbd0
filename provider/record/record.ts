import { createHash } from "node:crypto";

import type { V1Job } from "@kubernetes/client-node";

import type { RecordedBytes, RecordedDigest, RecordedRank, RunRecord } from "../contract/record/runRecord";
import type { ResultsMark } from "../contract/results";
import { packageVersion } from "../contract/versions";
import { formatIdset } from "../flux/idset";
import type { Pod } from "../observe/pods/pod";
import { limited } from "./limited";
import { ranOf } from "./ran";

/** Version of the layout of a record. */
export const RECORD_VERSION = 1;

/** A run that has ended, as a wait has seen it. */
export interface Ended extends Pick<RunRecord, "failures" | "phase"> {
    readonly job: V1Job;
    /** The newest pod of each rank. */
    readonly ranks: readonly Pod[];
    readonly exitCode: number | null;
    /** What is kept of the output; undefined if it can't be read. */
    readonly output: string | undefined;
    readonly results: ResultsMark | undefined;
    /** Nothing may be shown from which the output, the command or the environment could be guessed. */
    readonly isSecret: boolean;
    /** Kubernetes' version. */
    readonly kubernetes: string | undefined;
    readonly nodeTypeOf: (node: string) => string | undefined;
}

/** The record of a run. */
export function recordOf(ended: Ended): RunRecord {
    const { exitCode, failures, job, phase, ranks, results } = ended;
    const lead = ranks.find(({ rank }) => rank === 0);
    return limited({
        schemaVersion: RECORD_VERSION,
        ...identityOf(job),
        phase,
        exitCode: exitCode ?? undefined,
        failures,
        ...ranOf(job),
        digests: digestsOf(ranks),
        size: job.spec?.parallelism,
        versions: versionsOf(ended.kubernetes),
        ...timesOf(job, lead),
        attempts: number(lead?.terminated?.marks.attempts),
        ranks: ranks.map((pod) => rankOf(pod, createdAt(job), ended)),
        results: results && resultsOf(results),
        ...shownOf(ended),
    });
}

function identityOf({ metadata }: V1Job): Pick<RunRecord, "name" | "namespace" | "uid"> {
    const { name = "", namespace = "", uid = "" } = metadata ?? {};
    return { name, namespace, uid };
}

/** What a secret output leaves of the record. */
export function shownOf({
    isSecret,
    output,
}: Pick<Ended, "isSecret" | "output">): Partial<RunRecord> & Pick<RunRecord, "missing"> {
    return isSecret ? HIDDEN : { output: output === undefined ? undefined : bytesOf(output), missing: [] };
}

function timesOf(job: V1Job, lead: Pod | undefined): Pick<RunRecord, "createdAt" | "endedAt" | "startedAt"> {
    return {
        createdAt: new Date(createdAt(job)).toISOString(),
        startedAt: iso(job.status?.startTime),
        endedAt: iso(endOf(job) ?? lead?.endedAt),
    };
}

function createdAt({ metadata }: V1Job): number {
    return new Date(metadata?.creationTimestamp ?? 0).getTime();
}

function iso(time: Date | number | undefined): string | undefined {
    return time === undefined ? undefined : new Date(time).toISOString();
}

function number(text: string | undefined): number | undefined {
    return text === undefined ? undefined : Number(text);
}

const HIDDEN = {
    command: [],
    environment: [],
    runOptions: [],
    missing: ["command, environment, runOptions and output: output.secret is true"],
};

/** When a Job ended, in milliseconds since 1970; undefined if it hasn't. */
export function endOf({ status }: V1Job): number | undefined {
    const end = status?.conditions?.find(({ status: is, type }) => is === "True" && ENDS.includes(type));
    const at = status?.completionTime ?? end?.lastTransitionTime;
    return end === undefined || at === undefined ? undefined : new Date(at).getTime();
}

const ENDS = ["Complete", "Failed"];

/** When a rank joined; of a lead that has ended, when it had its quorum, by its own mark. */
export function joinedAt({ readyAt, terminated }: Pod): number | undefined {
    const quorum = number(terminated?.marks.quorum);
    return readyAt ?? (quorum && quorum * 1000);
}

/** The images of pods, each with its ranks. */
export function digestsOf(pods: readonly Pod[]): RecordedDigest[] {
    const images = [...new Set(pods.map(({ image }) => image))].filter((image) => image !== undefined).sort();
    return images.map((image) => ({
        image,
        ranks: formatIdset(pods.filter((pod) => pod.image === image).map(({ rank }) => rank)),
    }));
}

/** The versions that are known. */
export function versionsOf(kubernetes?: string): Record<string, string> {
    return { package: packageVersion(), ...(kubernetes === undefined ? {} : { kubernetes }) };
}

/** The length and the hash of a text. */
export function bytesOf(text: string): RecordedBytes {
    return { bytes: Buffer.byteLength(text), sha256: createHash("sha256").update(text).digest("hex") };
}

function resultsOf({ bytes, count, sha256 }: ResultsMark): RecordedBytes {
    return { bytes, sha256, count };
}

function rankOf(pod: Pod, created: number, { nodeTypeOf }: Ended): RecordedRank {
    const since = (at: number | undefined) => (at === undefined ? undefined : Math.round((at - created) / 10) / 100);
    const { node, rank, replaced, terminated } = pod;
    return {
        rank,
        pod: pod.name,
        node,
        nodeType: node === undefined ? undefined : nodeTypeOf(node),
        created: since(pod.createdAt) ?? 0,
        scheduled: since(pod.scheduledAt),
        started: since(pod.startedAt),
        joined: since(joinedAt(pod)),
        ended: since(pod.endedAt),
        exitCode: terminated?.exitCode,
        replaced: replaced || undefined,
    };
}

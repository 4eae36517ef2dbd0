import type { RunRecord } from "../contract/record/runRecord";
import { runOptionWords } from "../contract/runOptions";
import type { JobProgress } from "../flux/eventlog";
import { isUnreadable } from "../flux/queue";
import { limited } from "../record/limited";
import { RECORD_VERSION, shownOf, versionsOf } from "../record/record";
import type { FluxSubmissionInputs, FluxSubmissionOutputs } from "./properties";

export type Ids = Pick<FluxSubmissionOutputs, "clusterUid" | "jobId">;

/** The record of a job that has ended; undefined before, and if its events have no times. */
export function runRecord(
    inputs: FluxSubmissionInputs,
    ids: Ids,
    progress: JobProgress,
    output: string,
): RunRecord | undefined {
    const { cluster, code, command, environment, jobName, maxBytes, secretEnvironment, secretOutput = false } = inputs;
    const { exitCode, phase, reason, times } = progress;
    const at = (seconds: number | undefined) =>
        seconds === undefined ? undefined : new Date(seconds * 1000).toISOString();
    const createdAt = at(times?.submitted);
    if (createdAt === undefined) {
        return undefined;
    }
    const kept = maxBytes === 0 || isUnreadable(output) ? undefined : output;
    return limited({
        schemaVersion: RECORD_VERSION,
        name: cluster.name,
        namespace: cluster.namespace,
        uid: ids.clusterUid,
        jobId: ids.jobId,
        phase,
        exitCode,
        failures: reason === undefined ? [] : [{ about: jobName, message: reason }],
        digests: [],
        command: [...command],
        code: code?.hash,
        environment: Object.keys({ ...environment, ...secretEnvironment }).sort(),
        runOptions: runOptionWords(inputs),
        settings: {},
        versions: versionsOf(),
        createdAt,
        startedAt: at(times?.started),
        endedAt: at(times?.ended),
        ranks: [],
        ...shownOf({ isSecret: secretOutput, output: kept }),
    });
}

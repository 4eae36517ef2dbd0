import { defined } from "../host/verbs";
import type { FluxSubmissionInputs, FluxSubmissionOutputs, JobRecord } from "./properties";
import { resultsIn } from "./results";

/** Version of the layout of the outputs. */
const SCHEMA_VERSION = 1;

export type Known = Pick<FluxSubmissionOutputs, "clusterMark" | "clusterUid" | "jobId" | "jobIds" | "lead">;

/** What the state has of a job or an array. */
export function outputsOf(inputs: FluxSubmissionInputs, known: Known, record: JobRecord): FluxSubmissionOutputs {
    // A preview takes an output without a value as unknown.
    const { exitCode = null, progress = "", record: ofRun = null } = record;
    const results = resultsIn(inputs, { ...known, ...record });
    const own = { exitCode, progress, record: ofRun, results, schemaVersion: SCHEMA_VERSION };
    return defined({ ...inputs, ...known, ...record, ...own });
}

export type { MiniClusterArgs } from "./args";
export * from "./generated/exports";
export type { FluxJobArgs } from "./fluxJob/args";
export type { ElementsStatus, FailedElement } from "../provider/contract/elementsStatus";
export type {
    RecordedBytes,
    RecordedDigest,
    RecordedFailure,
    RecordedRank,
    RunRecord,
} from "../provider/contract/record/runRecord";
export type { KeptFile, KeptResults, WantedJobResults, WantedResults } from "../provider/contract/results";
export type { KubernetesObject } from "../provider/contract/object";
export type { SignalOption } from "../provider/contract/runOptions";
export type { SizedBy } from "../provider/contract/sizedBy";
export type { TimeoutsSpec } from "../provider/contract/timeoutsSpec";
export { FluxJob } from "./fluxJob/fluxJob";
export { MiniCluster } from "./miniCluster";
export { fromMPIJob, fromOperator, type MPIJobOptions, type MPIJobResource, type OperatorResource } from "../convert";
export type { Kubeconfig } from "./features/access";
export type { ProgramArgs } from "./parts/program";
export { CurveKey } from "../provider/curveKey/resource";
export { type CurveKeyArgs } from "../provider/curveKey/properties";
export type { ArraySize, ClusterName, Dependency } from "../provider/flux/job";
export { FluxSubmission } from "../provider/fluxSubmission/resource";
export type { FluxSubmissionArgs, SubmissionTimeouts } from "../provider/fluxSubmission/properties";
export { FluxTicket } from "../provider/fluxTicket/resource";
export { IndexedJob } from "../provider/indexedJob/resource";
export type { Code, JobCode } from "../provider/contract/code/code";
export type { CodeSource } from "../provider/contract/code/folder";
export { type IndexedJobArgs } from "../provider/indexedJob/properties";
export { JobStatus } from "../provider/jobStatus/resource";
export { type JobStatusArgs } from "../provider/jobStatus/properties";
export type { LeadService } from "../provider/contract/lead";
